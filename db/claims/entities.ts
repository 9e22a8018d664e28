import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ClaimCommandName } from '../../domain/claims/machine.ts';
import type { ClaimReason, ClaimStatus, ClaimType, Collection, Inspection, Redelivery, Rejection } from '../../domain/claims/rules.ts';
import { storeId, textList, time, won } from '../kernel/columns.ts';

/** What a claim has given back and charged. Won. */
export interface ClaimAmounts {
  readonly refundAmount: number;
  readonly pointRefundAmount: number;
  readonly deliveryFeeRefundAmount: number;
  readonly deliveryFeeChargeAmount: number;
  readonly deliveryFeeChargeRefundAmount: number;
  readonly couponChargeAmount: number;
  readonly couponChargeRefundAmount: number;
  readonly deductAmount: number;
  readonly refundId: string | null;
}
/** What an approval would give back. Won. */
export interface ExpectedAmounts {
  readonly refundAmount: number;
  readonly pointRefundAmount: number;
  readonly deliveryFeeRefundAmount: number;
}

export const ClaimEntity = defineEntity({
  name: 'Claim',
  tableName: 'claim',
  properties: {
    storeId: storeId(),
    claimId: p.string().primary(),
    claimNo: p.string(),
    type: p.string().$type<ClaimType>(),
    status: p.string().$type<ClaimStatus>(),
    orderId: p.string(),
    orderNo: p.string(),
    orderItemId: p.string(),
    /** The option that was bought. */
    variantId: p.string(),
    quantity: p.integer(),
    reason: p.string().$type<ClaimReason>(),
    detail: p.string().nullable(),
    images: textList(),
    /** Null: a guest filed it. */
    customerId: p.string().nullable(),
    isShipped: p.boolean(),
    /** The option that the buyer wants, of an exchange. */
    exchangeOptionId: p.string().nullable(),
    /** What an exchange costs the buyer; the seller bills it. */
    deliveryFeeWon: won(),
    holdReason: p.string().nullable(),
    holdUntil: time().nullable(),
    isHoldUsed: p.boolean().default(false),
    collection: p.json<Collection>().nullable(),
    inspection: p.json<Inspection>().nullable(),
    redelivery: p.json<Redelivery>().nullable(),
    rejection: p.json<Rejection>().nullable(),
    restockedQuantity: p.integer().default(0),
    /** Restocked units that had been sold when the rejection took them back. */
    stockShortfall: p.integer().default(0),
    /** Of an approval. */
    amounts: p.json<ClaimAmounts>().nullable(),
    /** As it was when the claim was closed. */
    expected: p.json<ExpectedAmounts>().nullable(),
    /** The lines of its history. */
    stepCount: p.integer().default(0),
    testPayment: p.boolean(),
    /** What its flow deducts from the refund, fixed when it was filed. */
    flowFeeWon: won().default(0),
    requestedAt: time(),
    closedAt: time().nullable(),
    lastChangedAt: time(),
  },
});
export type Claim = InferEntity<typeof ClaimEntity>;

/** A line of a claim's history; of an approval with its amounts, which the audit log reads. */
export const ClaimStepEntity = defineEntity({
  name: 'ClaimStep',
  tableName: 'claim_step',
  properties: {
    storeId: storeId(),
    claimId: p.string().primary(),
    seq: p.integer().primary(),
    name: p.string().$type<ClaimStepName>(),
    by: p.string().$type<ClaimStepBy>(),
    at: time(),
    detail: p.json<ClaimAmounts>().nullable(),
  },
});
export type ClaimStep = InferEntity<typeof ClaimStepEntity>;
export type ClaimStepName = 'request' | ClaimCommandName;
export type ClaimStepBy = 'BUYER' | 'SELLER' | 'SYSTEM';
