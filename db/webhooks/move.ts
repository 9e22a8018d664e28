/** A delivery's transition: which attempt is owed when, and what an attempt's outcome means. */
import { LockMode } from '@mikro-orm/core';
import type { Call, RunEvent, RunRef } from '../../workflows/kernel/obligations.ts';
import { korean } from '../../workflows/kernel/time.ts';
import { afterAttempt, type AttemptOutcome, ATTEMPTS, isWaiting } from '../../workflows/webhooks/rules.ts';
import type { Em } from '../orm.ts';
import type { Moved } from '../runs/store.ts';
import { readStore } from '../stores/store.ts';
import { type WebhookDelivery, WebhookDeliveryEntity } from './entities.ts';

/** Locks the delivery; the recorded outcome of the attempt under way decides what follows. A lost attempt is a TIMEOUT. */
export async function moveWebhookDelivery(em: Em, run: RunRef, event: RunEvent, at: number): Promise<Moved | null> {
  const { storeId, runId: deliveryId } = run;
  const delivery = await em.findOne(WebhookDeliveryEntity, { storeId, deliveryId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!delivery) return null;
  const outcome = delivery.attemptOutcome ?? (isLost(delivery, event) ? LOST : null);
  if (outcome && isWaiting(delivery.status)) apply(delivery, outcome, at);
  else if (isUnclaimed(delivery, event)) delivery.nextAttemptAt = new Date(at + UNCLAIMED_MS);
  const { clockOffsetMs } = await readStore(em, storeId);
  return { owed: owedBy(delivery, at), clock: clockOffsetMs };
}

const LOST: AttemptOutcome = { errorCode: 'TIMEOUT', responseStatusCode: null, responseTimeMs: null, responseBodyExcerpt: null };
const callId = (delivery: WebhookDelivery, attempt: number) => `${delivery.deliveryId}-${attempt}`;

/** An attempt was claimed, its activity is gone, and no outcome was recorded. */
const isLost = (delivery: WebhookDelivery, event: RunEvent): boolean =>
  event.type === 'outcome' &&
  event.outcome.kind === 'LOST' &&
  delivery.attemptCount > 0 &&
  !delivery.nextAttemptAt &&
  event.callId === callId(delivery, delivery.attemptCount);

/** The attempt could not even be claimed (an outage, a secret that does not open): the same one again, after a while. */
const isUnclaimed = (delivery: WebhookDelivery, event: RunEvent): boolean =>
  event.type === 'outcome' &&
  event.outcome.kind === 'LOST' &&
  isWaiting(delivery.status) &&
  event.callId === callId(delivery, delivery.attemptCount + 1);
const UNCLAIMED_MS = 30_000;

function apply(delivery: WebhookDelivery, outcome: AttemptOutcome, at: number): void {
  const { status, nextAttemptAt } = afterAttempt(delivery.attemptCount, outcome.errorCode, at);
  Object.assign(delivery, outcome, {
    status,
    attemptOutcome: null,
    attemptedAt: new Date(at),
    nextAttemptAt: nextAttemptAt === null ? null : new Date(nextAttemptAt),
  });
}

function owedBy(delivery: WebhookDelivery, at: number): Moved['owed'] {
  const { status, deliveryId, storeId } = delivery;
  if (!isWaiting(status)) return { wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status };
  const wakeAt = (delivery.nextAttemptAt ?? delivery.createdAt).getTime();
  const attempt = delivery.nextAttemptAt || delivery.attemptCount === 0 ? delivery.attemptCount + 1 : delivery.attemptCount;
  const call: Call = { id: callId(delivery, attempt), kind: 'attempt', storeId, input: { deliveryId, attempt } };
  const note = `Attempt ${attempt} of ${ATTEMPTS} at ${korean(wakeAt)}.`;
  return { wakeAt, calls: wakeAt <= at ? [call] : [], done: false, note, status };
}
