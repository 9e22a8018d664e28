/** Payment start, new attempts, and the public status (docs/contract.md#payments, D30, D36 … D40). */
import { LockMode } from '@mikro-orm/core';
import { randomBytes, randomInt } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import { orderNo, paymentId as makePaymentId } from '../../domain/kernel/ids.ts';
import { koreanDay } from '../../domain/kernel/time.ts';
import { type Address, type Buyer, isBeyond, isShipped, price, type Visit } from '../../domain/checkout/rules.ts';
import type { Option } from '../../domain/paymentSettings/routing.ts';
import { PAYMENT_LIFETIME_MS } from '../../domain/payments/rules.ts';
import { checkReturn, choose, endOpenAttempts, newAttempt, supersede } from './attempts.ts';
import type { Checkout } from '../checkout/entities.ts';
import { repriceLines } from '../checkout/queries.ts';
import type { Tx } from '../kernel/tx.ts';
import { isOpen, readSettings } from '../paymentSettings/queries.ts';
import { readStore, shippingPolicyOf } from '../stores/queries.ts';
import { openRun, enqueueWake } from '../runs/commands.ts';
import { type Payment, PaymentAttemptEntity, PaymentEntity, RefundEntity } from './entities.ts';
import { paymentRun, type Started } from './queries.ts';

export interface PaymentStart {
  readonly option: Option;
  readonly returnUrl: string;
  readonly shippingAddress: Address | null;
  readonly buyer: Buyer;
  /** argon2id, hashed before the transaction; null for a customer. */
  readonly orderPasswordHash: string | null;
  readonly visit: Visit | null;
  readonly expectedTotalAmount?: number;
}
/**
 * Starts the payment of a checkout whose row the caller has locked: a new attempt of its open payment, which supersedes the last one, or a
 * new payment with its run. Lines get today's prices (D37).
 */
export async function startPayment(tx: Tx, checkout: Checkout, start: PaymentStart): Promise<Started> {
  const { em, at, realNow } = tx;
  const { storeId, checkoutId } = checkout;
  const settings = await readSettings(tx);
  if (!isOpen(settings)) throw new Fault('LIVE_PAYMENTS_DISABLED');
  checkReturn(settings, start.returnUrl);
  const open = await findOpen(tx, checkout);
  if (open?.status === 'completed') throw new Fault('ALREADY_PAID');
  if (open?.status === 'processing') throw new Fault('PAYMENT_IN_PROGRESS');
  if (at >= checkout.expiresAt.getTime()) throw new Fault('CHECKOUT_EXPIRED');
  const chosen = choose(settings, start.option);
  const priced = await priceStart(tx, checkout, start);
  if (open && at < open.expiresAt.getTime() && open.environment === settings.environment) {
    Object.assign(open, priced);
    return supersede(tx, open, chosen, start.returnUrl);
  }
  if (open) await expireOpen(tx, open);
  const expiresAt = new Date(at + PAYMENT_LIFETIME_MS);
  const payment = em.create(PaymentEntity, {
    ...priced,
    storeId,
    checkoutId,
    expiresAt,
    environment: settings.environment,
    testPayment: settings.environment === 'TEST',
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
  return { payment, attempt: newAttempt(tx, payment, chosen, start.returnUrl) };
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

/** Expires a payment whose run has not done so yet: frees the checkout, and wakes the run to finish. */
async function expireOpen(tx: Tx, payment: Payment): Promise<void> {
  const { em } = tx;
  await endOpenAttempts(tx, payment.paymentId, 'EXPIRED');
  Object.assign(payment, { status: 'expired', result: 'EXPIRED' });
  enqueueWake(tx, paymentRun(payment));
  // Before the insert of the new payment: a checkout has at most one open payment (unique index).
  await em.flush();
}
