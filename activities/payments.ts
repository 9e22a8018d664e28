import { failpoint } from '../db/kernel/failpoint.ts';
import { providerMismatches, providerOutcomes, unresolved } from '../db/kernel/metrics.ts';
import { inTenant, REQUEST } from '../db/kernel/tx.ts';
import { transitionPayment } from '../db/payments/transition.ts';
import { chargeOf } from '../db/payments/queries.ts';
import type { Call, Outcome } from '../workflows/kernel/messages.ts';
import type { PaymentCalls } from '../workflows/payments/contract.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { retryOnOutage } from './kernel/completeCall.ts';
import { transitionActivity } from './kernel/transition.ts';
import { createToss, MISMATCH, type TossAnswer, type TossAttempt, type TossRefund } from './providers/toss.ts';

const provider = 'tosspayments';

// From zero, because Prometheus sees no increase in a series that begins with one: the first would ring no alert (ops/alerts.yml).
for (const operation of ['return', 'confirm', 'read', 'void', 'refund', 'findRefund'] as const)
  for (const alarm of [providerMismatches, unresolved]) alarm.inc({ provider, operation }, 0);
providerOutcomes.inc({ provider, operation: 'refund', outcome: 'REFUSED' }, 0);

export const paymentActivities = (deps: ActivityDeps) => ({
  movePayment: transitionActivity(deps, {
    workflowType: 'payment',
    transition: async (em, run, event, at) => {
      const moved = await transitionPayment(em, run, event, at, deps.clock.now());
      for (const { kind, operation, id } of moved?.alarms ?? []) {
        (kind === 'mismatch' ? providerMismatches : unresolved).inc({ provider, operation });
        deps.log.error({ storeId: run.storeId, paymentId: run.entityId, operation, id }, ALARMS[kind]);
      }
      return moved;
    },
  }),
});
const ALARMS = {
  mismatch: 'a payment at the provider is not ours: nothing was asked of it',
  unresolved: 'an outcome at the payment provider could not be learnt in a day of look-ups',
} as const;

/**
 * Calls to payment providers. Every one carries a key of ours; what is asked for comes from the attempt's row, and a provider's own words
 * stay out of Temporal. A payment that was started with the other kind of key is never asked for (X26): UNSENT.
 */
export function paymentCalls({ orm, config, log }: ActivityDeps): PaymentCalls {
  const toss = createToss(config.toss);
  const told = (call: Call, answer: TossAnswer): Outcome => {
    failpoint('provider.after-answer');
    const { result: kind, code, ended, approvedMethod } = answer;
    providerOutcomes.inc({ provider, operation: call.name, outcome: kind });
    const ids = { storeId: call.storeId, call: call.id };
    if (kind === 'REFUSED') log.error({ ...ids, code }, 'the payment provider refused a refund');
    if (code === MISMATCH) {
      providerMismatches.inc({ provider, operation: call.name });
      log.error({ ...ids, kind }, 'the payment provider answered about a payment that is not ours');
    }
    log.info({ ...ids, kind, code }, 'payment provider answered');
    return { result: kind, code, ended, approvedMethod };
  };
  const ask = (call: Call, how: (attempt: TossAttempt) => Promise<TossAnswer>): Promise<Outcome> =>
    withHeartbeat(async () => {
      const { storeId, input } = call;
      const charge = await retryOnOutage(() => inTenant(orm, storeId, REQUEST, (em) => chargeOf(em, storeId, String(input['attemptId']))));
      if (charge && charge.testPayment === config.toss.testPayment) return told(call, await how(charge));
      log.error({ storeId, call: call.id, isKnown: charge !== null }, 'a payment was not asked for: our key is for the other kind');
      providerOutcomes.inc({ provider, operation: call.name, outcome: 'UNSENT' });
      return { result: 'UNSENT', code: 'PAYMENT_NOT_CONFIGURED', ended: false, approvedMethod: null };
    });
  const refundOf = (call: Call): TossRefund => ({
    refundId: String(call.input['refundId']),
    amount: Number(call.input['refundAmount']),
    key: String(call.input['key']),
  });
  return {
    confirmPayment: (call) => ask(call, (attempt) => toss.confirm(attempt)),
    readPayment: (call) => ask(call, (attempt) => toss.read(attempt)),
    refundPayment: (call) => ask(call, (attempt) => toss.refund(attempt, refundOf(call))),
    findRefund: (call) => ask(call, (attempt) => toss.findRefund(attempt, refundOf(call))),
    voidPayment: (call) => ask(call, (attempt) => toss.void(attempt, call.id)),
  };
}
