/** Reads of payments and their attempts. */
import { Fault } from '../../domain/kernel/errors.ts';
import { type RunIds, runOf } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Payment, type PaymentAttempt, PaymentAttemptEntity, PaymentEntity } from './entities.ts';

export interface Started {
  readonly payment: Payment;
  readonly attempt: PaymentAttempt;
}

/** A payment that was started; without an attempt points have paid for it. */
export interface Begun {
  readonly payment: Payment;
  readonly attempt: PaymentAttempt | null;
}

/** The run of a payment. */
export const paymentRun = ({ storeId, paymentId, orderNo }: Payment): RunIds<'payment'> => runOf('payment', storeId, paymentId, orderNo);

/** A payment and one of its attempts, as the pay screen needs them. */
export async function readAttempt({ em, storeId }: Tx, paymentId: string, attemptId: string): Promise<Started | null> {
  const payment = await em.findOne(PaymentEntity, { storeId, paymentId });
  const attempt = payment && (await em.findOne(PaymentAttemptEntity, { storeId, paymentId, attemptId }));
  return attempt ? { payment, attempt } : null;
}

/** The attempts of a payment, in their order. */
export const readAttempts = ({ em, storeId }: Tx, paymentId: string): Promise<PaymentAttempt[]> =>
  em.find(PaymentAttemptEntity, { storeId, paymentId }, { orderBy: { seq: 'asc' } });

export async function readPayment({ em, storeId }: Tx, paymentId: string): Promise<Payment> {
  const payment = await em.findOne(PaymentEntity, { storeId, paymentId });
  if (!payment) throw new Fault('PAYMENT_NOT_FOUND');
  return payment;
}
