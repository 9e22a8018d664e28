/** Refunds: owed by a cancel, made by the payment's run, one at a time (D35). The provider's reading is the judge. */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../workflows/kernel/errors.ts';
import type { Outcome } from '../../workflows/kernel/obligations.ts';
import { afterAbsence, type PendingCall, readGap, type RefundCause } from '../../workflows/payments/rules.ts';
import { newId } from '../kernel/clock.ts';
import type { Em } from '../orm.ts';
import { reopen } from '../runs/store.ts';
import { type Payment, PaymentAttemptEntity, PaymentEntity, type Refund, RefundEntity } from './entities.ts';
import { runOf } from './store.ts';

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
interface Moment {
  readonly at: number;
  readonly realNow: number;
}

/** Owes a refund: HELD, or PENDING with the payment's run woken. */
export async function oweRefund(em: Em, { isHeld, ...refund }: NewRefund, moment: Moment): Promise<Refund> {
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

/** Runs a FAILED refund again, under a new key (support). */
export async function retryRefund(em: Em, storeId: string, refundId: string, moment: Moment): Promise<Refund> {
  const refund = await lockRefund(em, storeId, refundId);
  if (refund.status !== 'FAILED') throw new Fault('INVALID_STATUS');
  Object.assign(refund, {
    status: 'PENDING',
    failureCode: null,
    settledAt: null,
    keySeq: refund.keySeq + 1,
    absences: 0,
    isAnswered: false,
  });
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
  await reopen(em, runOf(payment), at, realNow);
}

/** The refunds of a payment, oldest first. */
export const refundsOf = (em: Em, storeId: string, paymentId: string): Promise<Refund[]> =>
  em.find(RefundEntity, { storeId, paymentId }, { orderBy: { createdAt: 'asc', refundId: 'asc' } });

/** The oldest refund that waits becomes the payment's next call. A reading that is not due yet may wait behind it. */
export async function oweNextRefund(em: Em, payment: Payment, at: number): Promise<void> {
  const { storeId, paymentId, call } = payment;
  const isFree = !call || (call.kind === 'read' && call.dueAt > at);
  if (!isFree || payment.status !== 'completed') return;
  await em.flush();
  const refund = await em.findOne(
    RefundEntity,
    { storeId, paymentId, status: 'PENDING' },
    { orderBy: { createdAt: 'asc', refundId: 'asc' } },
  );
  if (!refund) return;
  const attempt = await em.findOneOrFail(PaymentAttemptEntity, { storeId, paymentId, status: 'APPROVED' });
  payment.call = callOf('refund', refund.refundId, attempt.attemptId, at, 0);
}

/** A call's id names the refund and counts: the same call keeps its id through reset and restart. */
const callOf = (kind: 'refund' | 'findRefund', refundId: string, attemptId: string, dueAt: number, n: number): PendingCall => ({
  kind,
  refundId,
  attemptId,
  dueAt,
  id: `${kind}-${refundId}-${n}`,
});

/** What a refund's call means. Clears the payment's call or replaces it by the next. */
export async function settleRefund(em: Em, payment: Payment, call: PendingCall, outcome: Outcome, at: number): Promise<void> {
  const { storeId } = payment;
  const refund = await em.findOneOrFail(RefundEntity, { storeId, refundId: call.refundId! });
  const n = Number(call.id.slice(call.id.lastIndexOf('-') + 1)) + 1;
  const next = (kind: 'refund' | 'findRefund', dueAt: number) => (payment.call = callOf(kind, refund.refundId, call.attemptId, dueAt, n));
  payment.call = null;
  if (refund.status !== 'PENDING') return;
  if (outcome.kind === 'REFUNDED') {
    Object.assign(refund, { status: 'DONE', failureCode: null, settledAt: new Date(at) });
  } else if (outcome.kind === 'REFUSED') {
    refund.failureCode = String(outcome['code']);
    next('findRefund', at);
  } else if (outcome.kind === 'ABSENT') {
    refund.absences++;
    const step = afterAbsence({ refusedWith: refund.failureCode ?? null, isAnswered: refund.isAnswered, absences: refund.absences });
    if (step === 'failed') Object.assign(refund, { status: 'FAILED', settledAt: new Date(at) });
    else if (step === 'look-again') next('findRefund', at + readGap(n));
    else {
      if (step === 'ask-anew') Object.assign(refund, { keySeq: refund.keySeq + 1 });
      refund.absences = 0;
      next('refund', at);
    }
  } else {
    if (call.kind === 'refund') refund.isAnswered = outcome['ended'] === true;
    next('findRefund', at + readGap(n));
  }
}

/** What the provider must be told; `key` is the refund's id, with a number from the second on. */
export async function refundInput(em: Em, storeId: string, refundId: string): Promise<Record<string, string | number>> {
  const refund = await em.findOneOrFail(RefundEntity, { storeId, refundId });
  return { refundId, refundAmount: refund.amountWon, key: refund.keySeq === 1 ? refundId : `${refundId}-${refund.keySeq}` };
}
