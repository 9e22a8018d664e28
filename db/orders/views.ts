/** The API's views of orders and items (docs/contract.md#orders), which list their fields explicitly. */
import type { AddressChange } from '../../domain/orders/addressChange.ts';
import type { Listing } from '../../domain/audit/changes.ts';
import { korean } from '../../domain/kernel/time.ts';
import { claimActions } from '../../domain/claims/actions.ts';
import { viewDelivery } from '../../domain/checkout/rules.ts';
import { moveTargets } from '../../domain/flows/move.ts';
import type { Dispatch } from '../../domain/orders/rules.ts';
import { stageOf } from '../../domain/orders/tracking.ts';
import { claimable } from './claimable.ts';
import { flowOf } from '../flows/loaded.ts';
import type { FlowHead } from '../flows/queries.ts';
import { viewActions, viewFlowState, viewSellersFlowState, viewStep } from './flowViews.ts';
import type { Order, OrderItem } from './entities.ts';
import type { OrderWithItems } from './queries.ts';

const at = (time: Date | number | null): string | null => (time === null ? null : korean(Number(time)));

/** The claims that a buyer may file, and the withdrawal of an open one: what may be done, and why not (F27). */
function viewClaimActions(item: OrderItem, now: number) {
  return claimActions(claimable(item), item.claims, now).map(({ key, label, reason }) => ({
    key,
    label,
    by: 'buyer' as const,
    mode: key === 'withdraw' ? ('button' as const) : ('form' as const),
    enabled: reason === null,
    disabled: reason === null ? null : { reason },
    input: [],
  }));
}

/** GET /v1/order-items/{orderItemId}/flow: `head`, its flow with all versions. */
export const viewFlow = (item: OrderItem, { flowId, name, versions }: FlowHead) => ({
  orderItemId: item.orderItemId,
  flow: { flowId, key: item.flowKey, name, version: item.flowVersion },
  flowState: viewSellersFlowState(item),
  actions: viewActions(item),
  moveTargets: moveTargets(flowOf(item), item.flowState, item.orderItemId),
  versions: versions.map((version) => ({ version, current: version === item.flowVersion })),
});

const viewDispatch = (dispatch: Dispatch) => ({
  ...dispatch,
  dispatchedAt: korean(dispatch.dispatchedAt),
  deliveredAt: at(dispatch.deliveredAt),
});

/** An item as its seller sees it, with the actions of its flow. */
export const viewItem = (item: OrderItem) => ({
  ...viewRecord(item),
  flowState: viewSellersFlowState(item),
  sellerMemo: item.sellerMemo ?? null,
  actions: viewActions(item),
});

/** An item as its buyer sees it at the business time `now`: without the seller's memo, with all that the buyer may do. */
export function viewBuyerItem(item: OrderItem, now: number) {
  const claims = viewClaimActions(item, now);
  const claimable = claims.some(({ key, enabled }) => enabled && key !== 'withdraw');
  return {
    ...viewRecord(item),
    flowState: viewFlowState(item, 'buyer'),
    step: viewStep(item, { claimable, delivery: item.dispatch ? viewDispatch(item.dispatch) : null }),
    actions: [...viewActions(item, ['buyer']), ...claims],
  };
}

/** What both see. */
const viewRecord = (item: OrderItem) => ({
  orderItemId: item.orderItemId,
  orderItemNo: item.orderItemNo,
  orderId: item.orderId,
  productId: item.productId,
  productName: item.productName,
  optionId: item.variantId,
  optionLabel: item.optionLabel ?? null,
  unitPrice: item.unitPriceWon,
  quantity: item.quantity,
  canceledQuantity: item.canceledQuantity,
  activeQuantity: item.quantity - item.canceledQuantity,
  totalPrice: item.totalPriceWon,
  status: item.status,
  bundleNo: item.bundleNo,
  dispatch: item.dispatch ? viewDispatch(item.dispatch) : null,
  autoDecisionDate: at(item.autoDecisionAt ?? null),
  fulfillmentSnapshot: item.fulfillmentSnapshot,
  fulfillment: item.fulfillment ? { ...item.fulfillment, fulfilledAt: korean(item.fulfillment.fulfilledAt) } : null,
  stay: item.stay ? { ...item.stay, nights: [...item.stay.nights] } : null,
  shipFrom: item.shipFrom ?? null,
  returnTo: item.returnTo ?? null,
  couponDiscountAmount: item.couponDiscountWon,
  pointAllocation: item.pointAllocationWon,
  hold: item.hold ? { ...item.hold, heldAt: korean(item.hold.heldAt) } : null,
  claims: item.claims.map((claim) => ({ ...claim, requestedAt: korean(claim.requestedAt) })),
  lastChangedAt: korean(item.lastChangedAt.getTime(), 'milliseconds'),
});

/** GET …/dispatch/tracking (D72). */
export const viewTracking = ({ dispatch, tracking = null }: OrderItem) => ({
  carrierCode: dispatch?.carrierCode ?? null,
  trackingNumber: dispatch?.trackingNumber ?? null,
  stage: tracking && stageOf(tracking),
  stages: (tracking?.scans ?? []).map((scan) => ({ ...scan, at: korean(scan.at) })),
  lastCheckedAt: at(tracking?.lastCheckedAt ?? null),
});

const NO_ADDRESS = { zipCode: '', address1: '', address2: '' };

/** How an item's fields are listed in previews and in the audit log (G14). */
export const ITEM_LISTING: Listing = { given: ['orderItemId', 'orderItemNo', 'refundId'], hidden: ['sellerMemo', 'note'] };

/** An order as its seller sees it. */
export const viewOrder = ({ order, items, approvedAt }: OrderWithItems) => ({
  ...viewHead(order, approvedAt),
  visit: order.visit ?? null,
  items: items.map(viewItem),
});

/** An order as its buyer sees it. */
export const viewBuyerOrder = ({ order, items, approvedAt }: OrderWithItems, now: number) => ({
  ...viewHead(order, approvedAt),
  items: items.map((item) => viewBuyerItem(item, now)),
});

function viewAddressChange({ requestedAt, decidedAt, ...change }: AddressChange) {
  const { addressChangeId, status, shippingAddress, reason } = change;
  return { addressChangeId, status, shippingAddress, requestedAt: korean(requestedAt), decidedAt: at(decidedAt), reason };
}

const viewHead = (order: Order, approvedAt: Date | null) => ({
  orderId: order.orderId,
  orderNo: order.orderNo,
  orderedAt: korean(order.orderedAt.getTime()),
  testPayment: order.testPayment,
  requiresShipping: order.requiresShipping,
  representativeStatus: order.representativeStatus,
  progressStatus: order.progressStatus,
  buyer: { ...order.buyer, customerId: order.buyer.customerId ?? null },
  shippingAddress: order.shippingAddress ?? { receiverName: order.buyer.name, phone: order.buyer.phone, ...NO_ADDRESS },
  addressChange: order.addressChange ? viewAddressChange(order.addressChange) : null,
  payment: {
    paymentId: order.paymentId,
    pg: order.pg ?? null,
    method: order.method === 'EASY_PAY' ? 'CARD' : order.method,
    approvedMethod: order.approvedMethod ?? null,
    totalAmount: order.totalWon,
    pointAmount: order.amounts.pointAmount,
    approvedAt: at(approvedAt),
  },
  amounts: order.amounts,
  delivery: viewDelivery(order.delivery),
  lastChangedAt: korean(order.lastChangedAt.getTime(), 'milliseconds'),
});
