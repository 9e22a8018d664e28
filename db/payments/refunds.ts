/** Refunds: requested by a cancel, made by the payment's run, one at a time (D35). */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import { FOREIGN_PAYMENT, type RefundCause, UNRESOLVED } from '../../domain/payments/rules.ts';
import { type Moment, newId } from '../kernel/clock.ts';
import type { Em } from '../kernel/tx.ts';
import { reopenRun } from '../runs/commands.ts';
import { PaymentAttemptEntity, PaymentEntity, type Refund, RefundEntity } from './entities.ts';
import { paymentRun } from './queries.ts';

export interface NewRefund {
  readonly storeId: string;
  readonly paymentId: string;
  readonly orderId: string;
  readonly orderItemId: string;
  readonly amountWon: number;
  readonly cause: RefundCause;
  /** The seller holds the refund back and releases it later. */
  readonly isHeld: boolean;
}
/** Creates a refund: HELD, or PENDING, which wakes the payment's run. */
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

/** Releases a HELD refund; REFUND_NOT_HELD in any other status (docs/contract.md#refunds). */
export async function releaseRefund(em: Em, storeId: string, refundId: string, moment: Moment): Promise<Refund> {
  const refund = await lockRefund(em, storeId, refundId);
  if (refund.status !== 'HELD') throw new Fault('REFUND_NOT_HELD');
  refund.status = 'PENDING';
  await wake(em, storeId, refund.paymentId, moment);
  return refund;
}

/** Retries a FAILED refund (support): a refused one under a new idempotency key; one of unknown outcome is read first. */
export async function retryRefund(em: Em, storeId: string, refundId: string, moment: Moment): Promise<Refund> {
  const refund = await lockRefund(em, storeId, refundId);
  if (refund.status !== 'FAILED') throw new Fault('INVALID_STATUS');
  const isUnknown = refund.failureCode === UNRESOLVED || refund.failureCode === FOREIGN_PAYMENT;
  Object.assign(refund, { status: 'PENDING', settledAt: null, requestedAt: null, absences: 0 });
  Object.assign(
    refund,
    isUnknown ? { failureCode: UNRESOLVED } : { failureCode: null, providerMessage: null, keySeq: refund.keySeq + 1, isAnswered: false },
  );
  await wake(em, storeId, refund.paymentId, moment);
  return refund;
}

async function lockRefund(em: Em, storeId: string, refundId: string): Promise<Refund> {
  const refund = await em.findOne(RefundEntity, { storeId, refundId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!refund) throw new Fault('REFUND_NOT_FOUND');
  return refund;
}

/** Reopens the payment's run. Locks the payment before the run's row, in the same order as transitions. */
async function wake(em: Em, storeId: string, paymentId: string, { at, realNow }: Moment): Promise<void> {
  const payment = await em.findOneOrFail(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  await reopenRun(em, paymentRun(payment), at, realNow);
}

/** The refunds of a payment, oldest first. */
export const refundsOf = (em: Em, storeId: string, paymentId: string): Promise<Refund[]> =>
  em.find(RefundEntity, { storeId, paymentId }, { orderBy: { createdAt: 'asc', refundId: 'asc' } });

/** Has UNRESOLVED attempts read once more (support); false when there are none. */
export async function reviewPayment(em: Em, storeId: string, paymentId: string, { at, realNow }: Moment): Promise<boolean> {
  const payment = await em.findOneOrFail(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const attempts = await em.find(PaymentAttemptEntity, { storeId, paymentId, status: 'UNRESOLVED' });
  if (attempts.length === 0) return false;
  for (const attempt of attempts) Object.assign(attempt, { status: 'DECLINED', isUnknown: true });
  await reopenRun(em, paymentRun(payment), at, realNow);
  return true;
}
