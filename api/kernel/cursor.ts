/** Where a reader of a long list stands (D5, D70): opaque to clients, and worth nothing but a place. */
import { invalid } from '../../domain/kernel/errors.ts';
import { closed, Count, nullable, type TSchema, Type } from './schema.ts';

/** A place in a list that is ordered by a time, or a number, and an id. */
export interface CursorPosition {
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

export const writeCursor = ({ order, at, id }: CursorPosition): string => `${order}-${at}-${id}`;
const CURSOR = /^([a-z])-([0-9]{1,13})-(\w{0,64})$/;

/**
 * The place that a cursor names; anything that is no cursor of one of these orders is VALIDATION_FAILED. Its thirteen digits reach to the
 * year 2286, so that Postgres can compare every time that fits (X22).
 */
export function readCursor(cursor: string | undefined, orders: readonly string[]): CursorPosition | null {
  if (cursor === undefined) return null;
  const place = parse(cursor);
  if (!place || !orders.includes(place.order)) throw invalid('cursor', 'INVALID', 'This is no cursor of this list.');
  return place;
}

function parse(cursor: string): CursorPosition | null {
  const [, order, at, id] = CURSOR.exec(cursor) ?? [];
  return order !== undefined && id !== undefined ? { order, at: Number(at), id } : null;
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
  placeOf: (row: T) => CursorPosition,
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
