/** Applies the effects of the payment machine. An effect whose result the machine needs returns the next event. */
import type { PaymentEffect, PaymentEvent } from '../../domain/payments/state.ts';
import { returnStock, takeStock } from '../products/stock.ts';
import { countFailure } from '../paymentSettings/circuits.ts';
import { rejectSet } from '../paymentSettings/credentials.ts';
import { recordPurchase } from '../visits/record.ts';
import { endOpenAttempts } from './attempts.ts';
import { releaseHeld } from './points.ts';
import type { TransitionContext } from './rows.ts';

export async function applyEffect(context: TransitionContext, effect: PaymentEffect): Promise<PaymentEvent | null> {
  const { tx, payment } = context;
  const { at } = tx;
  const { paymentId, lines } = payment;
  switch (effect.type) {
    case 'reserveKey':
      return reserveKey(context, effect.paymentKey);
    case 'takeStock':
      return (await takeStock(tx, lines, context.attempt!.attemptId)) ? { type: 'stockTaken' } : { type: 'outOfStock' };
    case 'returnStock':
      await returnStock(tx, lines, { reason: 'SALE_UNDONE', reference: context.attempt!.attemptId, at });
      return null;
    case 'createOrder':
      await complete(context);
      return null;
    case 'expireAttempts':
      await endOpenAttempts(tx, paymentId, 'EXPIRED');
      expireOwn(context);
      return null;
    case 'releasePoints':
      await releaseHeld(tx, payment);
      return null;
    case 'rejectCredentials':
      if (context.attempt!.credentialId) await rejectSet(tx, context.attempt!.credentialId);
      return null;
    case 'countTechnicalFailure':
      await countFailure(tx, { provider: context.attempt!.pg, environment: context.attempt!.environment });
      return null;
    case 'alarm':
      context.alarms.push({ ...effect, provider: context.attempt!.pg });
      return null;
    default:
      return effect satisfies never;
  }
}

/** The rest of the transition sees it, too. */
function expireOwn({ tx, attempt }: TransitionContext): void {
  if (attempt?.status !== 'OPEN') return;
  const isUnknown = attempt.isUnknown || attempt.pg === 'portone';
  Object.assign(attempt, { status: 'EXPIRED', endedAt: new Date(tx.at), isUnknown, paymentToken: null });
}

/** Locks the key for this transaction. Another attempt of any store, with which it was paid or is being confirmed, keeps it (X17). */
async function reserveKey({ tx, attempt }: TransitionContext, paymentKey: string): Promise<PaymentEvent> {
  const { pg, attemptId } = attempt!;
  const [row] = await tx.sql<{ holder: string | null }>`SELECT payment_key_holder(${pg}, ${paymentKey}, ${attemptId}) AS holder`;
  if (row!.holder === null) return { type: 'keyReserved', paymentKey };
  return { type: row!.holder === 'APPROVED' ? 'keyTaken' : 'keyInUse' };
}

/** Creates the order of a payment that is completed: what was bought leaves the cart. */
export async function complete({
  tx,
  payment,
  attempt,
  createOrder,
}: Pick<TransitionContext, 'tx' | 'payment' | 'attempt' | 'createOrder'>) {
  const { storeId, checkoutId } = payment;
  payment.orderId = await createOrder(tx, payment, attempt);
  await recordPurchase(tx, payment);
  const [checkout] = await tx.sql<{ cart_item_ids: string[] }>`
    UPDATE checkout SET status = 'COMPLETED' WHERE store_id = ${storeId} AND checkout_id = ${checkoutId} RETURNING cart_item_ids`;
  const bought = checkout?.cart_item_ids ?? [];
  if (bought.length > 0) await tx.sql`DELETE FROM cart_item WHERE store_id = ${storeId} AND cart_item_id = ANY(${bought}::text[])`;
}
