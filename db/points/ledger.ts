/**
 * What moves a member's points. Each operation locks the member's account, the last lock of its transaction, and writes the EXPIRE entries
 * that are due before its own; of a customer who has withdrawn or never was it does nothing, and returns null.
 */
import { Fault } from '../../domain/kernel/errors.ts';
import { msOf } from '../../domain/kernel/time.ts';
import type { GrantType } from '../../domain/points/entries.ts';
import { endOfDayAfter, expiryOfRestored } from '../../domain/points/expiry.ts';
import { type Account, expireDue, grant, type Movement, release, revoke, spend, spendableWon } from '../../domain/points/ledger.ts';
import type { PointSettings } from '../../domain/points/policy.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { type EntrySubject, lockAccount, lockWith, NO_SUBJECT, type PointEntry, writeAccount } from './account.ts';

/** What an entry is about. */
type Subject = Partial<EntrySubject>;

export interface Granting extends Subject {
  readonly customerId: string;
  readonly type: GrantType;
  readonly amountWon: number;
  readonly expiresAt: Date;
  /** REFUND_RESTORE: what it gives back, so that it is given back once. */
  readonly reference?: string;
}

/** A new lot; null where the amount is 0, or was granted already: per order item, review, refund reference, and opening. */
export async function grantPoints(tx: Tx, { customerId, type, amountWon, expiresAt, ...about }: Granting): Promise<PointEntry | null> {
  if (amountWon === 0) return null;
  const reference = referenceOf(type, about);
  const locked = await lockWith(tx, customerId, async () => ({
    found: await isGranted(tx, type, customerId, about, reference),
    lotIds: [],
  }));
  if (!locked) return null;
  const { account, found: isRepeated } = locked;
  const lot = { lotId: newId('lot', tx.at), type, amountWon, expiresAt: expiresAt.getTime(), reference };
  return finish(tx, customerId, account, isRepeated ? account : grant(account, lot), about);
}

type About = Subject & { readonly reference?: string };
/** What of a type is granted once. */
function referenceOf(type: GrantType, { orderItemId, reviewId, reference }: About): string | null {
  if (type === 'EARN_PURCHASE') return orderItemId!;
  if (type === 'EARN_REVIEW') return reviewId!;
  return type === 'OPENING' ? 'opening' : (reference ?? null);
}

/** An item is rewarded once in its life, whatever becomes of its review. */
async function isGranted(
  { sql, storeId }: Tx,
  type: GrantType,
  customerId: string,
  { orderItemId = null }: About,
  reference: string | null,
) {
  if (reference === null) return false;
  const itemId = type === 'EARN_REVIEW' ? orderItemId : null;
  const rows = await sql`SELECT 1 AS ok FROM point_history WHERE store_id = ${storeId} AND customer_id = ${customerId} AND type = ${type}
      AND reference = ${reference}
    UNION ALL SELECT 1 FROM point_history WHERE store_id = ${storeId} AND type = 'EARN_REVIEW' AND order_item_id = ${itemId}`;
  return rows.length > 0;
}

export interface Deducting extends Subject {
  readonly customerId: string;
  readonly type: 'ADJUST';
  /** Positive. */
  readonly amountWon: number;
}
/** All or nothing: POINT_BALANCE_INSUFFICIENT. */
export async function deductPoints(tx: Tx, { customerId, type, amountWon, ...about }: Deducting): Promise<PointEntry | null> {
  const account = await lockAccount(tx, customerId);
  return account && finish(tx, customerId, account, spendOrRefuse(account, type, amountWon, null), about);
}

/** Claws the reward of a review back, once: less what of it has expired, at most the balance. Null where nothing is left. */
export async function revokeReviewPoints(
  tx: Tx,
  { customerId, reviewId }: { readonly customerId: string; readonly reviewId: string },
): Promise<PointEntry | null> {
  const locked = await lockWith(tx, customerId, async () => ({ found: await readReward(tx, customerId, reviewId), lotIds: [] }));
  if (!locked) return null;
  const { account, found: reward } = locked;
  const revoked = reward ? revoke(account, reward, reviewId) : account;
  return finish(tx, customerId, account, revoked, { reviewId, orderItemId: reward?.orderItemId ?? null });
}

/** The reward of a review that was not clawed back. */
async function readReward({ sql, storeId }: Tx, customerId: string, reviewId: string) {
  const [row] = await sql<{ lot_id: string; amount_won: string; expired_won: string; order_item_id: string | null }>`
    SELECT l.lot_id, l.amount_won, h.order_item_id, (SELECT coalesce(-sum(m.amount_won), 0) FROM point_movement m
      JOIN point_history e USING (store_id, history_id) WHERE m.store_id = l.store_id AND m.lot_id = l.lot_id AND e.type = 'EXPIRE')
      AS expired_won
    FROM point_history h JOIN point_lot l USING (store_id, history_id)
    WHERE h.store_id = ${storeId} AND h.customer_id = ${customerId} AND h.type = 'EARN_REVIEW' AND h.reference = ${reviewId}
      AND NOT EXISTS (SELECT 1 FROM point_history r WHERE r.store_id = h.store_id AND r.customer_id = h.customer_id
        AND r.type = 'REVOKE_REVIEW' AND r.reference = h.reference)`;
  if (!row) return null;
  const amounts = { amountWon: Number(row.amount_won), expiredWon: Number(row.expired_won) };
  return { lotId: row.lot_id, orderItemId: row.order_item_id, ...amounts };
}

/** What a payment holds of a member's points: its last reservation, until that is released. */
interface Reservation {
  /** `paymentId/n`, the same of the reservation and of its release. */
  readonly reference: string;
  readonly movements: readonly Movement[];
}
const reservedWon = (reservation: Reservation | null): number =>
  reservation?.movements.reduce((total, { amountWon }) => total - amountWon, 0) ?? 0;

/** The open reservation of a payment, and how many it had before. */
async function readReservation(
  { sql, storeId }: Tx,
  paymentId: string,
): Promise<{ readonly open: Reservation | null; readonly count: number }> {
  const rows = await sql<{ reference: string; is_open: boolean; lot_id: string; amount_won: string }>`
    SELECT h.reference, m.lot_id, m.amount_won, NOT EXISTS (SELECT 1 FROM point_history r WHERE r.store_id = h.store_id
      AND r.customer_id = h.customer_id AND r.type = 'USE_RELEASE' AND r.reference = h.reference) AS is_open
    FROM point_history h JOIN point_movement m USING (store_id, history_id)
    WHERE h.store_id = ${storeId} AND h.payment_id = ${paymentId} AND h.type = 'USE_RESERVE' ORDER BY h.seq, m.lot_id`;
  const count = new Set(rows.map(({ reference }) => reference)).size;
  const held = rows.filter(({ is_open: isOpen }) => isOpen);
  const movements = held.map((row) => ({ lotId: row.lot_id, amountWon: Number(row.amount_won) }));
  return { count, open: held[0] ? { reference: held[0].reference, movements } : null };
}

/** What a payment holds. */
export const reservedPoints = async (tx: Tx, paymentId: string): Promise<number> =>
  reservedWon((await readReservation(tx, paymentId)).open);

interface OfPayment {
  readonly customerId: string;
  readonly paymentId: string;
}
/**
 * Reserves what a payment uses, instead of what it has reserved before, which is released; the same amount again writes nothing (N27).
 * POINT_BALANCE_INSUFFICIENT.
 */
export async function reservePoints(
  tx: Tx,
  { customerId, paymentId, amountWon }: OfPayment & { readonly amountWon: number },
): Promise<PointEntry | null> {
  const held = await lockReserved(tx, { customerId, paymentId });
  if (!held || reservedWon(held.open) === amountWon) return null;
  const { account, open, count } = held;
  const free = open ? expireDue(release(account, open.movements, open.reference)) : account;
  return finish(tx, customerId, account, spendOrRefuse(free, 'USE_RESERVE', amountWon, `${paymentId}/${count + 1}`), { paymentId });
}

/** Puts back what a payment has reserved, into the same lots; null where it holds nothing. */
export async function releasePoints(tx: Tx, { customerId, paymentId }: OfPayment): Promise<PointEntry | null> {
  const held = await lockReserved(tx, { customerId, paymentId });
  if (!held?.open) return null;
  const { account, open } = held;
  return finish(tx, customerId, account, release(account, open.movements, open.reference), { paymentId });
}

/** The account, and the payment's reservations as they are under its lock. */
async function lockReserved(tx: Tx, { customerId, paymentId }: OfPayment) {
  const locked = await lockWith(tx, customerId, async () => {
    const found = await readReservation(tx, paymentId);
    return { found, lotIds: found.open?.movements.map(({ lotId }) => lotId) ?? [] };
  });
  return locked && { account: locked.account, ...locked.found };
}

/** When points that a refund gives back expire. */
export async function restoreExpiry({ sql, storeId }: Tx, paymentId: string, at: number): Promise<Date> {
  const [row] = await sql<{ latest: string | null }>`SELECT max(l.expires_at) AS latest FROM point_history h
    JOIN point_movement m USING (store_id, history_id) JOIN point_lot l USING (store_id, lot_id)
    WHERE h.store_id = ${storeId} AND h.payment_id = ${paymentId} AND h.type = 'USE_RESERVE'
      AND NOT EXISTS (SELECT 1 FROM point_history r WHERE r.store_id = h.store_id AND r.customer_id = h.customer_id
        AND r.type = 'USE_RELEASE' AND r.reference = h.reference)`;
  return new Date(expiryOfRestored(msOf(row?.latest), at));
}

/** When points that are earned at `at` expire; POINT_EXPIRY_REQUIRED where the store has named no expiry. */
export function earnExpiry({ expiryDays }: Pick<PointSettings, 'expiryDays'>, at: number): Date {
  if (expiryDays === null) throw new Fault('POINT_EXPIRY_REQUIRED');
  return new Date(endOfDayAfter(at, expiryDays));
}

/** Writes the EXPIRE entries of a member that are due. */
export async function expirePoints(tx: Tx, customerId: string): Promise<void> {
  const account = await lockAccount(tx, customerId);
  if (account) await writeAccount(tx, customerId, account, NO_SUBJECT);
}

/** What a member may spend now. */
export async function readBalance({ sql, storeId, at }: Tx, customerId: string): Promise<number> {
  const [row] = await sql<{ won: string }>`SELECT coalesce(sum(remaining_won), 0) AS won FROM point_lot WHERE store_id = ${storeId}
    AND customer_id = ${customerId} AND expires_at > ${new Date(at)}`;
  return Number(row!.won);
}

function spendOrRefuse(
  account: Account,
  type: 'ADJUST' | 'REVOKE_REVIEW' | 'USE_RESERVE',
  amountWon: number,
  reference: string | null,
): Account {
  const spent = spend(account, { type, amountWon, reference });
  if (!spent) throw new Fault('POINT_BALANCE_INSUFFICIENT', { details: { balance: spendableWon(account) } });
  return spent;
}

/** Writes what is due and what was done; returns the last entry of the latter. */
async function finish(tx: Tx, customerId: string, due: Account, done: Account, about: Subject): Promise<PointEntry | null> {
  const { memo = null, orderId = null, orderItemId = null, paymentId = null, reviewId = null } = about;
  const last = await writeAccount(tx, customerId, done, { memo, orderId, orderItemId, paymentId, reviewId });
  return done.written.length > due.written.length ? last : null;
}
