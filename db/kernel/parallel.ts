/** Does the work for every item, at most `atOnce` at a time; the first failure ends it, after the work that has begun. */
export async function forEachAtOnce<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items.values();
  const next = async () => {
    for (const item of left) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, next));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
