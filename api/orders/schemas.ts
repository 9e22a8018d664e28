export { ITEM_CUT, ORDER_CUT } from './fitting.ts';
import { CARRIERS, DELIVERY_METHODS, isCarried } from '../../domain/orders/rules.ts';
import { ALL_CLAIM_REASONS, CLAIM_STATUSES, CLAIM_TYPES } from '../../domain/claims/rules.ts';
import { STEP_TYPES } from '../../domain/flows/graph/graph.ts';
import { Amounts, PaidDelivery } from '../checkout/schemas.ts';
import { AddressChange, ShownAddress } from './addressChange.ts';
import {
  Action,
  actionFields,
  BuyerFlowState,
  FlowState,
  InputField,
  ListedAction,
  ListedFlowState,
  Status,
  Texts,
} from './flowSchemas.ts';
import { Truncated } from '../declare/shortened.ts';
import { closed, Count, Day, Id, nullable, oneOf, PricedStay, Timestamp, Type, Won } from '../declare/schema.ts';

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
const Dispatch = closed(
  {
    deliveryMethod: oneOf(DELIVERY_METHODS),
    carrierCode: nullable(Type.String()),
    trackingNumber: nullable(Type.String()),
    dispatchedAt: Timestamp,
    deliveredAt: nullable(Timestamp),
  },
  { title: 'Dispatch' },
);
/** What a buyer is shown of where an item stands; types may grow: draw an unknown one as SELLER_PROCESSING. */
const stepFields = {
  type: oneOf([...STEP_TYPES, 'CLAIM_IN_PROGRESS']),
  label: Type.String(),
  message: nullable(Type.String()),
  deadlineAt: nullable(Timestamp),
};
const stepEnd = { data: closed({ delivery: nullable(Dispatch) }), claimable: Type.Boolean() };
const ListedStep = closed({ ...stepFields, actions: Type.Array(closed(actionFields)), ...stepEnd }, { title: 'ListedOrderItemStep' });
const Step = closed(
  {
    ...stepFields,
    attachments: Texts,
    actions: Type.Array(closed({ ...actionFields, input: Type.Array(InputField) })),
    ...stepEnd,
  },
  { title: 'OrderItemStep' },
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
  dispatch: nullable(Dispatch),
  autoDecisionDate: nullable(Timestamp),
  fulfillmentSnapshot: closed({ type: Type.String(), method: Type.String(), pickupLocation: nullable(PickupLocation) }),
  fulfillment: nullable(closed({ status: oneOf(['PROVIDED', 'REVOKED']), note: nullable(Type.String()), fulfilledAt: Timestamp })),
  stay: nullable(PricedStay),
  shipFrom: nullable(FrozenAddress),
  returnTo: nullable(FrozenAddress),
  couponDiscountAmount: Won,
  pointAllocation: Won,
  hold: nullable(closed({ reason: Type.String(), expectedDispatchDate: Day, heldAt: Timestamp })),
  claims: Type.Array(ClaimSummary),
  lastChangedAt: Timestamp,
  truncated: Type.Boolean({ description: 'Among others, part of what its flow holds was left out: the item’s own answer has all' }),
};
const detailed = { ...itemFields, actions: Type.Array(Action) };
export const OrderItem = closed({ ...detailed, flowState: FlowState, sellerMemo: nullable(Type.String()) }, { title: 'OrderItem' });
/** Without the seller's memo, and with the buyer's actions only. */
export const BuyerOrderItem = closed({ ...detailed, flowState: BuyerFlowState, step: Step }, { title: 'BuyerOrderItem' });
/** Of lists: at most 20 actions, 10 branches and the newest 5 claims. */
const listed = {
  ...itemFields,
  flowState: ListedFlowState,
  actions: Type.Array(ListedAction),
  truncated: Truncated,
};
export const ListedOrderItem = closed({ ...listed, sellerMemo: nullable(Type.String()) }, { title: 'ListedOrderItem' });
const ListedBuyerOrderItem = closed({ ...listed, step: ListedStep }, { title: 'ListedBuyerOrderItem' });

const orderFields = {
  orderId: Id,
  orderNo: Type.String(),
  orderedAt: Timestamp,
  testPayment: Type.Boolean(),
  requiresShipping: Type.Boolean(),
  representativeStatus: Status,
  progressStatus: Status,
  buyer: closed({ name: Type.String(), phone: Type.String(), email: Type.String(), customerId: nullable(Id) }),
  shippingAddress: ShownAddress,
  addressChange: nullable(AddressChange),
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

/** Of lists. */
const listedFields = {
  ...orderFields,
  itemCount: Type.Integer({ minimum: 1, description: 'Of all its items; a page of lists holds at most 300 of its orders’ first items' }),
  truncated: Truncated,
};
export const ListedOrder = closed(
  { ...listedFields, visit: nullable(Visit), items: Type.Array(ListedOrderItem) },
  { title: 'ListedOrder' },
);
export const ListedBuyerOrder = closed({ ...listedFields, items: Type.Array(ListedBuyerOrderItem) }, { title: 'ListedBuyerOrder' });
