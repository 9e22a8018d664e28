/** The API's views of orders and items (docs/contract.md#orders), which list their fields explicitly. */
import { setImmediate } from 'node:timers/promises';
import type { AddressChange } from '../../domain/orders/addressChange.ts';
import { korean, koreanOf } from '../../domain/kernel/time.ts';
import { claimActions } from '../../domain/claims/actions.ts';
import { viewDelivery } from '../../domain/checkout/rules.ts';
import { MAX_ANSWER, MAX_ITEM, Meter } from '../../domain/flows/expressions/meter.ts';
import { moveTargets } from '../../domain/flows/run/move.ts';
import type { Dispatch } from '../../domain/orders/rules.ts';
import { stageOf } from '../../domain/orders/tracking.ts';
import { claimable } from './flows/claimable.ts';
import { flowOf } from '../flows/loaded.ts';
import type { FlowHead } from '../flows/queries.ts';
import type { Tx } from '../kernel/tx.ts';
import { viewActions, viewFlowState, viewSellersFlowState, viewStep } from './flows/views.ts';
import type { Order, OrderItem } from './entities.ts';
import type { ListedItem } from './listed.ts';
import type { ListedOrder, OrderWithItems } from './queries.ts';
import { shortened } from './shortened.ts';
import { flowStateOf, viewEach } from './flows/states.ts';

const at = (time: Date | number | null): string | null => (time === null ? null : korean(Number(time)));

/** The claims that a buyer may file, and the withdrawal of an open one: what may be done, and why not. */
function viewClaimActions(item: OrderItem, now: number, meter?: Meter) {
  return claimActions(claimable(item), item.claims, now, meter).map(({ key, label, reason }) => ({
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
  moveTargets: moveTargets(flowOf(item), flowStateOf(item), item.orderItemId),
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
  truncated: false,
});

/**
 * An item as its buyer sees it at the business time `now`: without the seller's memo, with all that the buyer may do. `meter`: what the
 * limits of its claims may cost.
 */
export function viewBuyerItem(item: OrderItem, now: number, meter?: Meter) {
  const claims = viewClaimActions(item, now, meter);
  const claimable = claims.some(({ key, enabled }) => enabled && key !== 'withdraw');
  return {
    ...viewRecord(item),
    flowState: viewFlowState(item, 'buyer'),
    step: viewStep(item, { claimable, delivery: item.dispatch ? viewDispatch(item.dispatch) : null }),
    actions: [...viewActions(item, ['buyer']), ...claims],
    truncated: false,
  };
}

/** How much of an item's flow a list shows. */
const LISTED_ACTIONS = 20;
const LISTED_BRANCHES = 10;
type InList = { readonly flowState: ReturnType<typeof viewFlowState>; readonly actions: ReturnType<typeof viewActions> };
/**
 * An item in a list (D90): without forms, inputs, data blocks and attachments, and without messages where these are too large to be loaded.
 * `truncated`: something else is missing too.
 */
function viewInList<V extends InList>({ flowState, actions, ...view }: V, isCut: boolean) {
  const { key, name, message, deadlineAt, branches } = flowState;
  const spoken = (text: string | null) => (isCut ? null : text);
  return {
    ...view,
    flowState: {
      key,
      name,
      message: spoken(message),
      deadlineAt,
      branches: branches.slice(0, LISTED_BRANCHES).map((branch) => ({ ...branch, message: spoken(branch.message) })),
    },
    actions: actions.slice(0, LISTED_ACTIONS).map(({ input: _form, ...action }) => action),
    ...((isCut || branches.length > LISTED_BRANCHES || actions.length > LISTED_ACTIONS) && { truncated: true }),
  };
}
export const viewListedItem = ({ item, isCut, isMemoCut }: ListedItem) => ({
  ...viewInList(viewItem(item), isCut),
  ...(isMemoCut && { truncated: true }),
});
function viewListedBuyerItem({ item, isCut }: ListedItem, now: number, meter: Meter) {
  const { step, ...view } = viewInList(viewBuyerItem(item, now, meter), isCut);
  const { attachments: _gathered, actions, ...shown } = step;
  const offered = actions.slice(0, LISTED_ACTIONS).map(({ input: _form, ...action }) => action);
  return { ...view, step: { ...shown, message: isCut ? null : shown.message, actions: offered } };
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
  lastChangedAt: koreanOf(item.lastChangedAt, 'milliseconds'),
});

/** GET …/dispatch/tracking. */
export const viewTracking = ({ dispatch, tracking = null }: OrderItem) => ({
  carrierCode: dispatch?.carrierCode ?? null,
  trackingNumber: dispatch?.trackingNumber ?? null,
  stage: tracking && stageOf(tracking),
  stages: (tracking?.scans ?? []).map((scan) => ({ ...scan, at: korean(scan.at) })),
  lastCheckedAt: at(tracking?.lastCheckedAt ?? null),
});

const NO_ADDRESS = { zipCode: '', address1: '', address2: '' };

/** An order as its seller sees it; `viewItem` of each item, shortened. */
export async function viewOrder(tx: Tx, { order, items, approvedAt }: OrderWithItems) {
  const views = await viewEach(tx, items, (item) => shortened(viewItem(item)));
  return { ...viewHead(order, approvedAt), visit: order.visit ?? null, items: [...views] };
}

/** An order as its buyer sees it. */
export async function viewBuyerOrder(tx: Tx, { order, items, approvedAt }: OrderWithItems, now: number) {
  const views = await viewEach(
    tx,
    items,
    metered((item: OrderItem, meter) => shortened(viewBuyerItem(item, now, meter))),
  );
  return { ...viewHead(order, approvedAt), items: [...views] };
}

/** So many items are shown before other requests have their turn. */
const ITEMS_AT_ONCE = 100;
/**
 * Views of the items of one answer. The limits of claims, which flows of sellers compute, cost a bounded amount for all of them, and other
 * requests have their turn in between.
 */
function metered<I, V>(view: (item: I, meter: Meter) => V): (item: I) => Promise<V> {
  const meter = new Meter(MAX_ANSWER);
  let [paused, viewedSince] = [0, 0];
  return async (item) => {
    if (meter.spent - paused >= MAX_ITEM || viewedSince >= ITEMS_AT_ONCE) {
      [paused, viewedSince] = [meter.spent, 0];
      await setImmediate();
    }
    viewedSince++;
    const own = meter.part(MAX_ITEM);
    const viewed = view(item, own);
    meter.take(own);
    return viewed;
  };
}

function viewAddressChange({ requestedAt, decidedAt, ...change }: AddressChange) {
  const { addressChangeId, status, shippingAddress, reason } = change;
  return { addressChangeId, status, shippingAddress, requestedAt: korean(requestedAt), decidedAt: at(decidedAt), reason };
}

/** The same in a list. */
export const viewListedOrder = ({ order, items, itemCount, approvedAt }: ListedOrder) => ({
  ...viewHead(order, approvedAt),
  visit: order.visit ?? null,
  items: items.map(viewListedItem),
  itemCount,
  ...(items.length < itemCount && { truncated: true }),
});
export async function viewListedBuyerOrders(orders: readonly ListedOrder[], now: number) {
  const view = metered((item: ListedItem, meter) => viewListedBuyerItem(item, now, meter));
  const viewed = [];
  for (const { order, items, itemCount, approvedAt } of orders) {
    const views: ReturnType<typeof viewListedBuyerItem>[] = [];
    for (const item of items) views.push(await view(item));
    const isCut = items.length < itemCount;
    viewed.push({ ...viewHead(order, approvedAt), items: views, itemCount, ...(isCut && { truncated: true }) });
  }
  return viewed;
}

const viewHead = (order: Order, approvedAt: Date | null) => ({
  orderId: order.orderId,
  orderNo: order.orderNo,
  orderedAt: koreanOf(order.orderedAt),
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
  lastChangedAt: koreanOf(order.lastChangedAt, 'milliseconds'),
});
