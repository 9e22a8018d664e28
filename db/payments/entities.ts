import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Address, Amounts, BundlePrice, Buyer, CheckoutLine, Delivery, Visit } from '../../domain/checkout/rules.ts';
import type { RefundStatus } from '../../domain/payments/rules.ts';
import type { AttemptStatus, Failure, PaymentResult, PaymentStatus, PendingCall, RefundCause } from '../../domain/payments/rules.ts';
import { storeId, time, won } from '../kernel/columns.ts';

export const PaymentEntity = defineEntity({
  name: 'Payment',
  tableName: 'payment',
  properties: {
    storeId: storeId(),
    paymentId: p.string().primary(),
    checkoutId: p.string(),
    orderNo: p.string(),
    status: p.string().$type<PaymentStatus>(),
    result: p.string().$type<PaymentResult>(),
    lines: p.json<CheckoutLine[]>(),
    amounts: p.json<Amounts>(),
    delivery: p.json<Delivery>(),
    bundles: p.json<readonly BundlePrice[]>(),
    totalWon: won(),
    returnUrl: p.string(),
    shippingAddress: p.json<Address>().nullable(),
    buyer: p.json<Buyer>(),
    /** Of a guest; null for a customer. */
    visit: p.json<Visit>().nullable(),
    orderPasswordHash: p.string().nullable(),
    currentAttemptId: p.string(),
    attemptCount: p.integer(),
    lastFailure: p.json<Failure>().nullable(),
    orderId: p.string().nullable(),
    testPayment: p.boolean(),
    expiresAt: time(),
    /** The next business time at which the run must look; null only when it is done. */
    wakeAt: time().nullable(),
    /** The call that is planned or under way. */
    call: p.json<PendingCall>().nullable(),
    createdAt: time(),
    /** Real time of the start. */
    startedAt: time(),
    completedAt: time().nullable(),
  },
});
export type Payment = InferEntity<typeof PaymentEntity>;

export const PaymentAttemptEntity = defineEntity({
  name: 'PaymentAttempt',
  tableName: 'payment_attempt',
  properties: {
    storeId: storeId(),
    attemptId: p.string().primary(),
    paymentId: p.string(),
    seq: p.integer(),
    pg: p.string(),
    method: p.string(),
    provider: p.string().nullable(),
    pgOrderId: p.string(),
    amountWon: won(),
    returnUrl: p.string(),
    status: p.string().$type<AttemptStatus>(),
    paymentKey: p.string().nullable(),
    approvedMethod: p.string().nullable(),
    /** An outcome was unknown once: a late approval is possible. */
    isUnknown: p.boolean(),
    /** Business time since which its outcome is being looked up. */
    unknownSince: time().nullable(),
    /** Whether the last confirm was answered: not lost, not still running. */
    confirmAnswered: p.boolean().default(true),
    /** Readings that found the payment not charged since then, in a row. */
    readings: p.integer().default(0),
    /** Calls planned so far: no two have the same id. */
    callCount: p.integer().default(0),
    failure: p.json<Failure>().nullable(),
    providerMessage: p.string().nullable(),
    startedAt: time(),
    confirmedAt: time().nullable(),
    endedAt: time().nullable(),
  },
});
/** One return of money, asked for by the payment's run (D35). */
export const RefundEntity = defineEntity({
  name: 'Refund',
  tableName: 'refund',
  properties: {
    storeId: storeId(),
    refundId: p.string().primary(),
    paymentId: p.string(),
    orderId: p.string(),
    orderItemId: p.string(),
    amountWon: won(),
    cause: p.string().$type<RefundCause>(),
    status: p.string().$type<RefundStatus>(),
    /** What the provider refused it with; UNRESOLVED, FOREIGN_PAYMENT: why it was given up. */
    failureCode: p.string().nullable(),
    /** Counts the keys that the provider was asked under: a kept error would be answered for ever. */
    keySeq: p.integer(),
    /** Readings without this refund since the last answered request. */
    absences: p.integer(),
    /** The last request was answered (not lost, not still running). */
    isAnswered: p.boolean(),
    /** Calls planned so far: no two have the same id. */
    callCount: p.integer().default(0),
    /** Business time since which it is being asked for; null while it is not. */
    askedAt: time().nullable(),
    createdAt: time(),
    settledAt: time().nullable(),
  },
});
export type Refund = InferEntity<typeof RefundEntity>;
export type PaymentAttempt = InferEntity<typeof PaymentAttemptEntity>;
