import { failpoint } from '../db/kernel/failpoint.ts';
import { providerOutcomes } from '../db/kernel/metrics.ts';
import { movePayment } from '../db/payments/move.ts';
import type { Call, Outcome } from '../workflows/kernel/obligations.ts';
import type { PaymentCalls } from '../workflows/payments/contract.ts';
import { alive } from './kernel/alive.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { transitionActivity } from './kernel/transition.ts';
import { createToss, type TossAnswer, type TossAttempt, type TossRefund } from './providers/toss.ts';

export const paymentActivities = (deps: ActivityDeps) => ({
  movePayment: transitionActivity(deps, {
    kind: 'payment',
    move: (em, run, event, at) => movePayment(em, run, event, at, deps.clock.now()),
  }),
});

/** Calls to payment providers. Every one carries a key of ours; a provider's own words stay out of Temporal. */
export function paymentCalls({ config, log }: ActivityDeps): PaymentCalls {
  const toss = createToss(config.toss);
  const told = (call: Call, answer: TossAnswer): Outcome => {
    failpoint('provider.after-answer');
    const { kind, code, ended, approvedMethod } = answer;
    providerOutcomes.inc({ provider: 'tosspayments', operation: call.kind, outcome: kind });
    if (kind === 'REFUSED') log.error({ storeId: call.storeId, call: call.id, code }, 'the payment provider refused a refund');
    log.info({ storeId: call.storeId, call: call.id, kind, code }, 'payment provider answered');
    return { kind, code, ended, approvedMethod };
  };
  const attemptOf = (call: Call): TossAttempt => ({
    attemptId: String(call.input['attemptId']),
    pgOrderId: String(call.input['pgOrderId']),
    paymentKey: String(call.input['paymentKey']),
    amount: Number(call.input['amount']),
  });
  const refundOf = (call: Call): TossRefund => ({
    refundId: String(call.input['refundId']),
    amount: Number(call.input['refundAmount']),
    key: String(call.input['key']),
  });
  return {
    confirmPayment: (call) => alive(async () => told(call, await toss.confirm(attemptOf(call)))),
    readPayment: (call) => alive(async () => told(call, await toss.read(attemptOf(call)))),
    refundPayment: (call) => alive(async () => told(call, await toss.refund(attemptOf(call), refundOf(call)))),
    findRefund: (call) => alive(async () => told(call, await toss.findRefund(attemptOf(call), refundOf(call)))),
    voidPayment: (call) => alive(async () => told(call, await toss.void(attemptOf(call), call.id))),
  };
}
