import { failpoint } from '../db/kernel/failpoint.ts';
import { providerMismatches, providerOutcomes, unresolved } from '../db/kernel/metrics.ts';
import { inTenant, REQUEST } from '../db/kernel/tx.ts';
import { transitionPurchase } from '../db/purchases.ts';
import { chargeOf } from '../db/payments/queries.ts';
import type { ProviderOutcome } from '../domain/payments/messages.ts';
import type { Call, Calls } from '../workflows/kernel/messages.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { retryOnOutage } from './kernel/completeCall.ts';
import { transitionActivity } from './kernel/transition.ts';
import { createToss, MISMATCH, type TossAnswer, type TossAttempt, type TossRefund } from './providers/toss.ts';

const provider = 'tosspayments';

// From zero, because Prometheus sees no increase in a series that begins with one: the first would ring no alert (ops/alerts.yml).
for (const operation of ['return', 'confirmPayment', 'readPayment', 'voidPayment', 'refundPayment', 'findRefund'] as const)
  for (const alarm of [providerMismatches, unresolved]) alarm.inc({ provider, operation }, 0);
providerOutcomes.inc({ provider, operation: 'refundPayment', outcome: 'REFUSED' }, 0);

export const paymentTransitions = (deps: ActivityDeps) =>
  transitionActivity(deps, {
    workflowType: 'payment',
    transition: async (em, run, event, at) => {
      const result = await transitionPurchase(em, run, event, { at, realNow: deps.clock.now() });
      for (const { kind, operation, id } of result?.alarms ?? []) {
        (kind === 'mismatch' ? providerMismatches : unresolved).inc({ provider, operation });
        deps.log.error({ storeId: run.storeId, paymentId: run.entityId, operation, id }, ALARMS[kind]);
      }
      return result;
    },
  });
const ALARMS = {
  mismatch: 'a payment at the provider is not ours: nothing was asked of it',
  unresolved: 'an outcome at the payment provider could not be learnt in a day of look-ups',
} as const;

/**
 * Calls to payment providers. Every one carries a key of ours; what is asked for comes from the attempt's row, and a provider's own words
 * stay out of Temporal. A payment that was started with the other kind of key is never asked for (X26): UNSENT.
 */
export function paymentCalls({ orm, config, log }: ActivityDeps): Calls<'payment'> {
  const toss = createToss(config.toss);
  const outcomeOf = (call: Call<'payment'>, answer: TossAnswer): ProviderOutcome => {
    failpoint('provider.after-answer');
    const { result, code, ended, approvedMethod } = answer;
    providerOutcomes.inc({ provider, operation: call.name, outcome: result });
    const ids = { storeId: call.storeId, call: call.id };
    if (result === 'REFUSED') log.error({ ...ids, code }, 'the payment provider refused a refund');
    if (code === MISMATCH) {
      providerMismatches.inc({ provider, operation: call.name });
      log.error({ ...ids, result }, 'the payment provider answered about a payment that is not ours');
    }
    log.info({ ...ids, result, code }, 'payment provider answered');
    return { result, code, ended, approvedMethod };
  };
  const ask = (call: Call<'payment'>, how: (attempt: TossAttempt) => Promise<TossAnswer>): Promise<ProviderOutcome> =>
    withHeartbeat(async () => {
      const { storeId, input } = call;
      const charge = await retryOnOutage(() => inTenant(orm, storeId, REQUEST, (em) => chargeOf(em, storeId, input.attemptId)));
      if (charge && charge.testPayment === config.toss.testPayment) return outcomeOf(call, await how(charge));
      log.error({ storeId, call: call.id, isKnown: charge !== null }, 'a payment was not asked for: our key is for the other kind');
      providerOutcomes.inc({ provider, operation: call.name, outcome: 'UNSENT' });
      return { result: 'UNSENT', code: 'PAYMENT_NOT_CONFIGURED', ended: false, approvedMethod: null };
    });
  const refundOf = ({ input }: Call<'payment', 'refundPayment' | 'findRefund'>): TossRefund => ({
    refundId: input.refundId,
    amount: input.refundAmount,
    key: input.key,
  });
  return {
    confirmPayment: (call) => ask(call, (attempt) => toss.confirm(attempt)),
    readPayment: (call) => ask(call, (attempt) => toss.read(attempt)),
    refundPayment: (call) => ask(call, (attempt) => toss.refund(attempt, refundOf(call))),
    findRefund: (call) => ask(call, (attempt) => toss.findRefund(attempt, refundOf(call))),
    voidPayment: (call) => ask(call, (attempt) => toss.void(attempt, call.id)),
  };
}
