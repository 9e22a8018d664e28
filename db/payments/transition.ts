/** The checkout payment's transition: loads under lock, decides, applies the effects, writes. */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import { dateOf } from '../../domain/kernel/time.ts';
import { decide, isEnded, mayStartRefund } from '../../domain/payments/machine.ts';
import { planOf, wakeAtOf } from '../../domain/payments/plan.ts';
import type { PaymentEvent } from '../../domain/payments/state.ts';
import { lastReadingAt } from '../../domain/payments/steps.ts';
import type { Command, RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import { consumeText } from '../runs/text.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { findStore } from '../stores/queries.ts';
import { applyEffect } from './effects.ts';
import { type PaymentAttempt, PaymentAttemptEntity, PaymentEntity, RefundEntity } from './entities.ts';
import { attemptOf, type CreateOrder, type RaisedAlarm, stateOf, type TransitionContext, writeState } from './rows.ts';

/** Locks the payment, applies the event, and returns the plan: a call, now or later, or the expiry. Null when it does not exist. */
export async function transitionPayment(
  tx: Tx,
  run: RunRef,
  event: RunEvent<'payment'>,
  createOrder: CreateOrder,
): Promise<(TransitionResult<'payment'> & { readonly alarms: readonly RaisedAlarm[] }) | null> {
  const { em, at } = tx;
  const { storeId, entityId: paymentId } = run;
  if (event.type === 'outcome') await lockCheckout(tx, paymentId);
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const [payment, store] = await Promise.all([em.findOne(PaymentEntity, { storeId, paymentId }, { lockMode }), findStore(tx)]);
  if (!payment || !store) return null;
  const wasCompleted = payment.status === 'completed';
  const context: TransitionContext = { tx, payment, attempt: null, refund: null, alarms: [], createOrder };
  if (payment.call) {
    await loadCall(context);
    const isItsOutcome = event.type === 'outcome' && payment.call.id === event.callId;
    await apply(context, isItsOutcome ? { type: 'outcome', outcome: event.outcome } : { type: 'resumed' });
  }
  if (event.type === 'command') await apply(context, await commandEvent(context, event.command));
  await apply(context, { type: 'elapsed' });
  // What its only attempt has completed just now has no refund yet, and no other attempt.
  const isAlone = !wasCompleted && payment.status === 'completed' && payment.attemptCount === 1;
  if (!isAlone) {
    await startRefund(context);
    await startLastReading(context);
  }
  await loadCall(context);
  const state = stateOf(context);
  const wakeAt = wakeAtOf(state);
  payment.wakeAt = dateOf(wakeAt);
  const reply = { status: 200, body: { status: payment.status, result: payment.result } };
  return { alarms: context.alarms, plan: planOf(state, at), clock: store.clockOffsetMs, reply };
}

/** A completion writes the checkout, which is locked before the payment, in the same order as at a payment start. */
const lockCheckout = ({ sql, storeId }: Tx, paymentId: string) =>
  sql`SELECT 1 FROM checkout WHERE store_id = ${storeId} AND checkout_id = (SELECT checkout_id FROM payment WHERE store_id = ${storeId}
    AND payment_id = ${paymentId})
     FOR UPDATE`;

/** Decides, writes and applies effects, until no effect returns another event. */
async function apply(context: TransitionContext, first: PaymentEvent): Promise<void> {
  for (let event: PaymentEvent | null = first; event;) {
    const { state, effects } = decide(stateOf(context), event, context.tx.at);
    writeState(context, state);
    event = null;
    for (const effect of effects) event = (await applyEffect(context, effect)) ?? event;
  }
}

async function commandEvent(context: TransitionContext, command: Command<'payment'>): Promise<PaymentEvent> {
  const { tx, payment } = context;
  const { storeId, paymentId } = payment;
  context.attempt = await tx.em.findOne(PaymentAttemptEntity, { storeId, paymentId, attemptId: command.input.attemptId });
  if (!context.attempt) throw new Fault('PAYMENT_NOT_FOUND');
  if (command.name === 'giveUp') return { type: 'giveUp', code: await consumeText(tx, command.input.codeId) };
  if (command.name === 'notified') return { type: 'notified' };
  const { pgOrderId, amount, paymentKeyId, paymentTokenId } = command.input;
  const paymentKey = await consumeText(tx, paymentKeyId);
  return { type: 'pay', pgOrderId, amount, paymentKey, paymentToken: await consumeText(tx, paymentTokenId) };
}

/** The rows that the payment's call is about. */
async function loadCall(context: TransitionContext): Promise<void> {
  const { payment } = context;
  const { em } = context.tx;
  const { storeId, call } = payment;
  if (!call) return;
  context.attempt = await em.findOneOrFail(PaymentAttemptEntity, { storeId, attemptId: call.attemptId });
  context.refund = call.refundId === undefined ? null : await em.findOneOrFail(RefundEntity, { storeId, refundId: call.refundId });
}

/** Starts the oldest pending refund. */
async function startRefund(context: TransitionContext): Promise<void> {
  const { payment } = context;
  const { em, at } = context.tx;
  if (!mayStartRefund(stateOf(context), at)) return;
  const { storeId, paymentId } = payment;
  await em.flush();
  const oldest = { orderBy: { createdAt: 'asc', refundId: 'asc' } } as const;
  const refund = await em.findOne(RefundEntity, { storeId, paymentId, status: 'PENDING' }, oldest);
  if (!refund) return;
  context.attempt = await em.findOneOrFail(PaymentAttemptEntity, { storeId, paymentId, status: 'APPROVED' });
  context.refund = refund;
  await apply(context, { type: 'refundWaits' });
}

/**
 * Plans the next reading of an attempt that has ended with an unknown outcome, the earliest first: when the payment has ended; before, of
 * those that others followed, that were never confirmed by us and not read yet.
 */
async function startLastReading(context: TransitionContext): Promise<void> {
  const { payment } = context;
  const { em, at } = context.tx;
  const isEarly = payment.status === 'pending' && payment.attemptCount > 1;
  if (payment.call || !(isEnded(payment) || isEarly)) return;
  const { storeId, paymentId } = payment;
  await em.flush();
  const ended = { storeId, paymentId, isUnknown: true, status: { $nin: ['OPEN', 'CONFIRMING', 'APPROVED', 'UNRESOLVED'] } } as const;
  const wanted = isEarly ? { ...ended, confirmedAt: null, readings: 0 } : ended;
  const attempts = await em.find(PaymentAttemptEntity, wanted, { orderBy: { seq: 'asc' } });
  const dueAt = (attempt: PaymentAttempt) => lastReadingAt(attemptOf(attempt), at);
  const [next] = attempts.toSorted((one, other) => dueAt(one) - dueAt(other));
  if (!next) return;
  context.attempt = next;
  await apply(context, { type: 'unknownRemains' });
}
