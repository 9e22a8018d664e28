/** Payment start, new attempts, and the public status (docs/contract.md#payments, D30, D36 … D40). */
import { Fault } from '../../domain/kernel/errors.ts';
import { type RunIds, runOf } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Payment, type PaymentAttempt, PaymentAttemptEntity, PaymentEntity } from './entities.ts';

export interface Started {
  readonly payment: Payment;
  readonly attempt: PaymentAttempt;
}

/** The run of a payment. */
export const paymentRun = ({ storeId, paymentId, orderNo }: Payment): RunIds<'payment'> => runOf('payment', storeId, paymentId, orderNo);

/** A payment and one of its attempts, as the pay screen needs them. */
export async function readAttempt({ em, storeId }: Tx, paymentId: string, attemptId: string): Promise<Started | null> {
  const payment = await em.findOne(PaymentEntity, { storeId, paymentId });
  const attempt = payment && (await em.findOne(PaymentAttemptEntity, { storeId, paymentId, attemptId }));
  return attempt ? { payment, attempt } : null;
}

/** The attempts of a payment, in their order. */
export const readAttempts = ({ em, storeId }: Tx, paymentId: string): Promise<PaymentAttempt[]> =>
  em.find(PaymentAttemptEntity, { storeId, paymentId }, { orderBy: { seq: 'asc' } });

export async function readPayment({ em, storeId }: Tx, paymentId: string): Promise<Payment> {
  const payment = await em.findOne(PaymentEntity, { storeId, paymentId });
  if (!payment) throw new Fault('PAYMENT_NOT_FOUND');
  return payment;
}

/** What calls to the provider need of an attempt. */
export interface Charge {
  readonly attemptId: string;
  readonly pgOrderId: string;
  readonly paymentKey: string;
  /** Won. */
  readonly amount: number;
  /** The kind of API key. */
  readonly testPayment: boolean;
  /** Business time of its last confirm's plan, in ms; null before. */
  readonly confirmedAt: number | null;
  /** The store's clock offset, in ms. */
  readonly clock: number;
}

/** Null when the attempt is gone or has no payment key. */
export async function chargeOf({ sql, storeId }: Tx, attemptId: string): Promise<Charge | null> {
  const [row] = await sql<{
    pg_order_id: string;
    payment_key: string;
    amount_won: string;
    test_payment: boolean;
    confirmed_at: string | null;
    clock_offset_ms: string;
  }>`SELECT a.pg_order_id, a.payment_key, a.amount_won, p.test_payment, a.confirmed_at, s.clock_offset_ms FROM payment_attempt a
     JOIN payment p ON p.store_id = a.store_id AND p.payment_id = a.payment_id JOIN store s ON s.store_id = a.store_id
     WHERE a.store_id = ${storeId} AND a.attempt_id = ${attemptId} AND a.payment_key IS NOT NULL`;
  if (!row) return null;
  return {
    attemptId,
    pgOrderId: row.pg_order_id,
    paymentKey: row.payment_key,
    amount: Number(row.amount_won),
    testPayment: row.test_payment,
    confirmedAt: row.confirmed_at === null ? null : new Date(row.confirmed_at).getTime(),
    clock: Number(row.clock_offset_ms),
  };
}
