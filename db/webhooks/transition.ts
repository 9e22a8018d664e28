/** A delivery's transition: which attempt is due when, what an attempt's outcome means, and when a receiver is given up. */
import type { Moment } from '../kernel/clock.ts';
import { LockMode } from '@mikro-orm/core';
import { attemptId, type Call, type RunEvent, type RunRef } from '../../workflows/kernel/messages.ts';
import { korean } from '../../domain/kernel/time.ts';
import { afterAttempt, type AttemptOutcome, ATTEMPTS, isWaiting } from '../../domain/webhooks/rules.ts';
import { type Em, sql } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { type WebhookDelivery, WebhookDeliveryEntity } from './entities.ts';
import { forgetFailures, isInFlight, isOver, noteFailure, SUSPENDED } from './suspension.ts';

/** An attempt that its call has just seen the end of. */
export interface EndedAttempt {
  readonly n: number;
  readonly outcome: AttemptOutcome;
}

/** Locks the delivery; how the attempt under way ended decides what follows. A lost attempt is a TIMEOUT. */
export async function transitionWebhookDelivery(
  em: Em,
  run: RunRef,
  event: RunEvent<'webhookDelivery'>,
  { at, realNow }: Moment,
  ended: EndedAttempt | null = null,
): Promise<TransitionResult<'webhookDelivery'> | null> {
  const { storeId, entityId: deliveryId } = run;
  const delivery = await em.findOne(WebhookDeliveryEntity, { storeId, deliveryId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!delivery) return null;
  const receiver = await readReceiver(em, delivery);
  const outcome = outcomeOf(delivery, event, ended);
  if (outcome && isWaiting(delivery.status)) await applyOutcome(em, delivery, outcome, receiver, { at, realNow });
  else if ((!receiver.isActive && isWaiting(delivery.status) && !isInFlight(delivery)) || isOver(delivery, receiver)) suspend(delivery);
  else if (isUnclaimed(delivery, event)) delivery.nextAttemptAt = new Date(at + UNCLAIMED_MS);
  return { plan: planOf(delivery, at), clock: receiver.clockOffsetMs };
}

interface Receiver {
  readonly isActive: boolean;
  readonly hasFailed: boolean;
  readonly epoch: number;
  readonly clockOffsetMs: number;
}
async function readReceiver(em: Em, { storeId, webhookId }: WebhookDelivery): Promise<Receiver> {
  const [row] = await sql<{ status: string; first_failure_at: string | null; epoch: number; clock_offset_ms: string }>(
    em,
    `SELECT w.status, w.first_failure_at, w.epoch, s.clock_offset_ms FROM webhook w JOIN store s USING (store_id) WHERE w.store_id = ? AND w.webhook_id = ?`,
    [storeId, webhookId],
  );
  return {
    isActive: row!.status === 'ACTIVE',
    hasFailed: row!.first_failure_at !== null,
    epoch: row!.epoch,
    clockOffsetMs: Number(row!.clock_offset_ms),
  };
}

const LOST: AttemptOutcome = { errorCode: 'TIMEOUT', responseStatusCode: null, responseTimeMs: null, responseBodyExcerpt: null };

/** How the attempt under way ended, as was recorded or is told now; null while it has not. */
function outcomeOf(delivery: WebhookDelivery, event: RunEvent<'webhookDelivery'>, ended: EndedAttempt | null): AttemptOutcome | null {
  if (ended && isInFlight(delivery) && delivery.attemptCount === ended.n) return ended.outcome;
  return isLost(delivery, event) ? LOST : null;
}

/** An attempt was claimed, its activity is gone, and no outcome was recorded. */
const isLost = (delivery: WebhookDelivery, event: RunEvent<'webhookDelivery'>): boolean =>
  event.type === 'outcome' &&
  event.outcome.result === 'LOST' &&
  isInFlight(delivery) &&
  event.callId === attemptId(delivery.deliveryId, delivery.attemptCount);

/** The attempt could not even be claimed (an outage, a secret that does not open): the same one again, after a while. */
const isUnclaimed = (delivery: WebhookDelivery, event: RunEvent<'webhookDelivery'>): boolean =>
  event.type === 'outcome' &&
  event.outcome.result === 'LOST' &&
  isWaiting(delivery.status) &&
  event.callId === attemptId(delivery.deliveryId, delivery.attemptCount + 1);
const UNCLAIMED_MS = 30_000;

/** A success is recorded whatever has become of the subscription; a failure counts for its suspension, and may be its last. */
async function applyOutcome(
  em: Em,
  delivery: WebhookDelivery,
  outcome: AttemptOutcome,
  receiver: Receiver,
  { at, realNow }: Moment,
): Promise<void> {
  const { status, nextAttemptAt } = afterAttempt(delivery.attemptCount, outcome.errorCode, at);
  Object.assign(delivery, outcome, {
    status,
    attemptedAt: new Date(at),
    nextAttemptAt: nextAttemptAt === null ? null : new Date(nextAttemptAt),
  });
  if (outcome.errorCode === null) {
    if (receiver.hasFailed) await forgetFailures(em, delivery);
    return;
  }
  const isSuspended = await noteFailure(em, delivery, at, realNow);
  if ((isSuspended && isWaiting(delivery.status)) || isOver(delivery, receiver)) suspend(delivery);
}

const suspend = (delivery: WebhookDelivery) => Object.assign(delivery, SUSPENDED);

function planOf(delivery: WebhookDelivery, at: number): TransitionResult<'webhookDelivery'>['plan'] {
  const { status } = delivery;
  if (!isWaiting(status)) return { wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status };
  const wakeAt = (delivery.nextAttemptAt ?? delivery.createdAt).getTime();
  const attempt = delivery.nextAttemptAt || delivery.attemptCount === 0 ? delivery.attemptCount + 1 : delivery.attemptCount;
  const note = `Attempt ${attempt} of ${ATTEMPTS} at ${korean(wakeAt)}.`;
  return {
    wakeAt,
    ...(wakeAt <= at ? { calls: [attemptCall(delivery, attempt, at)] } : { calls: [], next: attemptCall(delivery, attempt, wakeAt) }),
    done: false,
    note,
    status,
  };
}

const attemptCall = ({ storeId, deliveryId }: WebhookDelivery, attempt: number, at: number): Call<'webhookDelivery'> => ({
  id: attemptId(deliveryId, attempt),
  name: 'attemptDelivery',
  storeId,
  input: { deliveryId, attempt, at },
});
