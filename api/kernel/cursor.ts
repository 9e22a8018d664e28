/** Where a reader of a long list stands (D5, D70): opaque to clients, and worth nothing but a place. */
import { invalid } from '../../workflows/kernel/errors.ts';
import { isInYears } from '../../workflows/kernel/time.ts';
import { closed, Count, nullable, type TSchema, Type } from './schema.ts';

/** A place in a list that is ordered by a time, or a number, and an id. */
export interface Place {
  readonly order: string;
  readonly at: number;
  readonly id: string;
}
/** A cursor as a parameter of a list that is read in these orders, each one letter. */
export const cursorQuery = (orders: string) =>
  Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'nextCursor or lastCursor of an earlier answer',
      'x-document': { pattern: `^[${orders}]-[0-9]{1,13}-[0-9A-Za-z_]{0,64}$` },
    }),
  );

export const writeCursor = ({ order, at, id }: Place): string => `${order}-${at}-${id}`;
const CURSOR = /^([a-z])-(-?\d{1,16})-(\w{0,64})$/;

/**
 * The place that a cursor names; anything that is no cursor of one of these orders is VALIDATION_FAILED, and so is a time outside the
 * years 1900 to 9998, which Postgres could not compare (X22). `by` says what the place counts: times, or numbers from 0.
 */
export function readCursor(cursor: string | undefined, orders: readonly string[], by: 'time' | 'number' = 'time'): Place | null {
  if (cursor === undefined) return null;
  const place = parse(cursor);
  const isThere = place && (by === 'time' ? isInYears(place.at) : place.at >= 0);
  if (!isThere || !orders.includes(place.order)) throw invalid('cursor', 'INVALID', 'This is no cursor of this list.');
  return place;
}

function parse(cursor: string): Place | null {
  const [, order, at, id] = CURSOR.exec(cursor) ?? [];
  return order !== undefined && id !== undefined && Number.isSafeInteger(Number(at)) ? { order, at: Number(at), id } : parseFormer(cursor);
}

/** Cursors as they were written before: whoever keeps a `lastCursor` reads on with it. */
function parseFormer(cursor: string): Place | null {
  try {
    const [order, at, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    const isPlace = typeof order === 'string' && Number.isSafeInteger(at) && typeof id === 'string';
    return isPlace && /^\w{0,64}$/.test(id) ? { order, at: at as number, id } : null;
  } catch {
    return null;
  }
}

/**
 * `data` of a list that can be read on. `nextCursor`: there is more now, null at the end. `lastCursor`: where this answer ended;
 * asking with it later gives what has come or changed since, and misses nothing.
 */
export const feedOf = <S extends TSchema>(item: S) =>
  closed({
    items: Type.Array(item),
    page: Count,
    size: Count,
    total: Count,
    nextCursor: nullable(Type.String()),
    lastCursor: nullable(Type.String()),
  });

export interface Feed<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly hasMore: boolean;
}
/** The answer: `placeOf` says where a row stands; `from` is where the reader came from. */
export function feed<T, V>(
  query: { readonly page: number; readonly size: number; readonly cursor?: string | undefined },
  { items, total, hasMore }: Feed<T>,
  view: (row: T) => V,
  placeOf: (row: T) => Place,
) {
  const last = items.at(-1);
  const lastCursor = last ? writeCursor(placeOf(last)) : (query.cursor ?? null);
  return {
    items: items.map(view),
    page: query.page,
    size: query.size,
    total,
    nextCursor: hasMore ? lastCursor : null,
    lastCursor,
  };
}
