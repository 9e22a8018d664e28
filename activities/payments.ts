import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { failpoint } from '../db/kernel/failpoint.ts';
import { providerMismatches, providerOutcomes, unresolved } from '../db/kernel/metrics.ts';
import { inTenant, realTime, REQUEST } from '../db/kernel/tx.ts';
import { transitionPurchase } from '../db/purchases.ts';
import { storeProviderMessage } from '../db/payments/commands.ts';
import { type Charge, chargeOf } from '../db/payments/queries.ts';
import type { ProviderOutcome } from '../domain/payments/messages.ts';
import type { BriefCalls, Call, Calls } from '../workflows/kernel/messages.ts';
import { BRIEF_AGE_MS, BRIEF_REQUEST_MS } from './kernel/brief.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { retryOnOutage } from './kernel/completeCall.ts';
import type { RunActivities } from './kernel/transition.ts';
import { createToss, MISMATCH, TIMEOUT, type TossAnswer, type TossRefund } from './providers/toss.ts';

const provider = 'tosspayments';
const STORE_MESSAGE_MS = 2000;
/** They replace the message of an earlier answer even when they come without one. */
const REFUSALS: ReadonlySet<string> = new Set(['DECLINED', 'REFUSED']);

// Initialized with 0: Prometheus sees no increase in a series that starts at 1, and the first alarm would raise no alert (ops/alerts.yml).
for (const operation of ['return', 'confirmPayment', 'readPayment', 'voidPayment', 'refundPayment', 'findRefund'] as const)
  for (const alarm of [providerMismatches, unresolved]) alarm.inc({ provider, operation }, 0);
providerOutcomes.inc({ provider, operation: 'refundPayment', outcome: 'REFUSED' }, 0);

export const payment: RunActivities<'payment'> = {
  transition: (deps) => ({
    workflowType: 'payment',
    transition: async (tx, run, event) => {
      const result = await transitionPurchase(tx, run, event);
      for (const { kind, operation, id } of result?.alarms ?? []) {
        (kind === 'mismatch' ? providerMismatches : unresolved).inc({ provider, operation });
        deps.log.error({ storeId: run.storeId, paymentId: run.entityId, operation, id }, ALARMS[kind]);
      }
      return result;
    },
  }),
  calls: paymentCalls,
  brief: briefPaymentCalls,
};
const ALARMS = {
  mismatch: 'a payment at the provider is not ours: nothing was asked of it',
  unresolved: 'an outcome at the payment provider could not be learnt in a day of look-ups',
} as const;

/** Calls to payment providers, each with an idempotency key. */
function paymentCalls(deps: ActivityDeps): Calls<'payment'> {
  const { toss, callProvider } = createProvider(deps);
  const alive: typeof callProvider = (call, how) => withHeartbeat(() => callProvider(call, how));
  const refundOf = ({ input }: Call<'payment', 'refundPayment' | 'findRefund'>): TossRefund => ({
    refundId: input.refundId,
    amount: input.refundAmount,
    key: input.key,
  });
  return {
    confirmPayment: (call) => alive(call, (attempt) => toss.confirm(attempt)),
    readPayment: (call) => alive(call, (attempt) => toss.read(attempt)),
    refundPayment: (call) => alive(call, (attempt) => toss.refund(attempt, refundOf(call))),
    findRefund: (call) => alive(call, (attempt) => toss.findRefund(attempt, refundOf(call))),
    voidPayment: (call) => alive(call, (attempt) => toss.void(attempt, call.id)),
  };
}

/**
 * The first confirm of an attempt. Its time counts from here, so that a slow Postgres lets no request be sent late. A provider that needs
 * longer is slow, not out of reach: the reading that follows tells which (ops/alerts.yml).
 */
function briefPaymentCalls(deps: ActivityDeps): BriefCalls<'payment'> {
  const { toss, callProvider } = createProvider(deps, 'SLOW');
  return {
    confirmPayment: (call) => {
      const limit = AbortSignal.timeout(BRIEF_REQUEST_MS);
      return callProvider(call, (attempt) => {
        checkFirst(attempt, deps.clock.now());
        return toss.confirm(attempt, limit);
      });
    },
  };
}

/**
 * A brief confirm that comes long after its plan may be the second one, made again with a workflow task whose worker died after it had
 * recorded the transition: it fails, and its outcome is read.
 */
function checkFirst({ confirmedAt, clock }: Charge, now: number): void {
  if (confirmedAt !== null && now + clock - confirmedAt < BRIEF_AGE_MS) return;
  throw ApplicationFailure.create({ type: 'LATE', message: 'planned too long ago to be the first', nonRetryable: true });
}

/**
 * Asks a payment provider. The payment key is read from the attempt's row, and the provider's messages are stored in Postgres, never in
 * Temporal (D45). No request is sent for a payment that was started with the other kind of API key, test or live (X26): UNSENT.
 * `timedOut`: how a request without an answer in time is counted.
 */
function createProvider({ orm, config, clock, log }: ActivityDeps, timedOut: 'UNKNOWN' | 'SLOW' = 'UNKNOWN') {
  const toss = createToss(config.toss);
  const outcomeOf = (call: Call<'payment'>, answer: TossAnswer): ProviderOutcome => {
    failpoint('provider.after-answer', call.input.attemptId);
    const { result, code, ended, approvedMethod } = answer;
    providerOutcomes.inc({ provider, operation: call.name, outcome: code === TIMEOUT ? timedOut : result });
    const ids = { storeId: call.storeId, call: call.id };
    if (result === 'REFUSED') log.error({ ...ids, code }, 'the payment provider refused a refund');
    if (code === MISMATCH) {
      providerMismatches.inc({ provider, operation: call.name });
      log.error({ ...ids, result }, 'the payment provider answered about a payment that is not ours');
    }
    log.info({ ...ids, result, code }, 'payment provider answered');
    return { result, code, ended, approvedMethod };
  };
  /** One attempt of two seconds: the outcome matters more than its text. A failure is logged without the text. */
  const storeMessage = async ({ id, storeId, input }: Call<'payment'>, message: string | null): Promise<void> => {
    const deadline = new AbortController();
    const late = sleep(STORE_MESSAGE_MS, null, { signal: deadline.signal, ref: false }).then(() => Promise.reject(new Error('too late')));
    const stored = inTenant(orm, realTime(storeId, clock.now()), REQUEST, (tx) => storeProviderMessage(tx, input, message));
    await Promise.race([stored, late])
      .catch((error: Error & { code?: string }) =>
        log.error({ storeId, call: id, reason: error.name, sqlState: error.code }, 'a message of the payment provider could not be stored'),
      )
      .finally(() => deadline.abort());
  };
  const callProvider = async (call: Call<'payment'>, how: (attempt: Charge) => Promise<TossAnswer>): Promise<ProviderOutcome> => {
    const { storeId, input } = call;
    const charge = await retryOnOutage(() => inTenant(orm, realTime(storeId, clock.now()), REQUEST, (tx) => chargeOf(tx, input.attemptId)));
    if (charge && charge.testPayment === config.toss.testPayment) {
      const answer = await how(charge);
      const outcome = outcomeOf(call, answer);
      if (answer.message !== null || REFUSALS.has(answer.result)) await storeMessage(call, answer.message);
      return outcome;
    }
    log.error({ storeId, call: call.id, isKnown: charge !== null }, 'a payment was not asked for: our key is for the other kind');
    providerOutcomes.inc({ provider, operation: call.name, outcome: 'UNSENT' });
    return { result: 'UNSENT', code: 'PAYMENT_NOT_CONFIGURED', ended: false, approvedMethod: null };
  };
  return { toss, callProvider };
}
