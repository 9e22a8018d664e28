/** Lists whose largest page would pass 1 MiB (D90): their texts are cut as far as they have to be. */
import { shareOf } from '../../db/kernel/answers.ts';
import { Type } from './schema.ts';

/** A field of entries of lists. */
export const Truncated = Type.Optional(
  Type.Boolean({
    description:
      'Only of lists, where it is true: texts are cut and end in …, or something is left out that the detail has. A smaller page cuts less',
  }),
);
/** What may be left out of the entries of a list. */
export interface Cut {
  /** The names of free texts, at any depth of an entry. */
  readonly texts: readonly string[];
  /** The name of a list whose last entries are left out where shorter texts are not enough; its first one stays. */
  readonly list?: string;
}

/** How long texts may be, one after the other, in characters. */
const LENGTHS = [1000, 250, 50];
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * `data` as it is, where its entries fit in 1 MiB. Otherwise those that are larger than their share of it at this size of page are cut,
 * each as little as it takes, and say so.
 */
export function fitted<D extends { readonly items: readonly object[] }>(data: D, size: number, cut: Cut): D {
  const sizes = data.items.map(bytesOf);
  const share = shareOf(size);
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) <= share * size) return data;
  return { ...data, items: data.items.map((entry, i) => (sizes[i]! <= share ? entry : shortened(entry, share, cut))) };
}

function shortened(entry: object, share: number, { texts, list }: Cut): object {
  const fits = (cut: object) => bytesOf(cut) <= share;
  const names = new Set(texts);
  let cut = entry;
  for (const max of LENGTHS) {
    cut = { ...(withTexts(entry, names, max) as object), truncated: true };
    if (fits(cut)) return cut;
  }
  return list === undefined ? cut : withoutLast(cut, list, bytesOf(cut) - share);
}

/** Without as many of the list's last entries as are so many bytes. */
function withoutLast(entry: object, list: string, over: number): object {
  const all = (entry as Readonly<Record<string, readonly unknown[]>>)[list]!;
  let end = all.length;
  for (let left = over; left > 0 && end > 1; end--) left -= bytesOf(all[end - 1]) + 1;
  return { ...entry, [list]: all.slice(0, end) };
}

function withTexts(value: unknown, names: ReadonlySet<string>, max: number): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withTexts(one, names, max));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]: [string, unknown]): [string, unknown] => [
    name,
    typeof one === 'string' && names.has(name) ? cutText(one, max) : withTexts(one, names, max),
  ]);
  return Object.fromEntries(entries);
}

/** By code points, so that no character is halved. */
function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const letters = Array.from(text);
  return letters.length <= max ? text : `${letters.slice(0, max - 1).join('')}…`;
}
