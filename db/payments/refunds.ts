/** Refunds: requested by a cancel, made by the payment's run, one at a time (D35). The provider's reading is the judge. */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import { FOREIGN_PAYMENT, type RefundCause, UNRESOLVED } from '../../domain/payments/rules.ts';
import { type Moment, newId } from '../kernel/clock.ts';
import type { Em } from '../kernel/tx.ts';
import { reopenRun } from '../runs/commands.ts';
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
/** Requests a refund: HELD, or PENDING with the payment's run woken. */
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

/** Lets a HELD refund go, once: REFUND_NOT_HELD afterwards (docs/contract.md#refunds). */
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

/** Has the attempts looked up once more of which nobody knew (support); false when there are none. */
export async function reviewPayment(em: Em, storeId: string, paymentId: string, { at, realNow }: Moment): Promise<boolean> {
  const payment = await em.findOneOrFail(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const attempts = await em.find(PaymentAttemptEntity, { storeId, paymentId, status: 'UNRESOLVED' });
  if (attempts.length === 0) return false;
  for (const attempt of attempts) Object.assign(attempt, { status: 'DECLINED', isUnknown: true });
  await reopenRun(em, runOf(payment), at, realNow);
  return true;
}
