/** A customer leaves the store, by the seller or by themself: in one transaction, or not at all. */
import { type InProgress, isBlocked } from '../../domain/customers/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { deletePersonalData } from '../personalData/commands.ts';

/**
 * Withdraws a customer whose row is locked FOR UPDATE, so that nothing new of theirs can begin; what has begun is counted in one snapshot.
 * WITHDRAWAL_BLOCKED. `reason`: the seller's, for the audit log.
 */
export async function withdrawCustomer(tx: Tx, customerId: string, reason: string | null): Promise<void> {
  const { sql, storeId, at } = tx;
  const details = await inProgress(tx, customerId);
  if (isBlocked(details)) throw new Fault('WITHDRAWAL_BLOCKED', { details: { ...details } });
  await deletePersonalData(tx, customerId);
  await sql`INSERT INTO customer_withdrawal (store_id, customer_id, withdrawn_at, reason)
    VALUES (${storeId}, ${customerId}, ${new Date(at)}, ${reason})`;
}

/** Items that are not decided, open claims, and payments that may still become an order. */
async function inProgress({ sql, storeId }: Tx, customerId: string): Promise<InProgress> {
  const [row] = await sql<{ order_items: number; claims: number; payments: number }>`
    SELECT (SELECT count(*)::int FROM orders o JOIN order_item i USING (store_id, order_id) WHERE store_id = ${storeId}
        AND o.customer_id = ${customerId} AND i.status IN ('PAID', 'CONFIRMED', 'DISPATCHED', 'DELIVERED')) AS order_items,
      (SELECT count(*)::int FROM claim WHERE store_id = ${storeId} AND customer_id = ${customerId} AND closed_at IS NULL) AS claims,
      (SELECT count(*)::int FROM payment WHERE store_id = ${storeId} AND status IN ('pending', 'processing')
        AND buyer ->> 'customerId' = ${customerId}) AS payments`;
  return { orderItems: row!.order_items, claims: row!.claims, payments: row!.payments };
}
