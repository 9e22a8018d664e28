/** What a member has, and the history of points. */
import type { EntryType, GrantType } from '../../domain/points/entries.ts';
import { soonUntil } from '../../domain/points/expiry.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { dateOf, msOf } from '../../domain/kernel/time.ts';
import { allOf, type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { PointEntry } from './account.ts';

export interface ShownLot {
  readonly lotId: string;
  readonly type: GrantType;
  readonly amountWon: number;
  readonly remainingWon: number;
  readonly earnedAt: number;
  readonly expiresAt: number;
}
export interface Points {
  readonly balanceWon: number;
  /** Of it what expires within 30 Korean days. */
  readonly expiringSoonWon: number;
  /** In the order in which they are spent, the first 1,000. */
  readonly lots: readonly ShownLot[];
}
const MAX_LOTS = 1000;
interface LotRow {
  readonly balance_won: string | null;
  readonly soon_won: string | null;
  readonly lot_id: string | null;
  readonly type: GrantType;
  readonly amount_won: string;
  readonly remaining_won: string;
  readonly earned_at: string;
  readonly expires_at: string;
}

/** CUSTOMER_NOT_FOUND. */
export async function readPoints({ sql, storeId, at }: Tx, customerId: string): Promise<Points> {
  const rows = await sql<LotRow>`SELECT l.lot_id, l.type, l.amount_won, l.remaining_won, l.earned_at, l.expires_at,
      sum(l.remaining_won) OVER () AS balance_won,
        sum(l.remaining_won) FILTER (WHERE l.expires_at <= ${new Date(soonUntil(at))}) OVER () AS soon_won
    FROM point_account a
    LEFT JOIN point_lot l ON l.store_id = a.store_id AND l.customer_id = a.customer_id AND l.remaining_won > 0
      AND l.expires_at > ${new Date(at)}
    WHERE a.store_id = ${storeId} AND a.customer_id = ${customerId} ORDER BY l.expires_at, l.earned_at, l.seq
    LIMIT ${MAX_LOTS}`;
  if (rows.length === 0) throw new Fault('CUSTOMER_NOT_FOUND');
  const lots = rows.flatMap((row) => (row.lot_id === null ? [] : [lotOf(row.lot_id, row)]));
  const { balance_won: balance, soon_won: soon } = rows[0]!;
  return { lots, balanceWon: Number(balance ?? 0), expiringSoonWon: Number(soon ?? 0) };
}
const lotOf = (lotId: string, row: LotRow): ShownLot => ({
  lotId,
  type: row.type,
  amountWon: Number(row.amount_won),
  remainingWon: Number(row.remaining_won),
  earnedAt: msOf(row.earned_at),
  expiresAt: msOf(row.expires_at),
});

/** Whether there is such a customer, who has not withdrawn. `locks`: until the end of the transaction they do not. */
export async function isMember({ sql, storeId }: Tx, customerId: string, { locks = false } = {}): Promise<boolean> {
  const rows = await sql`SELECT 1 AS ok FROM point_account WHERE store_id = ${storeId} AND customer_id = ${customerId}
    ${locks ? fragment`FOR NO KEY UPDATE` : fragment``}`;
  return rows.length > 0;
}

/** A position behind which a history is read on. */
export interface EntryPosition {
  readonly at: number;
  readonly seq: number;
  readonly historyId: string;
}
export interface HistoryFilter {
  readonly customerId?: string;
  readonly types?: readonly EntryType[];
  /** Business times; from inclusive, to exclusive. */
  readonly from?: number;
  readonly to?: number;
  readonly page: number;
  readonly size: number;
  /** Instead of a page. */
  readonly after?: EntryPosition;
}
export interface History {
  readonly items: readonly PointEntry[];
  readonly total: number;
  readonly hasMore: boolean;
}
interface EntryRow {
  readonly history_id: string;
  readonly customer_id: string;
  readonly seq: number;
  readonly type: EntryType;
  readonly amount_won: string;
  readonly balance_won: string;
  readonly memo: string | null;
  readonly order_id: string | null;
  readonly order_item_id: string | null;
  readonly payment_id: string | null;
  readonly review_id: string | null;
  readonly expires_at: string | null;
  readonly created_at: string;
}

/** Newest first. A reservation shows the order of its payment from then on. */
export async function listHistory(tx: Tx, filter: HistoryFilter): Promise<History> {
  const { sql } = tx;
  const { page, size, after } = filter;
  const offset = after ? 0 : (page - 1) * size;
  const limit = offset + size + 1;
  const rows = await sql<EntryRow>`SELECT h.history_id, h.customer_id, h.seq, h.type, h.amount_won, h.balance_won, h.memo,
      coalesce(h.order_id, p.order_id) AS order_id, h.order_item_id, h.payment_id, h.review_id, h.expires_at, h.created_at
    FROM (SELECT * FROM ${newest(tx, filter, limit)} found ORDER BY created_at DESC, seq DESC, history_id DESC
      LIMIT ${size + 1} OFFSET ${offset}) h
    LEFT JOIN payment p ON h.type = 'USE_RESERVE' AND p.store_id = h.store_id AND p.payment_id = h.payment_id
    ORDER BY h.created_at DESC, h.seq DESC, h.history_id DESC`;
  const { after: _, ...all } = filter;
  const [counted] = await sql<{ n: string }>`SELECT count(*) AS n FROM point_history
    WHERE ${conditions(tx, all)} ${filter.types === undefined ? fragment`` : fragment`AND type = ANY (${[...filter.types]}::text[])`}`;
  return { items: rows.slice(0, size).map(entryOf), total: Number(counted!.n), hasMore: rows.length > size };
}

/** With types, one index scan for each of them. */
function newest(tx: Tx, filter: HistoryFilter, limit: number): Fragment {
  const some = (more: Fragment) => fragment`(SELECT * FROM point_history WHERE ${conditions(tx, filter)} ${more}
    ORDER BY created_at DESC, seq DESC, history_id DESC LIMIT ${limit})`;
  if (filter.types === undefined) return some(fragment``);
  return fragment`(SELECT each.* FROM unnest(${[...filter.types]}::text[]) AS wanted (type)
    CROSS JOIN LATERAL ${some(fragment`AND type = wanted.type`)} each)`;
}

const conditions = ({ storeId }: Tx, { customerId, from, to, after }: HistoryFilter): Fragment =>
  allOf([
    fragment`store_id = ${storeId}`,
    customerId !== undefined && fragment`customer_id = ${customerId}`,
    from !== undefined && fragment`created_at >= ${new Date(from)}`,
    to !== undefined && fragment`created_at < ${new Date(to)}`,
    after !== undefined && fragment`(created_at, seq, history_id) < (${new Date(after.at)}, ${after.seq}, ${after.historyId})`,
  ]);

const entryOf = (row: EntryRow): PointEntry => ({
  historyId: row.history_id,
  customerId: row.customer_id,
  seq: row.seq,
  type: row.type,
  amountWon: Number(row.amount_won),
  balanceWon: Number(row.balance_won),
  memo: row.memo,
  orderId: row.order_id,
  orderItemId: row.order_item_id,
  paymentId: row.payment_id,
  reviewId: row.review_id,
  expiresAt: dateOf(row.expires_at),
  createdAt: new Date(row.created_at),
});
