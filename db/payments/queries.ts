/** Payment start, new attempts, and the public status (docs/contract.md#payments, D30, D36 … D40). */
import { Fault } from '../../domain/kernel/errors.ts';
import { paymentWorkflowId } from '../../workflows/kernel/messages.ts';
import type { Em } from '../kernel/tx.ts';
import { type Payment, type PaymentAttempt, PaymentAttemptEntity, PaymentEntity } from './entities.ts';

export interface Started {
  readonly payment: Payment;
  readonly attempt: PaymentAttempt;
}

/** What names a payment's run. */
export const runOf = ({ storeId, paymentId, orderNo: number }: Payment) =>
  ({ storeId, workflowType: 'payment', workflowId: paymentWorkflowId(storeId, paymentId), entityId: paymentId, orderNo: number }) as const;

/** A payment and one of its attempts, as the pay screen needs them. */
export async function readAttempt(em: Em, storeId: string, paymentId: string, attemptId: string): Promise<Started | null> {
  const payment = await em.findOne(PaymentEntity, { storeId, paymentId });
  const attempt = payment && (await em.findOne(PaymentAttemptEntity, { storeId, paymentId, attemptId }));
  return attempt ? { payment, attempt } : null;
}

/** The attempts of a payment, in their order. */
export const readAttempts = (em: Em, storeId: string, paymentId: string): Promise<PaymentAttempt[]> =>
  em.find(PaymentAttemptEntity, { storeId, paymentId }, { orderBy: { seq: 'asc' } });

export async function readPayment(em: Em, storeId: string, paymentId: string): Promise<Payment> {
  const payment = await em.findOne(PaymentEntity, { storeId, paymentId });
  if (!payment) throw new Fault('PAYMENT_NOT_FOUND');
  return payment;
}

/** What a provider is asked about an attempt, and with which kind of key; null when the attempt is gone. */
export async function chargeOf(
  em: Em,
  storeId: string,
  attemptId: string,
): Promise<{ attemptId: string; pgOrderId: string; paymentKey: string; amount: number; testPayment: boolean } | null> {
  const attempt = await em.findOne(PaymentAttemptEntity, { storeId, attemptId });
  if (!attempt?.paymentKey) return null;
  const { testPayment } = await readPayment(em, storeId, attempt.paymentId);
  return { attemptId, pgOrderId: attempt.pgOrderId, paymentKey: attempt.paymentKey, amount: attempt.amountWon, testPayment };
}
