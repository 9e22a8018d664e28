/** Payment start, new attempts, and the public status (docs/contract.md#payments, D30, D36 … D40). */
import { LockMode } from '@mikro-orm/core';
import { randomBytes, randomInt } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import { orderNo, paymentId as makePaymentId } from '../../domain/kernel/ids.ts';
import { koreanDay } from '../../domain/kernel/time.ts';
import { type Address, type Buyer, isBeyond, isShipped, price, type Visit } from '../../domain/checkout/rules.ts';
import { OFFERED, PAYMENT_LIFETIME_MS, type PaymentMethod, pgOrderId } from '../../domain/payments/rules.ts';
import type { Checkout } from '../checkout/entities.ts';
import { repriceLines } from '../checkout/queries.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { readStore, shippingPolicyOf } from '../stores/queries.ts';
import { openRun, enqueueWake } from '../runs/commands.ts';
import { type Payment, type PaymentAttempt, PaymentAttemptEntity, PaymentEntity, RefundEntity } from './entities.ts';
import { paymentRun, type Started } from './queries.ts';

export interface PaymentOption {
  readonly pg: 'tosspayments' | 'portone';
  readonly method: PaymentMethod;
  readonly provider?: string;
}
export interface PaymentStart {
  readonly option: PaymentOption;
  readonly returnUrl: string;
  readonly shippingAddress: Address | null;
  readonly buyer: Buyer;
  /** argon2id, hashed before the transaction; null for a customer. */
  readonly orderPasswordHash: string | null;
  readonly visit: Visit | null;
  readonly expectedTotalAmount?: number;
  /** Whether the provider's key is one for tests. */
  readonly testPayment: boolean;
}
/**
 * Starts the payment of a checkout whose row the caller has locked: a new attempt of its open payment, which supersedes the last one, or a
 * new payment with its run. Lines get today's prices (D37).
 */
export async function startPayment(tx: Tx, checkout: Checkout, start: PaymentStart): Promise<Started> {
  const { em, at, realNow } = tx;
  checkOption(start.option);
  const { storeId, checkoutId } = checkout;
  await checkMode(tx, start.testPayment);
  const open = await findOpen(tx, checkout);
  if (open?.status === 'completed') throw new Fault('ALREADY_PAID');
  if (open?.status === 'processing') throw new Fault('PAYMENT_IN_PROGRESS');
  if (at >= checkout.expiresAt.getTime()) throw new Fault('CHECKOUT_EXPIRED');
  const priced = await priceStart(tx, checkout, start);
  if (open && at < open.expiresAt.getTime()) {
    Object.assign(open, priced);
    return supersede(tx, open, start);
  }
  if (open) await expireOpen(tx, open);
  const expiresAt = new Date(at + PAYMENT_LIFETIME_MS);
  const payment = em.create(PaymentEntity, {
    ...priced,
    storeId,
    checkoutId,
    expiresAt,
    testPayment: start.testPayment,
    paymentId: makePaymentId(randomBytes(23)),
    orderNo: await freeOrderNo(tx),
    status: 'pending',
    result: 'PENDING',
    currentAttemptId: '',
    attemptCount: 0,
    wakeAt: expiresAt,
    createdAt: new Date(at),
    startedAt: new Date(realNow),
  });
  em.persist(payment);
  openRun(tx, {
    ...paymentRun(payment),
    wakeAt: expiresAt.getTime(),
    status: 'PENDING',
    createdAt: realNow,
    startAfterMs: START_AFTER_MS,
  });
  return { payment, attempt: newAttempt(tx, payment, start.option, start.returnUrl) };
}

/** Lines, amounts and address at today's prices. The address of an order without shipped lines is not stored. */
async function priceStart(tx: Tx, checkout: Checkout, start: PaymentStart) {
  const lines = await repriceLines(tx, checkout);
  const shipped = lines.some(isShipped);
  if (shipped && !start.shippingAddress) throw new Fault('SHIPPING_ADDRESS_REQUIRED');
  const shippingAddress = shipped ? start.shippingAddress : null;
  const policy = shippingPolicyOf(await readStore(tx));
  const { amounts, delivery, bundles } = price(lines, shippingAddress?.zipCode ?? null, policy);
  if (isBeyond(amounts)) throw new Fault('CHECKOUT_STALE');
  if (start.expectedTotalAmount !== undefined && start.expectedTotalAmount !== amounts.totalAmount)
    throw new Fault('AMOUNT_CHANGED', { details: { totalAmount: amounts.totalAmount } });
  const { returnUrl, buyer, orderPasswordHash, visit } = start;
  const totalWon = amounts.totalAmount;
  return { lines, amounts, delivery, bundles, totalWon, returnUrl, shippingAddress, buyer, orderPasswordHash, visit };
}

const findOpen = ({ em }: Tx, { storeId, checkoutId }: Checkout): Promise<Payment | null> =>
  em.findOne(
    PaymentEntity,
    { storeId, checkoutId, status: { $in: ['pending', 'processing', 'completed'] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );

/** An order number that no payment of any store has (X17): 8 random digits collide on a busy day. Locked for this transaction. */
async function freeOrderNo({ sql, at }: Tx): Promise<string> {
  for (;;) {
    const number = orderNo(koreanDay(at), randomInt(100_000_000));
    const [row] = await sql<{ taken: boolean }>`SELECT order_no_taken(${number}) AS taken`;
    if (!row!.taken) return number;
  }
}

/** Most buyers return within seconds; then update-with-start starts the workflow, in one workflow task instead of three. */
const START_AFTER_MS = 3000;

export interface PaymentRetry {
  readonly storeId: string;
  readonly paymentId: string;
  readonly option: PaymentOption;
  /** Null: the payment's current one. */
  readonly returnUrl: string | null;
  /** Whether the provider's key is one for tests. */
  readonly testPayment: boolean;
}

/** A new attempt of a payment (POST …/attempts), with any provider; the payment's expiry stays. */
export async function retryPayment(tx: Tx, retry: PaymentRetry): Promise<Started> {
  const { em, at } = tx;
  const { storeId, paymentId, option, returnUrl, testPayment } = retry;
  checkOption(option);
  const payment = await em.findOne(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!payment) throw new Fault('PAYMENT_NOT_FOUND');
  if (payment.status === 'processing') throw new Fault('PAYMENT_IN_PROGRESS');
  if (payment.status === 'completed') throw new Fault('ALREADY_PAID');
  if (payment.status !== 'pending' || at >= payment.expiresAt.getTime()) throw new Fault('PAYMENT_EXPIRED');
  await checkMode(tx, testPayment);
  return supersede(tx, payment, { option, returnUrl: returnUrl ?? payment.returnUrl, testPayment });
}

/** The refund that a call was about, else the attempt. */
interface CallSubject {
  readonly attemptId: string;
  readonly refundId?: string;
}
/**
 * Stores the provider's last message about an attempt or a refund (D45). The call's activity writes it itself, because the text must not go
 * through Temporal. No transition reads it, so writing it twice is harmless; what has ended keeps the message that it ended with, so an
 * answer that comes after a reset changes nothing.
 */
export const storeProviderMessage = (
  { em, storeId }: Tx,
  { attemptId, refundId }: CallSubject,
  providerMessage: string | null,
): Promise<number> =>
  refundId === undefined
    ? em.nativeUpdate(PaymentAttemptEntity, { storeId, attemptId, endedAt: null }, { providerMessage })
    : em.nativeUpdate(RefundEntity, { storeId, refundId, status: 'PENDING' }, { providerMessage });

/** PAYMENT_NOT_CONFIGURED for a live key in a sandbox, or a test key in a live store (X26). */
async function checkMode(tx: Tx, testPayment: boolean): Promise<void> {
  if ((await readStore(tx)).sandbox !== testPayment) throw new Fault('PAYMENT_NOT_CONFIGURED');
}

async function supersede(
  tx: Tx,
  payment: Payment,
  { option, returnUrl, testPayment }: Pick<PaymentStart, 'option' | 'returnUrl' | 'testPayment'>,
): Promise<Started> {
  const { em, at } = tx;
  const { storeId, paymentId } = payment;
  // All attempts of a payment use the same kind of key, test or live.
  if (payment.testPayment !== testPayment) throw new Fault('PAYMENT_NOT_CONFIGURED');
  await em.nativeUpdate(PaymentAttemptEntity, { storeId, paymentId, status: 'OPEN' }, { status: 'SUPERSEDED', endedAt: new Date(at) });
  payment.result = 'PENDING';
  return { payment, attempt: newAttempt(tx, payment, option, returnUrl) };
}

/** Expires a payment whose run has not done so yet: frees the checkout, and wakes the run to finish. */
async function expireOpen(tx: Tx, payment: Payment): Promise<void> {
  const { em, at } = tx;
  const { storeId, paymentId } = payment;
  await em.nativeUpdate(PaymentAttemptEntity, { storeId, paymentId, status: 'OPEN' }, { status: 'EXPIRED', endedAt: new Date(at) });
  Object.assign(payment, { status: 'expired', result: 'EXPIRED' });
  enqueueWake(tx, paymentRun(payment));
  // Before the insert of the new payment: a checkout has at most one open payment (unique index).
  await em.flush();
}

function newAttempt({ em, at }: Tx, payment: Payment, option: PaymentOption, returnUrl: string): PaymentAttempt {
  const { storeId, paymentId, orderNo: number, totalWon } = payment;
  const seq = payment.attemptCount + 1;
  const attempt = em.create(PaymentAttemptEntity, {
    storeId,
    paymentId,
    seq,
    returnUrl,
    attemptId: newId('att', at),
    pg: option.pg,
    method: option.method,
    provider: option.provider ?? null,
    pgOrderId: pgOrderId(number, seq),
    amountWon: totalWon,
    status: 'OPEN',
    isUnknown: false,
    readings: 0,
    startedAt: new Date(at),
  });
  em.persist(attempt);
  payment.attemptCount = seq;
  payment.currentAttemptId = attempt.attemptId;
  return attempt;
}

function checkOption(option: PaymentOption): void {
  if (!OFFERED.some(({ pg, method }) => pg === option.pg && method === option.method)) throw new Fault('PAYMENT_NOT_CONFIGURED');
}
