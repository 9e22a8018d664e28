import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { PricedStay } from '../../domain/products/calendar.ts';
import type { Address, Amounts, Buyer, Delivery, FrozenAddress } from '../../domain/checkout/rules.ts';
import type { FlowState } from '../../domain/flows/run/state.ts';
import type { RefundPolicy } from '../../domain/products/refundPolicy.ts';
import type { AddressChange } from '../../domain/orders/addressChange.ts';
import type { Dispatch, Fulfillment, FulfillmentSnapshot, Hold } from '../../domain/orders/rules.ts';
import type { Tracking, TrackingReading } from '../../domain/orders/tracking.ts';
import type { Visit } from '../../domain/checkout/rules.ts';
import type { ClaimSummary } from '../../domain/claims/rules.ts';
import type { PublicStatus } from '../../domain/flows/graph/status.ts';
import type { FlowFacts } from '../flows/facts.ts';
import { storeId, time, won } from '../kernel/columns.ts';

export const OrderEntity = defineEntity({
  name: 'Order',
  tableName: 'orders',
  properties: {
    storeId: storeId(),
    orderId: p.string().primary(),
    orderNo: p.string(),
    checkoutId: p.string(),
    paymentId: p.string(),
    /** Null: points paid for everything, and the method is POINT. */
    pg: p.string().nullable(),
    method: p.string(),
    approvedMethod: p.string().nullable(),
    buyer: p.json<Buyer>(),
    shippingAddress: p.json<Address>().nullable(),
    addressChange: p.json<AddressChange>().nullable(),
    orderPasswordHash: p.string().nullable(),
    /** The customer who bought it; null for guests. */
    customerId: p.string().nullable(),
    visit: p.json<Visit>().nullable(),
    amounts: p.json<Amounts>(),
    delivery: p.json<Delivery>(),
    totalWon: won(),
    /** What the order has to cost at least for its coupon; null: it has none. */
    couponMinOrderWon: won().nullable(),
    /** What was charged because too little remains for the coupon, less what was given back; of it in points. */
    couponChargedWon: won().default(0),
    couponChargedPointWon: won().default(0),
    testPayment: p.boolean(),
    requiresShipping: p.boolean(),
    representativeStatus: p.string().$type<PublicStatus>(),
    progressStatus: p.string().$type<PublicStatus>(),
    orderedAt: time(),
    lastChangedAt: time(),
  },
});
export type Order = InferEntity<typeof OrderEntity>;

export const OrderItemEntity = defineEntity({
  name: 'OrderItem',
  tableName: 'order_item',
  properties: {
    storeId: storeId(),
    orderItemId: p.string().primary(),
    orderItemNo: p.string(),
    orderId: p.string(),
    position: p.smallint(),
    productId: p.string(),
    variantId: p.string(),
    productName: p.string(),
    optionLabel: p.string().nullable(),
    unitPriceWon: won(),
    quantity: p.integer(),
    /** Units that left: canceled, returned or exchanged. */
    canceledQuantity: p.integer(),
    /** Of them the exchanged ones, for which the buyer has others. */
    exchangedQuantity: p.integer().default(0),
    totalPriceWon: won(),
    /** The item's shares of the order's coupon and points. */
    couponDiscountWon: won().default(0),
    pointAllocationWon: won().default(0),
    /** The rate at which its purchase earns points, fixed at the start of the payment. */
    earnRateBp: p.integer().default(0),
    /** The cash share of the units that left for good; exchanged ones have not. */
    leftCashWon: won().default(0),
    /** Its flow has refunded it on the way: nothing pays for it again. */
    isSettled: p.boolean().default(false),
    /** Its flow has given its units back to stock: they are not given back again as they leave. */
    isRestocked: p.boolean().default(false),
    status: p.string().$type<PublicStatus>(),
    bundleNo: p.smallint(),
    stay: p.json<PricedStay>().nullable(),
    shipFrom: p.json<FrozenAddress>().nullable(),
    returnTo: p.json<FrozenAddress>().nullable(),
    fulfillmentSnapshot: p.json<FulfillmentSnapshot>(),
    dispatch: p.json<Dispatch>().nullable(),
    fulfillment: p.json<Fulfillment>().nullable(),
    hold: p.json<Hold>().nullable(),
    tracking: p.json<Tracking>().nullable(),
    /** The result of a poll, until the next transition applies it. */
    trackingReading: p.json<TrackingReading>().nullable(),
    /** Copied at payment; null on items stored before it existed: the default policy. */
    refundPolicy: p.json<RefundPolicy>().nullable(),
    autoDecisionAt: time().nullable(),
    sellerMemo: p.string().nullable(),
    flowKey: p.string(),
    flowVersion: p.integer(),
    /** Of a member of a group only where it stands: states.ts tells the state of its flow. */
    storedState: p.json<FlowState>().name('flow_state'),
    /** What the expressions of its flow read of the order; null where the flow is one of the code's, which have none. */
    flowFacts: p.json<FlowFacts>().nullable(),
    /** The group that it moves with; null: it moves by itself. */
    groupId: p.string().nullable(),
    /** Its claims, oldest first. */
    claims: p.json<readonly ClaimSummary[]>(),
    lastChangedAt: time(),
  },
});
export type OrderItem = InferEntity<typeof OrderItemEntity>;

/** A delivery bundle of an order, with its fee as it was paid. */
export const OrderBundleEntity = defineEntity({
  name: 'OrderBundle',
  tableName: 'order_bundle',
  properties: {
    storeId: storeId(),
    orderId: p.string().primary(),
    bundleNo: p.smallint().primary(),
    baseFeeWon: won(),
    surchargeWon: won(),
    /** What of the fee was paid in points. */
    pointAllocationWon: won().default(0),
    conditionalFreeWon: won().nullable(),
    ruleFeeWon: won(),
    feeRefundedWon: won(),
    shortfallChargedWon: won(),
    /** Of it what was taken from points. */
    shortfallChargedPointWon: won().default(0),
  },
});
export type OrderBundle = InferEntity<typeof OrderBundleEntity>;

export const FlowStepEntity = defineEntity({
  name: 'FlowStep',
  tableName: 'flow_step',
  properties: {
    storeId: storeId(),
    orderItemId: p.string().primary(),
    seq: p.integer().primary(),
    event: p.json<object>(),
    at: time(),
    trace: p.json<object>(),
    effects: p.json<object>(),
    /** The record's id; all members of a group have the same record. */
    runId: p.string().nullable(),
    flowKey: p.string().nullable(),
    flowVersion: p.integer().nullable(),
    /** The public status afterwards. */
    status: p.string().$type<PublicStatus>().nullable(),
  },
});
