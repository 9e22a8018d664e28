/** Lists whose largest page would pass 1 MiB (D90): their texts are cut as far as they have to be. */
import { shareOf } from '../../db/kernel/answers.ts';
import { Type } from './schema.ts';

/** An entry of a list that says whether the detail, or a smaller page, has more. */
export interface Cuttable {
  readonly truncated: boolean;
}
export const Truncated = Type.Boolean({
  description: 'Texts are cut and end in …, or photos are left out: the page would be larger than 1 MiB. A smaller page has them whole',
});
export interface Cut<E> {
  /** The names of free texts, at any depth of an entry. */
  readonly texts: readonly string[];
  /** What else is left out where that is not enough; `fits` tells whether it is. */
  readonly further?: (entry: E, fits: (entry: E) => boolean) => E;
}

/** How long texts may be, one after the other, in characters. */
const LENGTHS = [1000, 500, 250, 100, 50];
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * `data` as it is, where its entries fit in 1 MiB. Otherwise those that are larger than their share of it at this size of page are cut, each
 * as little as it takes, and say so.
 */
export function fitted<E extends Cuttable, D extends { readonly items: readonly E[] }>(data: D, size: number, cut: Cut<E>): D {
  const sizes = data.items.map(bytesOf);
  const share = shareOf(size);
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) <= share * size) return data;
  return { ...data, items: data.items.map((entry, i) => (sizes[i]! <= share ? entry : shortened(entry, share, cut))) };
}

function shortened<E extends Cuttable>(entry: E, share: number, { texts, further }: Cut<E>): E {
  const fits = (cut: E) => bytesOf(cut) <= share;
  const names = new Set(texts);
  const attempts = LENGTHS.map((most) => () => ({ ...(withTexts(entry, names, most) as E), truncated: true }));
  let cut = attempts[0]!();
  for (const attempt of attempts.slice(1)) {
    if (fits(cut)) return cut;
    cut = attempt();
  }
  return fits(cut) || !further ? cut : further(cut, fits);
}

function withTexts(value: unknown, names: ReadonlySet<string>, most: number): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withTexts(one, names, most));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]: [string, unknown]): [string, unknown] => [
    name,
    typeof one === 'string' && names.has(name) ? cutText(one, most) : withTexts(one, names, most),
  ]);
  return Object.fromEntries(entries);
}

/** By code points, so that no character is halved. */
function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const letters = Array.from(text);
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`;
}
