/** Everything that can be reached, the beginnings included. */
export function reach(from: readonly string[], next: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set(from);
  for (const id of reached) for (const following of next(id)) reached.add(following);
  return reached;
}
