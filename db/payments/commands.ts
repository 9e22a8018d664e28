/** Payment start (docs/contract.md#payments, D30). */
import { LockMode } from '@mikro-orm/core';
import { randomBytes, randomInt } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import { orderNo, paymentId as makePaymentId } from '../../domain/kernel/ids.ts';
import { koreanDay } from '../../domain/kernel/time.ts';
import { type Address, type Buyer, isBeyond, isShipped, price, type Visit } from '../../domain/checkout/rules.ts';
import { payWithPoints } from '../../domain/points/pricing.ts';
import { earnRateBp } from '../../domain/points/purchase.ts';
import type { Option } from '../../domain/paymentSettings/routing.ts';
import { checkReturnUrl, wayProblems } from '../../domain/payments/returnUrl.ts';
import { PAYMENT_LIFETIME_MS } from '../../domain/payments/rules.ts';
import { checkReturn, choose, endOpenAttempts, newAttempt, supersede } from './attempts.ts';
import { complete } from './effects.ts';
import { heldWon, moveReservation, pointsOfStart, releaseHeld } from './points.ts';
import type { CreateOrder } from './rows.ts';
import type { Checkout } from '../checkout/entities.ts';
import { repriceLines } from '../checkout/queries.ts';
import type { Tx } from '../kernel/tx.ts';
import { isOpen, readSettings, type Settings } from '../paymentSettings/queries.ts';
import { takeStock } from '../products/stock.ts';
import { recordVisit } from '../visits/record.ts';
import { readStore, shippingPolicyOf } from '../stores/queries.ts';
import { openRun, enqueueWake } from '../runs/commands.ts';
import { type Payment, PaymentAttemptEntity, PaymentEntity, RefundEntity } from './entities.ts';
import { type Begun, paymentRun } from './queries.ts';

export interface PaymentStart {
  /** Absent, as the URL: the buyer expects that points pay for everything. Where they do, both are ignored (D43). */
  readonly option?: Option;
  readonly returnUrl?: string;
  readonly shippingAddress: Address | null;
  readonly buyer: Buyer;
  /** argon2id, hashed before the transaction; null for a customer. */
  readonly orderPasswordHash: string | null;
  readonly visit: Visit | null;
  /** The points that the buyer wants to use. */
  readonly pointAmount: number;
  readonly expectedTotalAmount?: number;
}
/**
 * Starts the payment of a checkout whose row the caller has locked: a new attempt of its open payment, which supersedes the last one, or a
 * new payment with its run. Lines get today's prices (D37). What points pay for altogether is an order at once, without a provider (N26).
 */
export async function startPayment(tx: Tx, checkout: Checkout, start: PaymentStart, createOrder: CreateOrder): Promise<Begun> {
  const settings = await readSettings(tx);
  if (!isOpen(settings)) throw new Fault('LIVE_PAYMENTS_DISABLED');
  const open = await findOpen(tx, checkout);
  const held = heldWon(open);
  const priced = await priceStart(tx, checkout, start, held);
  const chosen = priced.totalWon === 0 ? null : choose(settings, wayOf(settings, start));
  const continued = open && mayContinue(open, settings, tx.at) ? open : null;
  const ended = continued ? null : open;
  if (ended) await expireOpen(tx, ended);
  const payment = continued ? await goOn(tx, continued, priced) : await newPayment(tx, checkout, priced, settings);
  // Stock before points, in the order of all that locks both.
  if (!chosen) await takeAll(tx, payment);
  if (ended) await releaseHeld(tx, ended);
  await moveReservation(tx, payment, continued ? held : 0);
  if (!chosen) return completeAtOnce(tx, payment, createOrder);
  if (continued) return supersede(tx, payment, chosen, payment.returnUrl);
  openRun(tx, {
    ...paymentRun(payment),
    wakeAt: payment.expiresAt.getTime(),
    status: 'PENDING',
    createdAt: tx.realNow,
    startAfterMs: START_AFTER_MS,
  });
  return { payment, attempt: newAttempt(tx, payment, chosen, payment.returnUrl) };
}

/** The payment of a checkout that is open, locked. ALREADY_PAID, PAYMENT_IN_PROGRESS; CHECKOUT_EXPIRED. */
async function findOpen({ em, at }: Tx, { storeId, checkoutId, expiresAt }: Checkout): Promise<Payment | null> {
  const open = await em.findOne(
    PaymentEntity,
    { storeId, checkoutId, status: { $in: ['pending', 'processing', 'completed'] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  if (open?.status === 'completed') throw new Fault('ALREADY_PAID');
  if (open?.status === 'processing') throw new Fault('PAYMENT_IN_PROGRESS');
  if (at >= expiresAt.getTime()) throw new Fault('CHECKOUT_EXPIRED');
  return open;
}
const mayContinue = (open: Payment, { environment }: Settings, at: number): boolean =>
  at < open.expiresAt.getTime() && open.environment === environment;

/** CHECKOUT_STALE: the stock is gone since the lines were priced. */
async function takeAll(tx: Tx, { lines, paymentId }: Payment): Promise<void> {
  if (!(await takeStock(tx, lines, paymentId))) throw new Fault('CHECKOUT_STALE');
}

/** How what remains is paid. VALIDATION_FAILED, RETURN_URL_NOT_ALLOWED. */
function wayOf(settings: Settings, { option, returnUrl }: PaymentStart): Option {
  const fieldErrors = wayProblems({ ...(option && { option }), ...(returnUrl !== undefined && { returnUrl }) });
  if (!option || returnUrl === undefined || fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
  checkReturnUrl(returnUrl);
  checkReturn(settings, returnUrl);
  return option;
}

/** The open payment as it is wanted now. A visit that it belongs to is not forgotten. */
async function goOn(tx: Tx, open: Payment, priced: PricedStart): Promise<Payment> {
  if (!open.visit) await recordStart(tx, priced.visit, open.environment);
  return Object.assign(open, priced, { visit: priced.visit ?? open.visit });
}
/** A payment is started once: in the first visit that it is known to belong to. */
const recordStart = (tx: Tx, visit: Visit | null, environment: Payment['environment']): Promise<number> =>
  recordVisit(tx, visit, [{ type: 'PAYMENT_START' }], { isTest: environment === 'TEST' });

async function newPayment(tx: Tx, checkout: Checkout, priced: PricedStart, { environment }: Settings): Promise<Payment> {
  const { em, at, realNow } = tx;
  const { storeId, checkoutId } = checkout;
  const expiresAt = new Date(at + PAYMENT_LIFETIME_MS);
  const payment = em.create(PaymentEntity, {
    ...priced,
    storeId,
    checkoutId,
    expiresAt,
    environment,
    testPayment: environment === 'TEST',
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
  await recordStart(tx, priced.visit, environment);
  return payment;
}

/**
 * Points pay for everything: an order without an attempt. Attempts of before are over, and what may be paid in them yet is voided (D21).
 */
async function completeAtOnce(tx: Tx, payment: Payment, createOrder: CreateOrder): Promise<Begun> {
  if (payment.attemptCount > 0) {
    await endOpenAttempts(tx, payment.paymentId, 'SUPERSEDED');
    enqueueWake(tx, paymentRun(payment));
  }
  Object.assign(payment, { status: 'completed', result: 'COMPLETED', completedAt: new Date(tx.at), lastFailure: null, wakeAt: null });
  await complete({ tx, payment, attempt: null, createOrder });
  return { payment, attempt: null };
}

type PricedStart = Awaited<ReturnType<typeof priceStart>>;
/** Lines, amounts and address at today's prices, after points. The address of an order without shipped lines is not stored. */
async function priceStart(tx: Tx, checkout: Checkout, start: PaymentStart, held: number) {
  const current = await repriceLines(tx, checkout);
  const shipped = current.some(isShipped);
  if (shipped && !start.shippingAddress) throw new Fault('SHIPPING_ADDRESS_REQUIRED');
  const shippingAddress = shipped ? start.shippingAddress : null;
  const before = price(current, shippingAddress?.zipCode ?? null, shippingPolicyOf(await readStore(tx)));
  if (isBeyond(before.amounts)) throw new Fault('CHECKOUT_STALE');
  const { buyer, orderPasswordHash, visit, pointAmount: requested, expectedTotalAmount } = start;
  const points = await pointsOfStart(tx, checkout, { buyer, requested, held }, before.amounts);
  const { amounts, delivery, bundles, lines: paid } = payWithPoints(before, current, points.pointAmount);
  const { totalAmount: totalWon } = amounts;
  if (expectedTotalAmount !== undefined && expectedTotalAmount !== totalWon)
    throw new Fault('AMOUNT_CHANGED', { details: { totalAmount: totalWon } });
  const lines = paid.map((line) => ({ ...line, earnRateBp: earnRateBp(points.earn, line.productEarnRateBp ?? null) }));
  const returnUrl = totalWon === 0 ? '' : (start.returnUrl ?? '');
  return { lines, amounts, delivery, bundles, totalWon, returnUrl, shippingAddress, buyer, orderPasswordHash, visit };
}

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
