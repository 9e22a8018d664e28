/** The points of an order: what goes back with a refund, and what its items earn. The account is locked after all else. */
import type { Effect } from '../../domain/flows/run/state.ts';
import { earningOf, purchaseEarning } from '../../domain/points/purchase.ts';
import type { Tx } from '../kernel/tx.ts';
import { earnExpiry, grantPoints, restoreExpiry } from '../points/ledger.ts';
import { readPolicy } from '../points/policy.ts';
import type { Order, OrderItem } from './entities.ts';

/**
 * Returns what was restored, in a new lot: nothing to a buyer who has withdrawn; a guest's order has no points. `reference` identifies the
 * refund among those of the item.
 */
export async function restorePoints(tx: Tx, order: Order, item: OrderItem, amountWon: number, reference: string): Promise<number> {
  const { customerId, orderId, paymentId } = order;
  if (!customerId || amountWon === 0) return amountWon;
  const { orderItemId } = item;
  const expiresAt = await restoreExpiry(tx, paymentId, tx.at);
  await tx.em.flush();
  const restored = await grantPoints(tx, {
    customerId,
    type: 'REFUND_RESTORE',
    amountWon,
    expiresAt,
    orderId,
    orderItemId,
    paymentId,
    reference: `${orderItemId}/${reference}`,
  });
  return restored ? amountWon : 0;
}

/** Grants what the purchase of an item earns, where a step decides it or ends it as exchanged; test orders and guests earn nothing. */
export async function earnPoints(tx: Tx, order: Order, item: OrderItem, effects: readonly Effect[]): Promise<void> {
  const ended = effects.find((effect) => effect.type === 'status' && (effect.to === 'PURCHASE_DECIDED' || effect.to === 'EXCHANGED'));
  const { customerId, orderId, testPayment } = order;
  const amountWon = purchaseEarning(item);
  if (!ended || !customerId || testPayment || amountWon === 0) return;
  const policy = await readPolicy(tx);
  if (!earningOf(policy).enabled) return;
  const expiresAt = earnExpiry(policy, ended.at);
  await tx.em.flush();
  await grantPoints(tx, { customerId, type: 'EARN_PURCHASE', amountWon, expiresAt, orderId, orderItemId: item.orderItemId });
}
