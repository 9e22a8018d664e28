/** Canonical JSON: sorted keys, so that equal values have equal texts, however they were written or stored. Pure. */

/** The value with the keys of its records sorted. `valueOf`: what takes the place of a field; the field itself where it is left out. */
export function canonical(value: unknown, valueOf: (name: string, item: unknown) => unknown = (_, item) => item): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item, valueOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, canonical(valueOf(name, item), valueOf)]),
  );
}
export const canonicalJson = (value: unknown): string => JSON.stringify(canonical(value));
