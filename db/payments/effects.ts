/** Applies the effects of the payment machine. An effect whose result the machine needs returns the next event. */
import type { PaymentEffect, PaymentEvent } from '../../domain/payments/state.ts';
import { CheckoutEntity } from '../checkout/entities.ts';
import { sql } from '../kernel/tx.ts';
import { returnStock, takeStock } from '../products/stock.ts';
import { PaymentAttemptEntity } from './entities.ts';
import type { TransitionContext } from './rows.ts';

export async function applyEffect(context: TransitionContext, effect: PaymentEffect): Promise<PaymentEvent | null> {
  const { em, payment, at, realNow } = context;
  const { storeId, paymentId, lines } = payment;
  switch (effect.type) {
    case 'reserveKey':
      return (await isTaken(context, effect.paymentKey)) ? { type: 'keyTaken' } : { type: 'keyReserved', paymentKey: effect.paymentKey };
    case 'takeStock':
      return (await takeStock(em, storeId, lines, context.attempt!.attemptId, { at, realNow }))
        ? { type: 'stockTaken' }
        : { type: 'outOfStock' };
    case 'returnStock':
      await returnStock(em, storeId, lines, { reason: 'SALE_UNDONE', reference: context.attempt!.attemptId, at });
      return null;
    case 'createOrder':
      await complete(context);
      return null;
    case 'expireAttempts':
      await em.nativeUpdate(PaymentAttemptEntity, { storeId, paymentId, status: 'OPEN' }, { status: 'EXPIRED', endedAt: new Date(at) });
      return null;
    case 'alarm':
      context.alarms.push(effect);
      return null;
    default:
      return effect satisfies never;
  }
}

/** Whether another attempt of any store has this payment key; locked for this transaction. */
async function isTaken({ em, attempt }: TransitionContext, paymentKey: string): Promise<boolean> {
  const { pg, attemptId } = attempt!;
  const [row] = await sql<{ taken: boolean }>(em, 'SELECT payment_key_taken(?, ?, ?) AS taken', [pg, paymentKey, attemptId]);
  return row!.taken;
}

async function complete({ em, payment, attempt, at, realNow, createOrder }: TransitionContext): Promise<void> {
  const { storeId, checkoutId } = payment;
  payment.orderId = await createOrder(em, payment, attempt!, at, realNow);
  await em.nativeUpdate(CheckoutEntity, { storeId, checkoutId }, { status: 'COMPLETED' });
  // Bought lines leave the cart (D39).
  await sql(
    em,
    `DELETE FROM cart_item i USING checkout c WHERE c.store_id = ? AND c.checkout_id = ? AND i.store_id = c.store_id
     AND i.cart_item_id = ANY(c.cart_item_ids)`,
    [storeId, checkoutId],
  );
}
