/** Refunds: owed by a cancel, made by the payment's run, one at a time (D35). The provider's reading is the judge. */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Outcome } from '../../workflows/kernel/messages.ts';
import {
  afterAbsence,
  FOREIGN_PAYMENT,
  isUnknownTooLong,
  type PendingCall,
  readGap,
  type RefundCause,
  UNRESOLVED,
} from '../../domain/payments/rules.ts';
import { type Moment, newId } from '../kernel/clock.ts';
import type { Em } from '../kernel/tx.ts';
import { reopenRun } from '../runs/commands.ts';
import type { TransitionContext } from './calls.ts';
import { PaymentAttemptEntity, PaymentEntity, type Refund, RefundEntity } from './entities.ts';
import { runOf } from './queries.ts';

export interface NewRefund {
  readonly storeId: string;
  readonly paymentId: string;
  readonly orderId: string;
  readonly orderItemId: string;
  readonly amountWon: number;
  readonly cause: RefundCause;
  /** Settled with the buyer now, paid back when the seller says so. */
  readonly isHeld: boolean;
}
/** Owes a refund: HELD, or PENDING with the payment's run woken. */
export async function requestRefund(em: Em, { isHeld, ...refund }: NewRefund, moment: Moment): Promise<Refund> {
  const row = em.create(RefundEntity, {
    ...refund,
    refundId: newId('rfd', moment.at),
    status: isHeld ? 'HELD' : 'PENDING',
    keySeq: 1,
    absences: 0,
    isAnswered: false,
    createdAt: new Date(moment.at),
  });
  em.persist(row);
  if (!isHeld) await wake(em, refund.storeId, refund.paymentId, moment);
  return row;
}

/** Lets a HELD refund go, once: REFUND_NOT_HELD afterwards (part A § Reports and settings). */
export async function releaseRefund(em: Em, storeId: string, refundId: string, moment: Moment): Promise<Refund> {
  const refund = await lockRefund(em, storeId, refundId);
  if (refund.status !== 'HELD') throw new Fault('REFUND_NOT_HELD');
  refund.status = 'PENDING';
  await wake(em, storeId, refund.paymentId, moment);
  return refund;
}

/** Runs a FAILED refund again (support): one that was refused under a new key; one of which nobody knows is looked for first. */
export async function retryRefund(em: Em, storeId: string, refundId: string, moment: Moment): Promise<Refund> {
  const refund = await lockRefund(em, storeId, refundId);
  if (refund.status !== 'FAILED') throw new Fault('INVALID_STATUS');
  const isUnknown = refund.failureCode === UNRESOLVED || refund.failureCode === FOREIGN_PAYMENT;
  Object.assign(refund, { status: 'PENDING', settledAt: null, askedAt: null, absences: 0 });
  Object.assign(refund, isUnknown ? { failureCode: UNRESOLVED } : { failureCode: null, keySeq: refund.keySeq + 1, isAnswered: false });
  await wake(em, storeId, refund.paymentId, moment);
  return refund;
}

async function lockRefund(em: Em, storeId: string, refundId: string): Promise<Refund> {
  const refund = await em.findOne(RefundEntity, { storeId, refundId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!refund) throw new Fault('REFUND_NOT_FOUND');
  return refund;
}

/** The payment is locked before its run line, in the order in which its own transitions lock them. */
async function wake(em: Em, storeId: string, paymentId: string, { at, realNow }: Moment): Promise<void> {
  const payment = await em.findOneOrFail(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  await reopenRun(em, runOf(payment), at, realNow);
}

/** The refunds of a payment, oldest first. */
export const refundsOf = (em: Em, storeId: string, paymentId: string): Promise<Refund[]> =>
  em.find(RefundEntity, { storeId, paymentId }, { orderBy: { createdAt: 'asc', refundId: 'asc' } });

/**
 * The oldest refund that waits becomes the payment's next call. A reading that is not due yet may wait behind it. One that was given up
 * is looked for before it is asked for again.
 */
export async function planNextRefund({ em, payment, at }: TransitionContext): Promise<void> {
  const { storeId, paymentId, call } = payment;
  const isFree = !call || (call.name === 'readPayment' && call.dueAt > at);
  if (!isFree || payment.status !== 'completed') return;
  await em.flush();
  const oldest = { orderBy: { createdAt: 'asc', refundId: 'asc' } } as const;
  const refund = await em.findOne(RefundEntity, { storeId, paymentId, status: 'PENDING' }, oldest);
  if (!refund) return;
  const attempt = await em.findOneOrFail(PaymentAttemptEntity, { storeId, paymentId, status: 'APPROVED' });
  refund.askedAt ??= new Date(at);
  payment.call = planRefundCall(refund.failureCode === UNRESOLVED ? 'findRefund' : 'refundPayment', refund, attempt.attemptId, at, 0);
}

/** A call's id names the refund and counts: the same call keeps its id through reset and restart. */
const planRefundCall = (
  name: 'refundPayment' | 'findRefund',
  refund: Refund,
  attemptId: string,
  dueAt: number,
  n: number,
): PendingCall => ({ id: `${name}-${refund.refundId}-${refund.callCount++}`, name, n, refundId: refund.refundId, attemptId, dueAt });

/** Ends a refund that an operator has to look after. */
function fail({ at, alarms }: Pick<TransitionContext, 'at' | 'alarms'>, refund: Refund, failureCode: string): void {
  Object.assign(refund, { status: 'FAILED', failureCode, settledAt: new Date(at) });
  if (failureCode === UNRESOLVED) alarms.push({ kind: 'unresolved', operation: 'refundPayment', id: refund.refundId });
  if (failureCode === FOREIGN_PAYMENT) alarms.push({ kind: 'mismatch', operation: 'refundPayment', id: refund.refundId });
}

/** What a refund's call means. Clears the payment's call or replaces it by the next; after a day of asking an operator is told. */
export async function applyRefundOutcome(context: TransitionContext, call: PendingCall, outcome: Outcome<'payment'>): Promise<void> {
  const { em, payment, at } = context;
  const { storeId } = payment;
  const refund = await em.findOneOrFail(RefundEntity, { storeId, refundId: call.refundId! });
  payment.call = null;
  if (refund.status !== 'PENDING') return;
  if (outcome.result === 'REFUNDED') return void Object.assign(refund, { status: 'DONE', failureCode: null, settledAt: new Date(at) });
  if (outcome.result === 'FOREIGN') return fail(context, refund, FOREIGN_PAYMENT);
  refund.askedAt ??= new Date(at);
  const n = call.n + 1;
  const next = (name: 'refundPayment' | 'findRefund', dueAt: number) => {
    if (isUnknownTooLong(refund.askedAt!.getTime(), at)) return fail(context, refund, UNRESOLVED);
    payment.call = planRefundCall(name, refund, call.attemptId, dueAt, n);
  };
  if (outcome.result === 'REFUSED') {
    refund.failureCode = outcome.code;
    return next('findRefund', at);
  }
  if (outcome.result !== 'ABSENT') {
    if (call.name === 'refundPayment') refund.isAnswered = outcome.result !== 'LOST' && outcome.ended;
    return next('findRefund', at + readGap(n));
  }
  refund.absences++;
  const refusedWith = refund.failureCode === UNRESOLVED ? null : (refund.failureCode ?? null);
  const step = afterAbsence({ refusedWith, isAnswered: refund.isAnswered, absences: refund.absences });
  if (step === 'failed') return fail(context, refund, refusedWith!);
  if (step === 'look-again') return next('findRefund', at + readGap(n));
  if (step === 'ask-anew') refund.keySeq += 1;
  refund.absences = 0;
  next('refundPayment', at);
}
