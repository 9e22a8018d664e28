import { CARRIERS, DELIVERY_METHODS, isCarried } from '../../domain/orders/rules.ts';
import { ALL_CLAIM_REASONS, CLAIM_STATUSES, CLAIM_TYPES } from '../../domain/claims/rules.ts';
import { PUBLIC_STATUSES } from '../../domain/flows/status.ts';
import { Amounts, PaidDelivery } from '../checkout/schemas.ts';
import { closed, Count, Day, Id, nullable, oneOf, PricedStay, Timestamp, Type, Won } from '../kernel/schema.ts';

export const Note = Type.String({ maxLength: 1000 });
export const CarrierCode = oneOf(Object.keys(CARRIERS), 'One of GET /v1/carriers');
export const TrackingNumber = Type.String({ minLength: 1, maxLength: 40, pattern: '^[0-9A-Za-z-]+$' });
export const dispatchFields = {
  deliveryMethod: oneOf(DELIVERY_METHODS),
  carrierCode: Type.Optional(CarrierCode),
  trackingNumber: Type.Optional(TrackingNumber),
};
/** The rules of `dispatchProblems` as JSON Schema, for the OpenAPI documents. */
export const CARRIED = {
  anyOf: [
    { properties: { deliveryMethod: { enum: DELIVERY_METHODS.filter((method) => !isCarried(method)) } } },
    { required: ['carrierCode', 'trackingNumber'] },
  ],
};
export const OrderItemIds = Type.Array(Id, { minItems: 1, maxItems: 100 });

const Status = oneOf(PUBLIC_STATUSES);
const FlowState = closed(
  {
    key: Type.String(),
    name: Type.String(),
    message: Type.Null(),
    deadlineAt: nullable(Timestamp),
    attachments: Type.Array(Type.String()),
    earlierAttachments: Type.Array(Type.String()),
    inputs: closed({}),
    branches: Type.Array(Type.String()),
  },
  { title: 'FlowState' },
);
const Action = closed(
  {
    key: Type.String(),
    label: Type.String(),
    by: oneOf(['seller', 'buyer']),
    mode: oneOf(['button', 'form']),
    enabled: Type.Boolean(),
    disabled: nullable(closed({ reason: Type.String() })),
    input: Type.Array(Type.String()),
  },
  { title: 'FlowAction' },
);
export const Flow = closed(
  {
    orderItemId: Id,
    flow: closed({ key: Type.String(), version: Type.Integer() }),
    flowState: FlowState,
    actions: Type.Array(Action),
    moveTargets: Type.Array(Type.String()),
    versions: Type.Array(closed({ version: Type.Integer(), current: Type.Boolean() })),
  },
  { title: 'OrderItemFlow' },
);
/** A snapshot of the time of the order. */
const PickupLocation = closed(
  {
    pickupLocationId: Id,
    name: Type.String(),
    address: Type.String(),
    contact: Type.String(),
    availableHours: nullable(Type.String()),
  },
  { title: 'OrderPickupLocation' },
);
const FrozenAddress = closed(
  {
    addressId: Id,
    name: Type.String(),
    receiver: Type.String(),
    mobile: Type.String(),
    zipCode: Type.String(),
    address: Type.String(),
    detailAddress: nullable(Type.String()),
  },
  { title: 'OrderSellerAddress' },
);
const ClaimSummary = closed(
  {
    claimId: Id,
    claimNo: Type.String(),
    type: oneOf(CLAIM_TYPES),
    status: oneOf(CLAIM_STATUSES),
    quantity: Count,
    reason: oneOf([...ALL_CLAIM_REASONS]),
    requestedAt: Timestamp,
  },
  { title: 'OrderItemClaim' },
);
const itemFields = {
  orderItemId: Id,
  orderItemNo: Type.String(),
  orderId: Id,
  productId: Id,
  productName: Type.String(),
  optionId: Id,
  optionLabel: nullable(Type.String()),
  unitPrice: Won,
  quantity: Count,
  canceledQuantity: Count,
  activeQuantity: Count,
  totalPrice: Won,
  status: Status,
  bundleNo: Count,
  dispatch: nullable(
    closed({
      deliveryMethod: oneOf(DELIVERY_METHODS),
      carrierCode: nullable(Type.String()),
      trackingNumber: nullable(Type.String()),
      dispatchedAt: Timestamp,
      deliveredAt: nullable(Timestamp),
    }),
  ),
  autoDecisionDate: nullable(Timestamp),
  fulfillmentSnapshot: closed({ type: Type.String(), method: Type.String(), pickupLocation: nullable(PickupLocation) }),
  fulfillment: nullable(closed({ status: oneOf(['PROVIDED', 'REVOKED']), note: nullable(Type.String()), fulfilledAt: Timestamp })),
  stay: nullable(PricedStay),
  shipFrom: nullable(FrozenAddress),
  returnTo: nullable(FrozenAddress),
  couponDiscountAmount: Won,
  pointAllocation: Won,
  hold: nullable(closed({ reason: Type.String(), expectedDispatchDate: Day, heldAt: Timestamp })),
  flowState: FlowState,
  actions: Type.Array(Action),
  claims: Type.Array(ClaimSummary),
  lastChangedAt: Timestamp,
};
export const OrderItem = closed({ ...itemFields, sellerMemo: nullable(Type.String()) }, { title: 'OrderItem' });
/** Without the seller's memo, and with the buyer's actions only. */
export const BuyerOrderItem = closed(itemFields, { title: 'BuyerOrderItem' });

const orderFields = {
  orderId: Id,
  orderNo: Type.String(),
  orderedAt: Timestamp,
  testPayment: Type.Boolean(),
  requiresShipping: Type.Boolean(),
  representativeStatus: Status,
  progressStatus: Status,
  buyer: closed({ name: Type.String(), phone: Type.String(), email: Type.String(), customerId: nullable(Id) }),
  shippingAddress: closed({
    receiverName: Type.String(),
    phone: Type.String(),
    zipCode: Type.String(),
    address1: Type.String(),
    address2: Type.Optional(Type.String()),
  }),
  payment: closed({
    paymentId: Id,
    pg: nullable(Type.String({ description: 'Null: points paid for everything' })),
    method: Type.String({ description: 'POINT: points paid for everything' }),
    approvedMethod: nullable(Type.String()),
    totalAmount: Won,
    pointAmount: Won,
    approvedAt: nullable(Timestamp),
  }),
  amounts: Amounts,
  delivery: PaidDelivery,
  lastChangedAt: Timestamp,
};
const Visit = closed({ visitorId: nullable(Type.String()), sessionId: nullable(Type.String()) });
export const Order = closed({ ...orderFields, visit: nullable(Visit), items: Type.Array(OrderItem) }, { title: 'Order' });
export const BuyerOrder = closed({ ...orderFields, items: Type.Array(BuyerOrderItem) }, { title: 'BuyerOrder' });
