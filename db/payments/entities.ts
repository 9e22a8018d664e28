import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Address, Amounts, BundlePrice, Buyer, Delivery, PaymentLine, Visit } from '../../domain/checkout/rules.ts';
import type { RefundStatus, AttemptStatus, Failure, PaymentResult, PaymentStatus, RefundCause } from '../../domain/payments/rules.ts';
import type { PendingCall } from '../../domain/payments/pendingCall.ts';
import type { PaidMethod } from '../../domain/salesReport/rules.ts';
import type { Environment, ProviderName } from '../../domain/payments/providers.ts';
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
    lines: p.json<readonly PaymentLine[]>(),
    amounts: p.json<Amounts>(),
    delivery: p.json<Delivery>(),
    bundles: p.json<readonly BundlePrice[]>(),
    totalWon: won(),
    /** Empty: points paid for everything. */
    returnUrl: p.string(),
    shippingAddress: p.json<Address>().nullable(),
    buyer: p.json<Buyer>(),
    /** Of a guest; null for a customer. */
    visit: p.json<Visit>().nullable(),
    orderPasswordHash: p.string().nullable(),
    /** Empty: points paid for everything, and there was no attempt. */
    currentAttemptId: p.string(),
    attemptCount: p.smallint(),
    lastFailure: p.json<Failure>().nullable(),
    orderId: p.string().nullable(),
    /** Of its last attempt, then of the approved one: written by triggers, after its attempt. */
    pg: p.string().$type<ProviderName>().nullable(),
    /** The same; POINT where nothing is paid in cash. */
    method: p.string().$type<PaidMethod>().defaultRaw(`'POINT'::text`),
    testPayment: p.boolean(),
    /** LIVE: real money. It stays what it was at the start. */
    environment: p.string().$type<Environment>(),
    expiresAt: time(),
    /** The business time of the run's next timer; null when it has none. */
    wakeAt: time().nullable(),
    /** The call that is planned or in flight. */
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
    seq: p.smallint(),
    pg: p.string().$type<ProviderName>(),
    method: p.string(),
    provider: p.string().nullable(),
    pgOrderId: p.string(),
    amountWon: won(),
    returnUrl: p.string(),
    status: p.string().$type<AttemptStatus>(),
    paymentKey: p.string().nullable(),
    /** PortOne's, with which its payment is confirmed. */
    paymentToken: p.string().nullable(),
    /** The payment's. */
    environment: p.string().$type<Environment>(),
    /** The credential set of all its calls; null: it was started before there were any. */
    credentialId: p.string().nullable(),
    approvedMethod: p.string().nullable(),
    /** An outcome was unknown once: a late approval is possible. */
    isUnknown: p.boolean(),
    /** Business time since which its outcome is unknown. */
    unknownSince: time().nullable(),
    /** Whether the provider has finished processing the last confirm. */
    confirmAnswered: p.boolean().default(true),
    /** Consecutive readings "not charged" since that confirm. */
    readings: p.smallint().default(0),
    /** Calls planned so far: no two have the same id. */
    callCount: p.integer().default(0),
    failure: p.json<Failure>().nullable(),
    /** The provider's last message about it, for the seller (D45). */
    providerMessage: p.string().nullable(),
    startedAt: time(),
    confirmedAt: time().nullable(),
    endedAt: time().nullable(),
  },
});
/** A refund, made by the payment's run. */
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
    /** The provider's code of a refusal, or ours: UNRESOLVED, FOREIGN_PAYMENT. */
    failureCode: p.string().nullable(),
    /** The provider's last message about it. */
    providerMessage: p.string().nullable(),
    /** The number of the current idempotency key: under an old one the provider would replay a stored error forever. */
    keySeq: p.smallint(),
    /** Readings without this refund since the last request. */
    absences: p.smallint(),
    /** Whether the provider has finished processing the last request. */
    isAnswered: p.boolean(),
    /** Calls planned so far: no two have the same id. */
    callCount: p.integer().default(0),
    /** Business time of the first request; null before. */
    requestedAt: time().nullable(),
    createdAt: time(),
    settledAt: time().nullable(),
  },
});
export type Refund = InferEntity<typeof RefundEntity>;
export type PaymentAttempt = InferEntity<typeof PaymentAttemptEntity>;
