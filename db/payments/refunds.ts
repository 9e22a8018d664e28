/** Refunds: requested by a cancel, a claim or a flow, made by the payment's run, one at a time (D35). */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import { FOREIGN_PAYMENT, type RefundCause, UNRESOLVED } from '../../domain/payments/rules.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
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
export async function requestRefund(tx: Tx, { isHeld, ...refund }: NewRefund): Promise<Refund> {
  const { em, at } = tx;
  const row = em.create(RefundEntity, {
    ...refund,
    refundId: newId('rfd', at),
    status: isHeld ? 'HELD' : 'PENDING',
    keySeq: 1,
    absences: 0,
    isAnswered: false,
    createdAt: new Date(at),
  });
  em.persist(row);
  if (!isHeld) await wake(tx, refund.paymentId);
  return row;
}

export const findRefund = ({ em, storeId }: Tx, refundId: string): Promise<Refund | null> =>
  em.findOne(RefundEntity, { storeId, refundId });

/** Releases a HELD refund; REFUND_NOT_HELD in any other status (docs/contract.md#refunds). */
export async function releaseRefund(tx: Tx, refundId: string): Promise<Refund> {
  const refund = await lockRefund(tx, refundId);
  if (refund.status !== 'HELD') throw new Fault('REFUND_NOT_HELD');
  refund.status = 'PENDING';
  await wake(tx, refund.paymentId);
  return refund;
}

/** Retries a FAILED refund (support): a refused one under a new idempotency key; one of unknown outcome is read first. */
export async function retryRefund(tx: Tx, refundId: string): Promise<Refund> {
  const refund = await lockRefund(tx, refundId);
  if (refund.status !== 'FAILED') throw new Fault('INVALID_STATUS');
  const isUnknown = refund.failureCode === UNRESOLVED || refund.failureCode === FOREIGN_PAYMENT;
  Object.assign(refund, { status: 'PENDING', settledAt: null, requestedAt: null, absences: 0 });
  Object.assign(
    refund,
    isUnknown ? { failureCode: UNRESOLVED } : { failureCode: null, providerMessage: null, keySeq: refund.keySeq + 1, isAnswered: false },
  );
  await wake(tx, refund.paymentId);
  return refund;
}

async function lockRefund({ em, storeId }: Tx, refundId: string): Promise<Refund> {
  const refund = await em.findOne(RefundEntity, { storeId, refundId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!refund) throw new Fault('REFUND_NOT_FOUND');
  return refund;
}

/** Reopens the payment's run. Locks the payment before the run's row, in the same order as transitions. */
async function wake(tx: Tx, paymentId: string): Promise<void> {
  const { em, storeId, at } = tx;
  const payment = await em.findOneOrFail(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  await reopenRun(tx, paymentRun(payment), at);
}

/** The refunds of a payment, oldest first. */
export const refundsOf = ({ em, storeId }: Tx, paymentId: string): Promise<Refund[]> =>
  em.find(RefundEntity, { storeId, paymentId }, { orderBy: { createdAt: 'asc', refundId: 'asc' } });

/** Has UNRESOLVED attempts read once more (support); false when there are none. */
export async function reviewPayment(tx: Tx, paymentId: string): Promise<boolean> {
  const { em, storeId, at } = tx;
  const payment = await em.findOneOrFail(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const attempts = await em.find(PaymentAttemptEntity, { storeId, paymentId, status: 'UNRESOLVED' });
  if (attempts.length === 0) return false;
  for (const attempt of attempts) Object.assign(attempt, { status: 'DECLINED', isUnknown: true });
  await reopenRun(tx, paymentRun(payment), at);
  return true;
}
