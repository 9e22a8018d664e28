/** What a payment's transition works with, and what its run is told: the call that is owed, and in words what it waits for. */
import type { Call } from '../../workflows/kernel/messages.ts';
import { korean } from '../../domain/kernel/time.ts';
import type { PendingCall } from '../../domain/payments/rules.ts';
import type { Em } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { type Payment, type PaymentAttempt, RefundEntity } from './entities.ts';

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

/** A call's id names what it is for and how often: the same call keeps its id through reset and restart. */
export const planCall = (kind: PendingCall['name'], attempt: PaymentAttempt, dueAt: number, n: number): PendingCall => ({
  id: `${kind}-${attempt.attemptId}-${n}`,
  name: kind,
  attemptId: attempt.attemptId,
  dueAt,
});
export const ordinal = (call: PendingCall) => Number(call.id.slice(call.id.lastIndexOf('-') + 1)) + 1;

/** What the provider must be told; `key` is the refund's id, with a number from the second on. */
async function refundInput(em: Em, storeId: string, refundId: string): Promise<Record<string, string | number>> {
  const refund = await em.findOneOrFail(RefundEntity, { storeId, refundId });
  return { refundId, refundAmount: refund.amountWon, key: refund.keySeq === 1 ? refundId : `${refundId}-${refund.keySeq}` };
}

/** What a refund's call must say besides the attempt. */
export const refundOf = async ({ em, payment }: TransitionContext): Promise<Call['input']> =>
  payment.call?.refundId === undefined ? {} : refundInput(em, payment.storeId, payment.call.refundId);

export const isEnded = ({ status }: Payment): boolean => status === 'completed' || status === 'failed' || status === 'expired';

export function planOf(payment: Payment, attempt: PaymentAttempt | null, refund: Call['input'], at: number): TransitionResult['plan'] {
  const { call } = payment;
  const wakeAt = payment.wakeAt?.getTime() ?? null;
  const done = !call && isEnded(payment);
  const calls = call && attempt && call.dueAt <= at ? [callFor(payment, attempt, call, refund)] : [];
  return { wakeAt, calls, done, note: noteOf(payment), status: payment.result };
}

const callFor = (payment: Payment, attempt: PaymentAttempt, { id, name: kind }: PendingCall, refund: Call['input']): Call => ({
  id,
  name: kind,
  storeId: payment.storeId,
  input: {
    attemptId: attempt.attemptId,
    pgOrderId: attempt.pgOrderId,
    amount: attempt.amountWon,
    ...refund,
  },
});

function noteOf({ status, result, call, expiresAt }: Payment): string {
  if (call) return `${status}: ${call.name} of attempt ${call.attemptId} at ${korean(call.dueAt)}.`;
  return status === 'pending' ? `${status} (${result}): waits for the buyer until ${korean(expiresAt.getTime())}.` : `Finished: ${result}.`;
}
