/** A delivery's transition: loads under lock, decides, writes, applies the effects. */
import { LockMode } from '@mikro-orm/core';
import { dateOf, msOf } from '../../domain/kernel/time.ts';
import {
  decide,
  type Delayed,
  type DeliveryEffect,
  type DeliveryEvent,
  type DeliveryState,
  type ReceiverState,
} from '../../domain/webhooks/machine.ts';
import type { AttemptOutcome } from '../../domain/webhooks/rules.ts';
import type { RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { type WebhookDelivery, WebhookDeliveryEntity } from './entities.ts';
import { forgetFailures, recordFailure } from './suspension.ts';

interface TransitionContext {
  readonly tx: Tx;
  readonly delivery: WebhookDelivery;
  readonly receiver: ReceiverState;
}

/**
 * `answer`: the outcome of the attempt, or that it was put off, where its call makes the transition itself. Null when the delivery was
 * deleted.
 */
export async function transitionWebhookDelivery(
  tx: Tx,
  { storeId, entityId: deliveryId }: RunRef,
  event: RunEvent<'webhookDelivery'>,
  answer: AttemptOutcome | Delayed | null = null,
): Promise<TransitionResult<'webhookDelivery'> | null> {
  const { em } = tx;
  const delivery = await em.findOne(WebhookDeliveryEntity, { storeId, deliveryId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!delivery) return null;
  const { receiver, clock } = await readReceiver(tx, delivery);
  return { plan: await apply({ tx, delivery, receiver }, eventOf(event, answer)), clock };
}

/** Decides, writes and applies effects; an effect may return the next event. */
async function apply(context: TransitionContext, event: DeliveryEvent): Promise<TransitionResult<'webhookDelivery'>['plan']> {
  const { tx, delivery, receiver } = context;
  const { state, effects, plan } = decide(stateOf(delivery, receiver), event, tx.at);
  writeState(delivery, state);
  for (const effect of effects) {
    const next = await applyEffect(context, effect);
    if (next) return apply(context, next);
  }
  return plan;
}

async function applyEffect({ tx, delivery }: TransitionContext, { type }: DeliveryEffect): Promise<DeliveryEvent | null> {
  if (type === 'recordFailure') return (await recordFailure(tx, delivery)) ? { type: 'suspended' } : null;
  await forgetFailures(tx, delivery);
  return null;
}

/** A delivery takes no commands. */
function eventOf(event: RunEvent<'webhookDelivery'>, answer: AttemptOutcome | Delayed | null): DeliveryEvent {
  if (event.type !== 'outcome') return { type: event.type === 'elapsed' ? 'elapsed' : 'load' };
  return { type: 'outcome', callId: event.callId, answer: answer ?? (event.outcome.result === 'LOST' ? 'LOST' : 'RECORDED') };
}

const stateOf = (delivery: WebhookDelivery, receiver: ReceiverState): DeliveryState => ({
  storeId: delivery.storeId,
  deliveryId: delivery.deliveryId,
  status: delivery.status,
  attemptCount: delivery.attemptCount,
  attemptedAt: msOf(delivery.attemptedAt),
  nextAttemptAt: msOf(delivery.nextAttemptAt),
  epoch: delivery.epoch,
  createdAt: delivery.createdAt.getTime(),
  errorCode: delivery.errorCode ?? null,
  responseStatusCode: delivery.responseStatusCode ?? null,
  responseTimeMs: delivery.responseTimeMs ?? null,
  responseBodyExcerpt: delivery.responseBodyExcerpt ?? null,
  receiver,
});

function writeState(delivery: WebhookDelivery, state: DeliveryState): void {
  const { status, errorCode, responseStatusCode, responseTimeMs, responseBodyExcerpt, attemptedAt, nextAttemptAt } = state;
  Object.assign(delivery, { status, errorCode, responseStatusCode, responseTimeMs, responseBodyExcerpt });
  Object.assign(delivery, { attemptedAt: dateOf(attemptedAt), nextAttemptAt: dateOf(nextAttemptAt) });
}

/** Read without a lock: `recordFailure` notices a concurrent suspension, or the subscription's run ends the delivery. */
async function readReceiver({ sql }: Tx, { storeId, webhookId }: WebhookDelivery): Promise<{ receiver: ReceiverState; clock: number }> {
  const [row] = await sql<{ status: string; first_failure_at: string | null; epoch: number; clock_offset_ms: string }>`
    SELECT w.status, w.first_failure_at, w.epoch, s.clock_offset_ms FROM webhook w JOIN store s USING (store_id)
    WHERE w.store_id = ${storeId}
     AND w.webhook_id = ${webhookId}`;
  const { status, first_failure_at: firstFailureAt, epoch, clock_offset_ms: offset } = row!;
  return { receiver: { isActive: status === 'ACTIVE', hasFailed: firstFailureAt !== null, epoch }, clock: Number(offset) };
}
