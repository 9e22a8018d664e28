/** Cursors of lists, keyset positions: opaque to clients, without any authority. */
import { invalid } from '../../domain/kernel/errors.ts';
import { closed, Count, nullable, type TSchema, Type } from './schema.ts';

/** A position in a list that is ordered by a time or number, and an id. `order`: one letter for the order of the list. */
export interface CursorPosition {
  readonly order: string;
  readonly at: number;
  readonly id: string;
}
/** The `cursor` parameter of a list with these orders, each one letter. */
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
 * Parses a cursor; VALIDATION_FAILED unless it belongs to one of these orders. Thirteen digits of milliseconds reach to the year 2286, so
 * that every accepted time is valid in Postgres.
 */
export function readCursor(cursor: string | undefined, orders: readonly string[]): CursorPosition | null {
  if (cursor === undefined) return null;
  const position = parse(cursor);
  if (!position || !orders.includes(position.order)) throw invalid('cursor', 'INVALID', 'This is no cursor of this list.');
  return position;
}

function parse(cursor: string): CursorPosition | null {
  const [, order, at, id] = CURSOR.exec(cursor) ?? [];
  return order !== undefined && id !== undefined ? { order, at: Number(at), id } : null;
}

/**
 * `data` of a list with cursors. `nextCursor`: the next page, null at the end. `lastCursor`: the end of this page; a later request with it
 * returns what was added or changed since, without gaps.
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

/** The parameters that the logs share: the newest first, on from a cursor. */
export const logPaging = (order: string) => ({
  cursor: cursorQuery(order),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
});
export const logOf = <S extends TSchema>(item: S) => closed({ items: Type.Array(item), nextCursor: nullable(Type.String()) });
/** The `data` of a log, of which one entry more than `limit` was looked for. */
export function log<T, V>(found: readonly T[], limit: number, view: (entry: T) => V, positionOf: (entry: T) => CursorPosition) {
  const last = found.length > limit ? found[limit - 1] : undefined;
  return { items: found.slice(0, limit).map(view), nextCursor: last === undefined ? null : writeCursor(positionOf(last)) };
}

export interface Feed<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly hasMore: boolean;
}
/** The `data` of a page; `positionOf`: the position of a row. */
export function feed<T, V>(
  query: { readonly page: number; readonly size: number; readonly cursor?: string | undefined },
  { items, total, hasMore }: Feed<T>,
  view: (row: T) => V,
  positionOf: (row: T) => CursorPosition,
) {
  const last = items.at(-1);
  const lastCursor = last ? writeCursor(positionOf(last)) : (query.cursor ?? null);
  return {
    items: items.map(view),
    page: query.page,
    size: query.size,
    total,
    nextCursor: hasMore ? lastCursor : null,
    lastCursor,
  };
}
