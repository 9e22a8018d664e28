/** What a payment's transition works with, and what its run is told: the call that is owed, and in words what it waits for. */
import type { Call } from '../../workflows/kernel/messages.ts';
import { korean } from '../../domain/kernel/time.ts';
import type { PendingCall } from '../../domain/payments/rules.ts';
import type { Em } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { type Payment, type PaymentAttempt, PaymentAttemptEntity, RefundEntity } from './entities.ts';

/** What an operator must hear of, once the transition is made. */
export interface Alarm {
  readonly kind: 'mismatch' | 'unresolved';
  readonly operation: string;
  /** Of the attempt or the refund. */
  readonly id: string;
}
export interface TransitionContext {
  readonly em: Em;
  readonly payment: Payment;
  readonly at: number;
  readonly realNow: number;
  readonly alarms: Alarm[];
}

/** A call's id names what it is for and how often: the same call keeps its id through reset and restart, and no two have the same. */
export const planCall = (name: PendingCall['name'], attempt: PaymentAttempt, dueAt: number, n: number): PendingCall => ({
  id: `${name}-${attempt.attemptId}-${attempt.callCount++}`,
  name,
  n,
  attemptId: attempt.attemptId,
  dueAt,
});

export const isEnded = ({ status }: Payment): boolean => status === 'completed' || status === 'failed' || status === 'expired';

export async function planOf({ em, payment, at }: TransitionContext): Promise<TransitionResult<'payment'>['plan']> {
  const { call } = payment;
  const wakeAt = payment.wakeAt?.getTime() ?? null;
  const calls = call && call.dueAt <= at ? [await callFor(em, payment, call)] : [];
  return { wakeAt, calls, done: !call && isEnded(payment), note: noteOf(payment), status: payment.result };
}

/** What the provider must be told. A refund's key is its id, with a number from the second on. */
async function callFor(em: Em, { storeId }: Payment, { id, name, attemptId, refundId }: PendingCall): Promise<Call<'payment'>> {
  const { pgOrderId, amountWon } = await em.findOneOrFail(PaymentAttemptEntity, { storeId, attemptId });
  const input = { attemptId, pgOrderId, amount: amountWon };
  if (name !== 'refundPayment' && name !== 'findRefund') return { id, name, storeId, input };
  const refund = await em.findOneOrFail(RefundEntity, { storeId, refundId: refundId! });
  const key = refund.keySeq === 1 ? refund.refundId : `${refund.refundId}-${refund.keySeq}`;
  return { id, name, storeId, input: { ...input, refundId: refund.refundId, refundAmount: refund.amountWon, key } };
}

function noteOf({ status, result, call, expiresAt }: Payment): string {
  if (call) return `${status}: ${call.name} of attempt ${call.attemptId} at ${korean(call.dueAt)}.`;
  return status === 'pending' ? `${status} (${result}): waits for the buyer until ${korean(expiresAt.getTime())}.` : `Finished: ${result}.`;
}
