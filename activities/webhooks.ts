import { setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '../db/kernel/failpoint.ts';
import { deliveryOutcomes } from '../db/kernel/metrics.ts';
import { inTenant, REQUEST, type Tenancy } from '../db/kernel/tx.ts';
import type { RunTransition } from '../db/runs/transition.ts';
import { beginAttempt, isAttemptOpen } from '../db/webhooks/attempts.ts';
import { transitionWebhookDelivery } from '../db/webhooks/transition.ts';
import { SECOND } from '../domain/kernel/time.ts';
import type { Answer, BriefCalls, Call, Calls, Outcome } from '../workflows/kernel/messages.ts';
import type { Delayed } from '../domain/webhooks/machine.ts';
import { ATTEMPT_MS, type AttemptOutcome } from '../domain/webhooks/rules.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { completeCall, plannedAt } from './kernel/completeCall.ts';
import type { RunActivities } from './kernel/transition.ts';
import { createEgress } from './providers/egress.ts';
import { webhookHeaders } from './providers/webhookRequest.ts';

/** How long an attempt that another execution began may still be in flight. */
const FOREIGN_ATTEMPT_MS = 12 * SECOND;
/** How long a run's first task waits for its first attempt. */
const BRIEF_WAIT_MS = SECOND;

export const webhookDelivery: RunActivities<'webhookDelivery'> = {
  calls: webhookCalls,
  brief: briefWebhookCalls,
};

/** An attempt, once at a time in a process. A retry is put off while its store has too many in flight. */
function webhookCalls(deps: ActivityDeps): Calls<'webhookDelivery'> {
  const { attempts } = deps;
  const attempt = createAttempt(deps);
  return {
    attemptDelivery: (call) =>
      attempts.once(call.id, () => {
        const make = () => attempt(call);
        if (call.input.attempt === 1) return attempts.makeFirst(call.storeId, make);
        return attempts.makeRetry(call.storeId, make, (ms) => putOff(deps, call, ms));
      }),
  };
}

/**
 * A first attempt within the run's first task, for a receiver that answers within a second. One that takes longer goes on: the ordinary
 * activity, which follows, gets its answer.
 */
function briefWebhookCalls({ log }: ActivityDeps, { attemptDelivery }: Calls<'webhookDelivery'>): BriefCalls<'webhookDelivery'> {
  return {
    attemptDelivery: async (call) => {
      const over = new AbortController();
      const later = sleep(BRIEF_WAIT_MS, null, { signal: over.signal }).catch(() => null);
      const attempt = attemptDelivery(call).catch((error: unknown) => {
        // The ordinary activity may be in another process, which sees only that no outcome comes.
        log.warn({ err: error, storeId: call.storeId, call: call.id }, 'a first attempt failed; the ordinary call follows');
        return null;
      });
      return Promise.race([attempt, later]).finally(() => over.abort());
    },
  };
}

/** One attempt: begin, sign with the current second, send, record. An attempt that has begun already is waited for, never repeated. */
function createAttempt(deps: ActivityDeps): Calls<'webhookDelivery'>['attemptDelivery'] {
  const { orm, keyring, clock, config } = deps;
  const egress = createEgress({ allowLoopback: config.allowLoopbackWebhooks, dns: config.webhookDns });
  return async (call) => {
    const { storeId } = call;
    const { deliveryId, attempt: n } = call.input;
    const at = plannedAt(call, deps);
    const request = await inTenant(orm, { storeId, at, realNow: clock.now() }, REQUEST, (tx) =>
      beginAttempt(tx, keyring, { deliveryId, n }),
    );
    if (!request) return foreignAttempt(deps, { storeId, at }, deliveryId, n);
    failpoint('webhook.before-send');
    const headers = webhookHeaders({ ...request, deliveryId }, Math.floor(clock.now() / SECOND));
    const began = performance.now();
    const outcome = await egress.post({ url: request.url, headers, body: request.body, deadlineMs: ATTEMPT_MS });
    deliveryOutcomes.inc({ outcome: outcome.errorCode ?? 'SUCCESS' });
    failpoint('webhook.after-send');
    // The business time of its end: the planned time plus its duration.
    const endedAt = at + Math.round(performance.now() - began);
    return completeCall(deps, deliveryTransition(outcome), call, {
      entityId: deliveryId,
      outcome: { result: outcome.errorCode ?? 'SUCCESS' },
      at: endedAt,
    });
  };
}

/** Plans a retry anew, which keeps its number. One that another execution has begun is waited for. */
async function putOff(deps: ActivityDeps, call: Call<'webhookDelivery'>, delayedMs: number): Promise<Answer<'webhookDelivery'>> {
  const { storeId } = call;
  const { deliveryId, attempt: n } = call.input;
  const at = plannedAt(call, deps);
  const isBegun = await inTenant(deps.orm, { storeId, at, realNow: deps.clock.now() }, REQUEST, (tx) => isAttemptOpen(tx, deliveryId, n));
  if (isBegun) return foreignAttempt(deps, { storeId, at }, deliveryId, n);
  return completeCall(deps, deliveryTransition({ delayedMs }), call, { entityId: deliveryId, outcome: { result: 'DELAYED' }, at });
}

const deliveryTransition = (answer: AttemptOutcome | Delayed): RunTransition<'webhookDelivery'> => ({
  workflowType: 'webhookDelivery',
  transition: (tx, run, event) => transitionWebhookDelivery(tx, run, event, answer),
});

async function foreignAttempt(
  { orm, clock }: ActivityDeps,
  tenancy: Omit<Tenancy, 'realNow'>,
  deliveryId: string,
  n: number,
): Promise<Outcome<'webhookDelivery'>> {
  const end = clock.now() + FOREIGN_ATTEMPT_MS;
  while (await inTenant(orm, { ...tenancy, realNow: clock.now() }, REQUEST, (tx) => isAttemptOpen(tx, deliveryId, n))) {
    if (clock.now() > end) return { result: 'LOST' };
    await sleep(250);
  }
  return { result: 'STALE' };
}
