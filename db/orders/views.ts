/** What callers see of orders and items (spec/shapes.md § Orders). Views pick fields; nothing else leaks. */
import { korean } from '../../workflows/kernel/time.ts';
import { graphOf } from '../../workflows/flows/presets/index.ts';
import { actions, moveTargets, nearest, nodeOf } from '../../workflows/flows/rules.ts';
import type { Dispatch } from '../../workflows/orders/rules.ts';
import type { Order, OrderItem } from './entities.ts';

const at = (time: Date | number | null): string | null => (time === null ? null : korean(Number(time)));

/** Where an item stands in its flow. */
function viewFlowState(item: OrderItem) {
  const graph = graphOf(item.flowKey, item.flowVersion);
  const position = item.flowState.positions[0]!;
  const due = nearest(item.flowState);
  return {
    key: position.node,
    name: nodeOf(graph, position.node).label,
    message: null,
    deadlineAt: at(due?.at ?? null),
    attachments: [],
    earlierAttachments: [],
    inputs: {},
    branches: [],
  };
}

/** `actions[]` as D74 gives them, for seller and buyer. */
function viewActions(item: OrderItem) {
  const graph = graphOf(item.flowKey, item.flowVersion);
  return (['seller', 'buyer'] as const).flatMap((by) =>
    actions(graph, item.flowState, by).map(({ action, reason }) => ({
      key: action.key,
      label: action.label,
      by,
      mode: action.mode ?? 'button',
      enabled: reason === null,
      disabled: reason === null ? null : { reason },
      input: [],
    })),
  );
}

/** GET /v1/order-items/{orderItemId}/flow. */
export const viewFlow = (item: OrderItem) => ({
  orderItemId: item.orderItemId,
  flow: { key: item.flowKey, version: item.flowVersion },
  flowState: viewFlowState(item),
  actions: viewActions(item),
  moveTargets: moveTargets(graphOf(item.flowKey, item.flowVersion), item.flowState),
  versions: [{ version: item.flowVersion, current: true }],
});

const viewDispatch = (dispatch: Dispatch) => ({
  ...dispatch,
  dispatchedAt: korean(dispatch.dispatchedAt),
  deliveredAt: at(dispatch.deliveredAt),
});

export const viewItem = (item: OrderItem) => ({
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
  couponDiscountAmount: 0,
  pointAllocation: 0,
  hold: null,
  sellerMemo: item.sellerMemo ?? null,
  flowState: viewFlowState(item),
  actions: viewActions(item),
  lastChangedAt: korean(item.lastChangedAt.getTime(), 'milliseconds'),
});

const NO_ADDRESS = { zipCode: '', address1: '', address2: '' };

export const viewOrder = (order: Order, items: readonly OrderItem[], approvedAt: Date | null) => ({
  orderId: order.orderId,
  orderNo: order.orderNo,
  orderedAt: korean(order.orderedAt.getTime()),
  testPayment: order.testPayment,
  requiresShipping: order.requiresShipping,
  representativeStatus: order.representativeStatus,
  progressStatus: order.progressStatus,
  buyer: { ...order.buyer, customerId: order.buyer.customerId ?? null },
  shippingAddress: order.shippingAddress ?? { receiverName: order.buyer.name, phone: order.buyer.phone, ...NO_ADDRESS },
  payment: {
    paymentId: order.paymentId,
    pg: order.pg,
    method: order.method === 'EASY_PAY' ? 'CARD' : order.method,
    approvedMethod: order.approvedMethod ?? null,
    totalAmount: order.totalWon,
    pointAmount: order.amounts.pointAmount,
    approvedAt: at(approvedAt),
  },
  amounts: order.amounts,
  delivery: order.delivery,
  items: items.map(viewItem),
  lastChangedAt: korean(order.lastChangedAt.getTime(), 'milliseconds'),
});
