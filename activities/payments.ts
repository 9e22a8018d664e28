import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { failpoint } from '../db/kernel/failpoint.ts';
import { foreignCancels, providerMismatches, providerOutcomes, unresolved } from '../db/kernel/metrics.ts';
import { inTenant, realTime, REQUEST } from '../db/kernel/tx.ts';
import { transitionPurchase } from '../db/purchases.ts';
import { storeProviderMessage } from '../db/payments/commands.ts';
import { type Charge, chargeOf } from '../db/payments/charge.ts';
import type { ProviderOutcome } from '../domain/payments/messages.ts';
import { type ProviderName, PROVIDERS } from '../domain/payments/providers.ts';
import { TIMEOUT } from '../domain/payments/rules.ts';
import type { BriefCalls, Call, Calls } from '../workflows/kernel/messages.ts';
import { BRIEF_AGE_MS, BRIEF_REQUEST_MS } from './kernel/brief.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { retryOnOutage } from './kernel/completeCall.ts';
import type { RunActivities } from './kernel/transition.ts';
import { checkRefusal, firstAccepted, VERIFY_MS } from './providers/accepted.ts';
import { MISMATCH, type ProviderAnswer, type ProviderRefund } from './providers/answers.ts';
import { createProviders } from './providers/index.ts';
import type { PaymentProvider } from './providers/port.ts';

const STORE_MESSAGE_MS = 2000;
/** They replace the message of an earlier answer even when they come without one. */
const REFUSALS: ReadonlySet<string> = new Set(['DECLINED', 'REFUSED']);

// Initialized with 0: Prometheus sees no increase in a series that starts at 1, and the first alarm would raise no alert (ops/alerts.yml).
for (const provider of PROVIDERS) {
  for (const operation of ['return', 'confirmPayment', 'readPayment', 'voidPayment', 'refundPayment', 'findRefund'] as const)
    for (const alarm of [providerMismatches, unresolved]) alarm.inc({ provider, operation }, 0);
  for (const operation of ['refundPayment', 'findRefund'] as const) providerOutcomes.inc({ provider, operation, outcome: 'REFUSED' }, 0);
  for (const operation of ['confirmPayment', 'readPayment', 'voidPayment', 'refundPayment', 'findRefund'] as const)
    for (const outcome of ['UNAUTHORIZED', 'UNSENT']) providerOutcomes.inc({ provider, operation, outcome }, 0);
  foreignCancels.inc({ provider }, 0);
}

export const payment: RunActivities<'payment'> = {
  transition: (deps) => ({
    workflowType: 'payment',
    transition: async (tx, run, event) => {
      const result = await transitionPurchase(tx, run, event);
      for (const { kind, provider, operation, id } of result?.alarms ?? []) {
        if (kind === 'foreignCancel') foreignCancels.inc({ provider });
        else (kind === 'mismatch' ? providerMismatches : unresolved).inc({ provider, operation });
        deps.log.error({ storeId: run.storeId, paymentId: run.entityId, provider, operation, id }, ALARMS[kind]);
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
  foreignCancel: 'a payment was canceled at the provider, not by us: its order is unchanged',
} as const;

/** Calls to payment providers, each with an idempotency key. */
function paymentCalls(deps: ActivityDeps): Calls<'payment'> {
  const callProvider = createCaller(deps);
  const alive: typeof callProvider = (call, how) => withHeartbeat(() => callProvider(call, how));
  const refundOf = ({ input }: Call<'payment', 'refundPayment' | 'findRefund'>): ProviderRefund => ({
    refundId: input.refundId,
    amount: input.refundAmount,
    key: input.key,
  });
  return {
    confirmPayment: (call) => alive(call, async (provider, charge) => checkRefusal(provider, await provider.confirm(charge), VERIFY_MS)),
    readPayment: (call) => alive(call, (provider, charge) => provider.read(charge)),
    refundPayment: (call) => alive(call, (provider, charge) => provider.refund(charge, refundOf(call))),
    findRefund: (call) => alive(call, (provider, charge) => provider.findRefund(charge, refundOf(call))),
    voidPayment: (call) => alive(call, (provider, charge) => provider.void(charge, call.id)),
  };
}

/**
 * The first confirm of an attempt. Its time counts from here, so that a slow Postgres lets no request be sent late. A provider that needs
 * longer is slow, not out of reach: the reading that follows tells which (ops/alerts.yml).
 */
function briefPaymentCalls(deps: ActivityDeps): BriefCalls<'payment'> {
  const callProvider = createCaller(deps, 'SLOW');
  return {
    confirmPayment: (call) => {
      const limit = AbortSignal.timeout(BRIEF_REQUEST_MS);
      const end = performance.now() + BRIEF_REQUEST_MS;
      return callProvider(call, async (provider, charge) => {
        checkFirst(charge, deps.clock.now());
        return checkRefusal(provider, await provider.confirm(charge, limit), end - performance.now());
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

type Caller = (
  call: Call<'payment'>,
  how: (provider: PaymentProvider, charge: Charge) => Promise<ProviderAnswer>,
) => Promise<ProviderOutcome>;

/**
 * Asks a payment provider, with the credentials that the attempt was started with. Its secrets are read from Postgres, as is the payment
 * key, and the provider's messages are stored there, never in Temporal. No request is sent without credentials of the attempt's
 * environment: UNSENT. `timedOut`: how a request without an answer in time is counted.
 */
function createCaller({ orm, config, keyring, clock, log }: ActivityDeps, timedOut: 'UNKNOWN' | 'SLOW' = 'UNKNOWN'): Caller {
  const { providerFor } = createProviders(config.payments);
  const outcomeOf = (call: Call<'payment'>, provider: ProviderName, answer: ProviderAnswer): ProviderOutcome => {
    failpoint('provider.after-answer', call.input.attemptId);
    const { message: _, isNotFound: _proof, isForbidden: _checked, ...outcome } = answer;
    const { result, code } = outcome;
    const isSlow = code === TIMEOUT && timedOut === 'SLOW';
    providerOutcomes.inc({ provider, operation: call.name, outcome: isSlow ? timedOut : result });
    const ids = { storeId: call.storeId, call: call.id, provider };
    if (result === 'REFUSED') log.error({ ...ids, code }, 'the payment provider refused a refund');
    if (outcome.isUnauthorized) log.error({ ...ids, code }, 'the payment provider refused our credentials');
    if (code === MISMATCH) {
      providerMismatches.inc({ provider, operation: call.name });
      log.error({ ...ids, result }, 'the payment provider answered about a payment that is not ours');
    }
    log.info({ ...ids, result, code }, 'payment provider answered');
    if (!isSlow) return outcome;
    const { isTechnical: _counted, ...slow } = outcome;
    return slow;
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
  return async (call, how) => {
    const { storeId, input, name } = call;
    const charge = await retryOnOutage(() =>
      inTenant(orm, realTime(storeId, clock.now()), REQUEST, (tx) => chargeOf(tx, keyring, input.attemptId)),
    );
    if (!charge || charge.credentials.length === 0) {
      const isKnown = charge !== null;
      log.error({ storeId, call: call.id, isKnown }, 'a payment was not asked for: there are no credentials of its environment');
      providerOutcomes.inc({ provider: charge?.provider ?? 'tosspayments', operation: name, outcome: 'UNSENT' });
      return { result: 'UNSENT', code: 'PAYMENT_NOT_CONFIGURED', ended: false, approvedMethod: null };
    }
    const providers = charge.credentials.map(providerFor);
    const request = (provider: PaymentProvider) => how(provider, charge);
    const answer = name === 'confirmPayment' ? await request(providers[0]!) : await firstAccepted(providers, request, charge);
    const outcome = outcomeOf(call, charge.provider, answer);
    if (answer.message !== null || REFUSALS.has(answer.result)) await storeMessage(call, answer.message);
    return outcome;
  };
}
