/** A member's account: read under its lock, the last one that a transaction takes; what the domain decides is written at once. */
import { dateOf, msOf } from '../../domain/kernel/time.ts';
import { type Account, type Entry, expireDue, type Lot, type Movement } from '../../domain/points/ledger.ts';
import type { EntryType, GrantType } from '../../domain/points/entries.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';

/** An entry of the history, with what it is about. */
export interface PointEntry extends EntrySubject {
  readonly historyId: string;
  readonly customerId: string;
  readonly seq: number;
  readonly type: EntryType;
  readonly amountWon: number;
  readonly balanceWon: number;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}
export interface EntrySubject {
  readonly memo: string | null;
  readonly orderId: string | null;
  readonly orderItemId: string | null;
  readonly paymentId: string | null;
  readonly reviewId: string | null;
}
export const NO_SUBJECT: EntrySubject = { memo: null, orderId: null, orderItemId: null, paymentId: null, reviewId: null };

interface AccountRow {
  readonly balance_won: string;
  readonly entry_count: number;
  readonly last_at: string;
}
interface LotRow {
  readonly lot_id: string;
  readonly type: GrantType;
  readonly amount_won: string;
  readonly remaining_won: string;
  readonly earned_at: string;
  readonly expires_at: string;
  readonly seq: number;
  readonly refills: number;
}
const lotOf = (row: LotRow): Lot => ({
  lotId: row.lot_id,
  type: row.type,
  amountWon: Number(row.amount_won),
  remainingWon: Number(row.remaining_won),
  earnedAt: msOf(row.earned_at),
  expiresAt: msOf(row.expires_at),
  seq: row.seq,
  refills: row.refills,
});

/** Locks the account; null for a customer who has withdrawn or never was. */
async function lockRow({ sql, storeId }: Tx, customerId: string): Promise<AccountRow | null> {
  const [row] = await sql<AccountRow>`SELECT balance_won, entry_count, last_at FROM point_account
    WHERE store_id = ${storeId} AND customer_id = ${customerId} FOR NO KEY UPDATE`;
  return row ?? null;
}

/** What is read under the account's lock, and the lots that it names, which may be empty. */
interface Reading<T> {
  readonly found: T;
  readonly lotIds: readonly string[];
}
/**
 * The account with its lots in which something is left, its due lots expired, and what else is read under its lock; null for a customer who
 * has withdrawn or never was. Its time is never before that of its last entry.
 */
export async function lockWith<T>(
  tx: Tx,
  customerId: string,
  read: () => Promise<Reading<T>>,
): Promise<{ account: Account; found: T } | null> {
  const { sql, storeId, at } = tx;
  const row = await lockRow(tx, customerId);
  if (!row) return null;
  const { found, lotIds } = await read();
  const lots = await sql<LotRow>`SELECT lot_id, type, amount_won, remaining_won, earned_at, expires_at, seq, refills FROM point_lot
    WHERE store_id = ${storeId} AND customer_id = ${customerId} AND (remaining_won > 0 OR lot_id = ANY (${lotIds}::text[]))`;
  const now = Math.max(at, msOf(row.last_at));
  const account = { at: now, balanceWon: Number(row.balance_won), seq: row.entry_count, lots: lots.map(lotOf), written: [] };
  return { account: expireDue(account), found };
}
/** The same, without anything else. */
export const lockAccount = async (tx: Tx, customerId: string): Promise<Account | null> =>
  (await lockWith(tx, customerId, () => Promise.resolve({ found: null, lotIds: [] })))?.account ?? null;

/** Writes the account's new entries; all but EXPIRE have this subject. Returns the last one, or null where there is none. */
export async function writeAccount(
  { sql, storeId }: Tx,
  customerId: string,
  account: Account,
  subject: EntrySubject,
): Promise<PointEntry | null> {
  const { written, balanceWon, seq, at } = account;
  if (written.length === 0) return null;
  const entries = written.map((entry) => entryOf(customerId, entry, entry.type === 'EXPIRE' ? NO_SUBJECT : subject));
  const idOf = new Map(entries.map((entry) => [entry.seq, entry.historyId]));
  const movements = written.flatMap((entry) => entry.movements.map((one) => ({ history_id: idOf.get(entry.seq)!, ...rowOf(one) })));
  const made = written.flatMap(({ made: lot }) => (lot ? [lotRow(lot, idOf.get(lot.seq)!)] : []));
  const moved = account.lots.filter(
    ({ lotId }) => movements.some(({ lot_id: id }) => id === lotId) && !made.some((lot) => lot.lot_id === lotId),
  );
  await sql`WITH history AS (
      INSERT INTO point_history (store_id, history_id, customer_id, seq, type, amount_won, balance_won, memo, order_id, order_item_id,
        payment_id, review_id, reference, expires_at, created_at)
      SELECT ${storeId}, h.history_id, ${customerId}, h.seq, h.type, h.amount_won, h.balance_won, h.memo, h.order_id, h.order_item_id,
        h.payment_id, h.review_id, h.reference, h.expires_at, ${new Date(at)}
      FROM jsonb_to_recordset(${JSON.stringify(entries.map((entry, i) => historyRow(entry, written[i]!)))}) AS h (history_id text, seq int,
        type text, amount_won bigint, balance_won bigint, memo text, order_id text, order_item_id text, payment_id text, review_id text,
        reference text, expires_at timestamptz)),
    made AS (
      INSERT INTO point_lot (store_id, lot_id, customer_id, history_id, seq, type, amount_won, remaining_won, earned_at, expires_at)
      SELECT ${storeId}, l.lot_id, ${customerId}, l.history_id, l.seq, l.type, l.amount_won, l.amount_won, ${new Date(at)}, l.expires_at
      FROM jsonb_to_recordset(${JSON.stringify(made)}) AS l (lot_id text, history_id text, seq int, type text, amount_won bigint,
        expires_at timestamptz)),
    moved AS (
      UPDATE point_lot SET remaining_won = l.remaining_won, refills = l.refills
      FROM jsonb_to_recordset(${JSON.stringify(moved.map(movedRow))}) AS l (lot_id text, remaining_won bigint, refills int)
      WHERE point_lot.store_id = ${storeId} AND point_lot.lot_id = l.lot_id
        AND point_lot.lot_id = ANY (${moved.map(({ lotId }) => lotId)}::text[])),
    movement AS (
      INSERT INTO point_movement (store_id, history_id, lot_id, amount_won)
      SELECT ${storeId}, m.history_id, m.lot_id, m.amount_won
      FROM jsonb_to_recordset(${JSON.stringify(movements)}) AS m (history_id text, lot_id text, amount_won bigint))
    UPDATE point_account SET balance_won = ${balanceWon}, entry_count = ${seq}, last_at = ${new Date(at)}
    WHERE store_id = ${storeId} AND customer_id = ${customerId}`;
  return entries.at(-1)!;

  function entryOf(of: string, entry: Entry, about: EntrySubject): PointEntry {
    const { type, amountWon, expiresAt } = entry;
    const created = { createdAt: new Date(at), expiresAt: dateOf(expiresAt) };
    const ids = { historyId: newId('pth', at), customerId: of, seq: entry.seq };
    return { ...about, ...ids, type, amountWon, balanceWon: entry.balanceWon, ...created };
  }
}

const rowOf = ({ lotId, amountWon }: Movement) => ({ lot_id: lotId, amount_won: amountWon });
const movedRow = ({ lotId, remainingWon, refills }: Lot) => ({ lot_id: lotId, remaining_won: remainingWon, refills });
const lotRow = ({ lotId, type, amountWon, expiresAt, seq }: Lot, historyId: string) => ({
  lot_id: lotId,
  history_id: historyId,
  seq,
  type,
  amount_won: amountWon,
  expires_at: new Date(expiresAt),
});
const historyRow = (entry: PointEntry, { reference }: Entry) => ({
  history_id: entry.historyId,
  seq: entry.seq,
  type: entry.type,
  amount_won: entry.amountWon,
  balance_won: entry.balanceWon,
  memo: entry.memo,
  order_id: entry.orderId,
  order_item_id: entry.orderItemId,
  payment_id: entry.paymentId,
  review_id: entry.reviewId,
  reference,
  expires_at: entry.expiresAt,
});
