/** Outcomes that are unknown: looked up until they are known or a day is over, and a last time when the payment has ended (D21, D40). */
import type { Moment } from '../kernel/clock.ts';
import { LockMode } from '@mikro-orm/core';
import type { Outcome } from '../../workflows/kernel/messages.ts';
import { failureOf } from '../../domain/payments/failures.ts';
import { AUTHENTICATION_LIFETIME_MS, isUnknownTooLong, type PendingCall, readGap, UNRESOLVED } from '../../domain/payments/rules.ts';
import { returnStock } from '../products/stock.ts';
import type { Em } from '../kernel/tx.ts';
import { reopenRun } from '../runs/commands.ts';
import { type TransitionContext, planCall } from './calls.ts';
import { type PaymentAttempt, PaymentAttemptEntity, PaymentEntity } from './entities.ts';
import { runOf } from './queries.ts';

/** Plans the next reading of an unknown outcome; false when it has been read for a day. */
export function planReading({ payment, at }: TransitionContext, attempt: PaymentAttempt, call: PendingCall): boolean {
  attempt.unknownSince ??= new Date(at);
  if (isUnknownTooLong(attempt.unknownSince.getTime(), at)) return false;
  payment.call = planCall('readPayment', attempt, at + readGap(call.n + 1), call.n + 1);
  return true;
}

/**
 * Nobody could say for a day whether the confirm charged: the payment fails and gives its stock back, an operator is told, and
 * `npm run support -- retry` looks once more. What that finds charged is voided.
 */
export async function leavePaymentUnresolved(context: TransitionContext, attempt: PaymentAttempt): Promise<void> {
  const { em, payment, at } = context;
  leaveUnresolved(context, attempt, 'confirmPayment');
  await returnStock(em, payment.storeId, payment.lines, { reason: 'SALE_UNDONE', reference: attempt.attemptId, at });
  Object.assign(payment, { status: 'failed', result: 'FAILED', lastFailure: attempt.failure });
}

function leaveUnresolved({ alarms, at }: TransitionContext, attempt: PaymentAttempt, operation: PendingCall['name']): void {
  attempt.status = 'UNRESOLVED';
  attempt.failure = failureOf(attempt.attemptId, UNRESOLVED);
  attempt.endedAt = new Date(at);
  alarms.push({ kind: 'unresolved', operation, id: attempt.attemptId });
}

/** When a payment has ended, an attempt whose outcome was once unknown is read a last time, after its authentication is dead (D21). */
export async function planLastReading({ em, payment, at }: TransitionContext): Promise<void> {
  await em.flush();
  const { storeId, paymentId } = payment;
  const attempt = await em.findOne(
    PaymentAttemptEntity,
    { storeId, paymentId, isUnknown: true, status: { $nin: ['CONFIRMING', 'APPROVED', 'UNRESOLVED'] } },
    { orderBy: { seq: 'asc' } },
  );
  if (!attempt) return;
  const dueAt = Math.max(at, attempt.confirmedAt!.getTime() + AUTHENTICATION_LIFETIME_MS);
  attempt.unknownSince = new Date(dueAt);
  payment.call = planCall('readPayment', attempt, dueAt, attempt.readings);
}

/**
 * A late approval of an attempt that was given up is voided at once; it never makes a second order (D21). A reading judges each void.
 * Only what a reading has just shown to be ours is voided (X17).
 */
export async function applyLateOutcome(
  context: TransitionContext,
  attempt: PaymentAttempt,
  call: PendingCall,
  outcome: Outcome<'payment'>,
): Promise<void> {
  const { payment, at } = context;
  switch (outcome.result) {
    case 'VOIDED':
    case 'UNPAID':
    case 'DECLINED':
    case 'FOREIGN':
      if (outcome.result === 'VOIDED') attempt.status = 'VOIDED';
      attempt.isUnknown = false;
      return;
    case 'APPROVED':
      attempt.unknownSince ??= new Date(at);
      if (isUnknownTooLong(attempt.unknownSince.getTime(), at)) return leaveUnresolved(context, attempt, 'voidPayment');
      payment.call = planCall('voidPayment', attempt, at, call.n + 1);
      return;
    default:
      if (!planReading(context, attempt, call)) leaveUnresolved(context, attempt, call.name);
  }
}

/** Has the attempts looked up once more of which nobody knew (support); false when there are none. */
export async function reviewPayment(em: Em, storeId: string, paymentId: string, { at, realNow }: Moment): Promise<boolean> {
  const payment = await em.findOneOrFail(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const attempts = await em.find(PaymentAttemptEntity, { storeId, paymentId, status: 'UNRESOLVED' });
  if (attempts.length === 0) return false;
  for (const attempt of attempts) Object.assign(attempt, { status: 'DECLINED', isUnknown: true });
  await reopenRun(em, runOf(payment), at, realNow);
  return true;
}
