/**
 * The checkout payment's transition. Stock is taken before the provider is asked; an approval makes the order in the
 * same transaction; an unknown outcome keeps the stock and is looked up until it is known (D17, D21, D36, D40).
 */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Command, Outcome, RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import { failureOf } from '../../domain/payments/failures.ts';
import { afterUnpaid, type PendingCall, readGap } from '../../domain/payments/rules.ts';
import { CheckoutEntity } from '../checkout/entities.ts';
import { returnStock, takeStock } from '../products/stock.ts';
import { type Em, sql } from '../kernel/tx.ts';
import { createOrder } from '../orders/create.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { takeText } from '../runs/text.ts';
import { readStore } from '../stores/queries.ts';
import { type Alarm, isEnded, type TransitionContext, planCall, planOf } from './calls.ts';
import { planLastReading, leavePaymentUnresolved, planReading, applyLateOutcome } from './unknownOutcomes.ts';
import { type Payment, type PaymentAttempt, PaymentAttemptEntity, PaymentEntity } from './entities.ts';
import { planNextRefund, applyRefundOutcome } from './refunds.ts';

/** Locks the payment, applies the event, answers what it owes: a call now or later, or its expiry. */
export async function transitionPayment(
  em: Em,
  run: RunRef,
  event: RunEvent<'payment'>,
  at: number,
  realNow: number,
): Promise<(TransitionResult<'payment'> & { readonly alarms: readonly Alarm[] }) | null> {
  const { storeId, entityId: paymentId } = run;
  if (event.type === 'outcome') await lockCheckout(em, storeId, paymentId);
  const payment = await em.findOne(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!payment) return null;
  const context: TransitionContext = { em, payment, at, realNow, alarms: [] };
  if (event.type === 'command') await handleCommand(context, event.command);
  if (event.type === 'outcome' && payment.call?.id === event.callId) await applyOutcome(context, payment.call, event.outcome);
  if (payment.status === 'pending' && at >= payment.expiresAt.getTime()) await expire(context);
  await planNextRefund(context);
  if (isEnded(payment) && !payment.call) await planLastReading(context);
  payment.wakeAt = wakeAtOf(payment);
  const { clockOffsetMs } = await readStore(em, storeId);
  return {
    alarms: context.alarms,
    plan: await planOf(context),
    clock: clockOffsetMs,
    reply: { status: 200, body: { status: payment.status, result: payment.result } },
  };
}

/** A completion writes the checkout: it is locked before the payment, in the order in which a payment start locks them. */
const lockCheckout = (em: Em, storeId: string, paymentId: string) =>
  sql(
    em,
    'SELECT 1 FROM checkout WHERE store_id = ? AND checkout_id = (SELECT checkout_id FROM payment WHERE store_id = ? AND payment_id = ?) FOR UPDATE',
    [storeId, storeId, paymentId],
  );

async function handleCommand(context: TransitionContext, command: Command<'payment'>): Promise<void> {
  const { em, payment, at } = context;
  const attempt = await em.findOne(PaymentAttemptEntity, {
    storeId: payment.storeId,
    paymentId: payment.paymentId,
    attemptId: command.input.attemptId,
  });
  if (!attempt) throw new Fault('PAYMENT_NOT_FOUND');
  const open = payment.status === 'pending' && at < payment.expiresAt.getTime();
  if (!open || attempt.status !== 'OPEN' || attempt.attemptId !== payment.currentAttemptId) return;
  if (command.name === 'giveUp')
    return decline(context, attempt, (await takeText(em, payment.storeId, command.input.codeId)) ?? 'PAY_PROCESS_CANCELED', null);
  const { pgOrderId, amount } = command.input;
  const paymentKey = await takeText(em, payment.storeId, command.input.paymentKeyId);
  if (pgOrderId !== attempt.pgOrderId || amount !== attempt.amountWon || paymentKey === null) throw new Fault('INVALID_STATUS');
  await askProvider(context, attempt, paymentKey);
}

async function askProvider(context: TransitionContext, attempt: PaymentAttempt, paymentKey: string): Promise<void> {
  const { em, payment, at, realNow } = context;
  // A key that another attempt has, of any store, is no payment of this one (X17): the provider is not asked, the session stays pending.
  const [row] = await sql<{ taken: boolean }>(em, 'SELECT payment_key_taken(?, ?, ?) AS taken', [
    attempt.pg,
    paymentKey,
    attempt.attemptId,
  ]);
  if (row!.taken) {
    context.alarms.push({ kind: 'mismatch', operation: 'return', id: attempt.attemptId });
    return decline(context, attempt, 'INVALID_REQUEST', null);
  }
  attempt.paymentKey = paymentKey;
  if (!(await takeStock(em, payment.storeId, payment.lines, attempt.attemptId, { at, realNow }))) {
    attempt.status = 'DECLINED';
    attempt.failure = failureOf(attempt.attemptId, 'OUT_OF_STOCK');
    attempt.endedAt = new Date(at);
    Object.assign(payment, { status: 'failed', result: 'FAILED', lastFailure: attempt.failure });
    return;
  }
  attempt.status = 'CONFIRMING';
  attempt.confirmedAt = new Date(at);
  Object.assign(payment, { status: 'processing', result: 'PROCESSING' });
  payment.call = planCall('confirmPayment', attempt, at, 0);
}

async function applyOutcome(context: TransitionContext, call: PendingCall, outcome: Outcome<'payment'>): Promise<void> {
  const { em, payment } = context;
  if (call.refundId !== undefined) return applyRefundOutcome(context, call, outcome);
  const attempt = await em.findOneOrFail(PaymentAttemptEntity, { storeId: payment.storeId, attemptId: call.attemptId });
  payment.call = null;
  if (attempt.status !== 'CONFIRMING') return applyLateOutcome(context, attempt, call, outcome);
  switch (outcome.result) {
    case 'APPROVED':
      return complete(context, attempt, outcome.approvedMethod);
    case 'DECLINED':
      return decline(context, attempt, outcome.code, { isRead: call.name === 'readPayment' });
    case 'VOIDED':
      // Charged and canceled at the provider, behind our back: nothing is left to settle.
      return decline(context, attempt, 'CANCELED', { isRead: true });
    case 'FOREIGN':
      // Another payment stands under our number: nothing was charged by us, and nothing is to be voided (X17).
      return decline(context, attempt, 'NOT_CHARGED', { isRead: false });
    case 'UNPAID':
      return resolveUnpaid(context, attempt, call);
    case 'UNSENT':
      // Nothing was asked, now or before: no doubt arises (X26).
      if (call.name === 'confirmPayment' && !attempt.isUnknown) return decline(context, attempt, outcome.code, { isRead: true });
      return scheduleReading(context, attempt, call, outcome);
    default:
      return scheduleReading(context, attempt, call, outcome);
  }
}

/** Nobody knows whether it is charged: it is looked up, for a day at most. */
async function scheduleReading(
  context: TransitionContext,
  attempt: PaymentAttempt,
  call: PendingCall,
  outcome: Outcome<'payment'>,
): Promise<void> {
  attempt.isUnknown = true;
  if (call.name === 'confirmPayment') {
    attempt.confirmAnswered = outcome.result !== 'LOST' && outcome.ended;
    if (!attempt.confirmAnswered) attempt.readings = 0;
  }
  if (!planReading(context, attempt, call)) await leavePaymentUnresolved(context, attempt);
}

/** A reading said "not charged": prove it, or ask again under the same key. */
async function resolveUnpaid(context: TransitionContext, attempt: PaymentAttempt, { n }: PendingCall): Promise<void> {
  const { payment, at } = context;
  const { confirmAnswered: ended } = attempt;
  if (ended) attempt.readings += 1;
  const confirmedAt = attempt.confirmedAt!.getTime();
  const next = afterUnpaid({ readings: attempt.readings, ended, confirmedAt, expiresAt: payment.expiresAt.getTime() }, at);
  if (next === 'not-charged') return decline(context, attempt, 'NOT_CHARGED', { isRead: false });
  payment.call =
    next === 'confirm-again'
      ? planCall('confirmPayment', attempt, at, n + 1)
      : planCall('readPayment', attempt, at + readGap(n + 1), n + 1);
}

async function complete(context: TransitionContext, attempt: PaymentAttempt, approvedMethod: string | null): Promise<void> {
  const { em, payment, at, realNow } = context;
  attempt.status = 'APPROVED';
  attempt.approvedMethod = approvedMethod;
  attempt.endedAt = new Date(at);
  attempt.isUnknown = false;
  payment.orderId = await createOrder(em, payment, attempt, at, realNow);
  Object.assign(payment, { status: 'completed', result: 'COMPLETED', completedAt: new Date(at), lastFailure: null });
  const { storeId, checkoutId } = payment;
  await em.nativeUpdate(CheckoutEntity, { storeId, checkoutId }, { status: 'COMPLETED' });
  // Bought lines leave the cart (D39).
  await sql(
    em,
    'DELETE FROM cart_item i USING checkout c WHERE c.store_id = ? AND c.checkout_id = ? AND i.store_id = c.store_id AND i.cart_item_id = ANY(c.cart_item_ids)',
    [storeId, checkoutId],
  );
}

/**
 * A definite no: the stock that was taken (`asked` the provider) comes back, the session stays pending for another
 * attempt (D36). Only the provider's own reading ends a doubt; anything else is read once more at the payment's end.
 */
async function decline(
  context: TransitionContext,
  attempt: PaymentAttempt,
  code: string,
  asked: { readonly isRead: boolean } | null,
): Promise<void> {
  const { em, payment, at } = context;
  const failure = failureOf(attempt.attemptId, code);
  const canceled = failure.category === 'BUYER_CANCELED';
  attempt.status = canceled ? 'CANCELED' : 'DECLINED';
  attempt.failure = failure;
  attempt.endedAt = new Date(at);
  if (asked?.isRead) attempt.isUnknown = false;
  if (asked) await returnStock(em, payment.storeId, payment.lines, { reason: 'SALE_UNDONE', reference: attempt.attemptId, at });
  Object.assign(payment, { status: 'pending', result: canceled ? 'CANCELED' : 'FAILED', lastFailure: failure });
}

async function expire(context: TransitionContext): Promise<void> {
  const { em, payment, at } = context;
  const { storeId, paymentId } = payment;
  await em.nativeUpdate(PaymentAttemptEntity, { storeId, paymentId, status: 'OPEN' }, { status: 'EXPIRED', endedAt: new Date(at) });
  Object.assign(payment, { status: 'expired', result: 'EXPIRED' });
}

function wakeAtOf(payment: Payment): Date | null {
  if (payment.call) return new Date(payment.call.dueAt);
  return payment.status === 'pending' ? payment.expiresAt : null;
}
