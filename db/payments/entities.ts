import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Address, Amounts, Buyer, CheckoutLine, Delivery } from '../../workflows/checkout/rules.ts';
import type { AttemptStatus, Failure, PaymentResult, PaymentStatus, PendingCall } from '../../workflows/payments/rules.ts';
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
    totalWon: won(),
    returnUrl: p.string(),
    shippingAddress: p.json<Address>().nullable(),
    buyer: p.json<Buyer>(),
    orderPasswordHash: p.string(),
    currentAttemptId: p.string(),
    attemptCount: p.integer(),
    lastFailure: p.json<Failure>().nullable(),
    orderId: p.string().nullable(),
    testPayment: p.boolean(),
    expiresAt: time(),
    /** The next business time at which the run must look; null only when it is done. */
    wakeAt: time().nullable(),
    /** The call that is owed now. */
    call: p.json<PendingCall>().nullable(),
    createdAt: time(),
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
    doubtful: p.boolean(),
    /** Look-ups that found the payment not charged, in a row. */
    readings: p.integer(),
    failure: p.json<Failure>().nullable(),
    providerMessage: p.string().nullable(),
    startedAt: time(),
    confirmedAt: time().nullable(),
    settledAt: time().nullable(),
  },
});
export type PaymentAttempt = InferEntity<typeof PaymentAttemptEntity>;
