/** The plan of a payment's run: its call, now or later, or its expiry. */
import type { PlanOf } from '../kernel/messages.ts';
import { korean } from '../kernel/time.ts';
import { isEnded } from './machine.ts';
import type { PaymentCall, PaymentState } from './state.ts';

/** While the buyer may pay, the expiry waits for no call about another attempt. */
export function wakeAtOf({ call, status, expiresAt }: PaymentState): number | null {
  if (status !== 'pending') return call?.dueAt ?? null;
  return call ? Math.min(call.dueAt, expiresAt) : expiresAt;
}

/** `attempt` and `refund` of the state have to be those of its call. */
export function planOf(state: PaymentState, at: number): PlanOf<PaymentCall> {
  const { call, result } = state;
  return {
    wakeAt: wakeAtOf(state),
    calls: call && call.dueAt <= at ? [callOf(state)] : [],
    done: !call && isEnded(state),
    note: noteOf(state),
    status: result,
  };
}

/** The call with its input. The idempotency key of a refund is its id, with a suffix from the second key on. */
function callOf({ storeId, call, attempt, refund }: PaymentState): PaymentCall {
  const { id, name, n } = call!;
  const { attemptId, pgOrderId, amountWon } = attempt!;
  const input = { attemptId, pgOrderId, amount: amountWon };
  // What may have been sent before gets its full time: a provider that was slow once is not cut short again.
  if (name === 'confirmPayment') return { id, name, storeId, input, ...(n === 0 && !attempt!.isUnknown && { isBrief: true }) };
  if (name !== 'refundPayment' && name !== 'findRefund') return { id, name, storeId, input };
  const { refundId, amountWon: refundAmount, keySeq } = refund!;
  return { id, name, storeId, input: { ...input, refundId, refundAmount, key: keySeq === 1 ? refundId : `${refundId}-${keySeq}` } };
}

function noteOf({ status, result, call, expiresAt }: PaymentState): string {
  if (call) return `${status}: ${call.name} of attempt ${call.attemptId} at ${korean(call.dueAt)}.`;
  return status === 'pending' ? `${status} (${result}): waits for the buyer until ${korean(expiresAt)}.` : `Finished: ${result}.`;
}
