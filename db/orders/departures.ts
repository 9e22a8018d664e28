/** Units that leave an order for good: what goes back for them, in cash and in points, in the transaction of their cause. */
import type { RefundCause } from '../../domain/payments/rules.ts';
import { DEFAULT_REFUND_POLICY } from '../../domain/products/refundPolicy.ts';
import { computeRefund, type RefundTerms, lineShare, NOTHING_BACK, type RefundAmounts, shareOf } from '../../domain/refunds/rules.ts';
import type { Tx } from '../kernel/tx.ts';
import { requestRefund } from '../payments/refunds.ts';
import { type Order, type OrderBundle, OrderBundleEntity, type OrderItem } from './entities.ts';
import { restorePoints } from './points.ts';

/** Why units leave an item, and on what terms. */
export interface Departure extends Pick<RefundTerms, 'isReturn' | 'isSellerFault' | 'deductWon'> {
  readonly quantity: number;
}
/** A line of an order, as far as it decides what remains of it. */
interface RestLine {
  readonly orderItemId: string;
  readonly orderId: string;
  readonly bundleNo: number;
  readonly unitPriceWon: number;
  readonly quantity: number;
  readonly canceledQuantity: number;
  readonly exchangedQuantity: number;
  readonly couponDiscountWon: number;
  /** Its flow has refunded it: its units stay, but nobody pays for them any more (F40). */
  readonly isSettled: boolean;
}
/** An order with all its lines and bundles. */
export interface OrderRest {
  readonly order: Order;
  readonly lines: readonly RestLine[];
  readonly bundles: readonly OrderBundle[];
}

/** The lines and bundles of these orders, in two queries. */
export async function readRests({ em, sql, storeId }: Tx, orders: readonly Order[]): Promise<ReadonlyMap<string, OrderRest>> {
  if (orders.length === 0) return new Map();
  const orderIds = orders.map(({ orderId }) => orderId);
  const [lines, bundles] = await Promise.all([
    sql<RestLine>`
      SELECT order_item_id AS "orderItemId", order_id AS "orderId", bundle_no AS "bundleNo", unit_price_won AS "unitPriceWon", quantity,
        canceled_quantity AS "canceledQuantity", exchanged_quantity AS "exchangedQuantity", coupon_discount_won AS "couponDiscountWon",
        is_settled AS "isSettled"
      FROM order_item WHERE store_id = ${storeId} AND order_id = ANY(${orderIds}::text[])`,
    em.find(OrderBundleEntity, { storeId, orderId: { $in: orderIds } }),
  ]);
  const ofOrder = <T extends { readonly orderId: string }>(rows: readonly T[], id: string) => rows.filter(({ orderId }) => orderId === id);
  return new Map(
    orders.map((order) => {
      const { orderId } = order;
      return [orderId, { order, lines: ofOrder(lines, orderId), bundles: ofOrder(bundles, orderId) }];
    }),
  );
}

/** In one step a group's items leave one after the other: each sees those before it as gone. */
async function restNow(tx: Tx, order: Order, { groupId }: OrderItem): Promise<OrderRest> {
  if (groupId) await tx.em.flush();
  return (await readRests(tx, [order])).get(order.orderId)!;
}

const bundleOf = (bundles: readonly OrderBundle[], { bundleNo }: OrderItem): OrderBundle | null =>
  bundles.find((bundle) => bundle.bundleNo === bundleNo) ?? null;

/** What a departure would give back, as the order is now; nothing of what its flow has refunded on the way. */
export function quoteDeparture({ order, lines, bundles }: OrderRest, item: OrderItem, departure: Departure): RefundAmounts {
  if (item.isSettled) return NOTHING_BACK;
  const left = item.canceledQuantity + departure.quantity;
  // This transaction may have changed the item itself.
  const rest = lines.map((line) =>
    line.orderItemId === item.orderItemId ? { ...line, canceledQuantity: left, exchangedQuantity: item.exchangedQuantity } : line,
  );
  const inBundle = rest.filter(({ bundleNo }) => bundleNo === item.bundleNo);
  const bundle = bundleOf(bundles, item);
  return computeRefund({
    ...departure,
    share: lineShare(item, item.canceledQuantity, departure.quantity),
    policy: item.refundPolicy ?? DEFAULT_REFUND_POLICY,
    bundle: bundle && { ...bundle, conditionalFreeWon: reachedAmount(bundle, inBundle) },
    bundleRestWon: priceOf(inBundle),
    ...couponRest(order, rest),
  });
}

/**
 * What a refund on the way would give back for all that remains of an item: its share, less `deductWon`. The units stay in their
 * bundle, whose fee is not touched; a coupon shortfall that was charged for them comes back.
 */
export function quoteSettlement({ order, lines }: OrderRest, item: OrderItem, deductWon: number): RefundAmounts {
  if (item.isSettled) return NOTHING_BACK;
  const { orderItemId, canceledQuantity, exchangedQuantity, quantity } = item;
  const rest = lines.map((line) =>
    line.orderItemId === orderItemId ? { ...line, canceledQuantity, exchangedQuantity, isSettled: true } : line,
  );
  return computeRefund({
    isReturn: false,
    isSellerFault: true,
    deductWon,
    share: lineShare(item, canceledQuantity, quantity - canceledQuantity),
    policy: item.refundPolicy ?? DEFAULT_REFUND_POLICY,
    bundle: null,
    bundleRestWon: 0,
    ...couponRest(order, rest),
  });
}

/** The order's coupon, and what of the order is still paid for: neither what has left nor what was refunded on the way. */
function couponRest(order: Order, lines: readonly RestLine[]): Pick<RefundTerms, 'coupon' | 'orderRestWon' | 'restDiscountWon'> {
  const { couponMinOrderWon: minOrderWon = null, couponChargedWon: chargedWon, couponChargedPointWon: chargedPointWon } = order;
  const paid = lines.map((line) => (line.isSettled ? { ...line, canceledQuantity: line.quantity } : line));
  return {
    coupon: minOrderWon === null ? null : { minOrderWon, chargedWon, chargedPointWon },
    orderRestWon: priceOf(paid),
    restDiscountWon: paid.reduce((sum, line) => sum + discountOf(line), 0),
  };
}

/** The amount that made the bundle's delivery free; null where something else did: the store's threshold, or nothing. */
function reachedAmount({ conditionalFreeWon = null }: OrderBundle, lines: readonly RestLine[]): number | null {
  const orderedWon = lines.reduce((sum, line) => sum + line.unitPriceWon * line.quantity, 0);
  return conditionalFreeWon !== null && orderedWon >= conditionalFreeWon ? conditionalFreeWon : null;
}

/** The units of which the buyer has none. */
const goneOf = ({ canceledQuantity, exchangedQuantity }: RestLine): number => canceledQuantity - exchangedQuantity;
/** The price of what remains with the buyer, the exchanged units included; and the coupon's discount on it. */
const priceOf = (lines: readonly RestLine[]): number =>
  lines.reduce((sum, line) => sum + line.unitPriceWon * (line.quantity - goneOf(line)), 0);
const discountOf = (line: RestLine): number => shareOf(line.couponDiscountWon, line.quantity, goneOf(line), line.quantity - goneOf(line));

/** The units that leave, and their refund. */
export interface DepartureToRefund extends Departure {
  readonly cause: RefundCause;
  /** The refund in cash waits until the seller releases it. */
  readonly isHeld: boolean;
}
export interface RequestedAmounts extends RefundAmounts {
  readonly refundId: string | null;
}

/**
 * Counts the units as left, writes bundle and order, requests the refund and restores the points, held refund or not. The order is locked,
 * which serializes what leaves it; stock was returned before.
 */
export async function refundUnits(tx: Tx, order: Order, item: OrderItem, departure: DepartureToRefund): Promise<RequestedAmounts> {
  const rest = await restNow(tx, order, item);
  const amounts = quoteDeparture(rest, item, departure);
  const bundle = bundleOf(rest.bundles, item);
  if (bundle) Object.assign(bundle, amounts.bundle);
  // What was refunded on the way has left the purchase already.
  if (!item.isSettled) item.leftCashWon += lineShare(item, item.canceledQuantity, departure.quantity).cashWon;
  item.canceledQuantity += departure.quantity;
  const { cause, isHeld } = departure;
  return payBack(tx, { order, item, amounts }, { cause, isHeld, reference: String(item.canceledQuantity) });
}

/**
 * A refund on the way: pays for all that remains of the item, which stays; nothing pays for it again. The order is locked.
 * `reference`: what identifies it among the item's refunds.
 */
export async function settleItem(tx: Tx, order: Order, item: OrderItem, deductWon: number, reference: string): Promise<RequestedAmounts> {
  const rest = await restNow(tx, order, item);
  const amounts = quoteSettlement(rest, item, deductWon);
  if (!item.isSettled) item.leftCashWon += lineShare(item, item.canceledQuantity, item.quantity - item.canceledQuantity).cashWon;
  item.isSettled = true;
  return payBack(tx, { order, item, amounts }, { cause: 'FLOW', isHeld: false, reference });
}

interface Repayment {
  readonly order: Order;
  readonly item: OrderItem;
  readonly amounts: RefundAmounts;
}
/** Requests the refund in cash and restores the points. */
async function payBack(
  tx: Tx,
  { order, item, amounts }: Repayment,
  { cause, isHeld, reference }: { readonly cause: RefundCause; readonly isHeld: boolean; readonly reference: string },
): Promise<RequestedAmounts> {
  const { coupon, refundWon: amountWon } = amounts;
  if (coupon) Object.assign(order, { couponChargedWon: coupon.chargedWon, couponChargedPointWon: coupon.chargedPointWon });
  const { storeId, orderId, paymentId } = order;
  const { orderItemId } = item;
  const refund = amountWon > 0 && (await requestRefund(tx, { storeId, orderId, orderItemId, paymentId, amountWon, cause, isHeld }));
  const pointRefundWon = await restorePoints(tx, order, item, amounts.pointRefundWon, reference);
  tx.returned.refundAmount += amountWon;
  tx.returned.pointRefundAmount += pointRefundWon;
  return { ...amounts, pointRefundWon, refundId: refund ? refund.refundId : null };
}

/** What a buyer no longer has: no automatic decision is due, and a provision is revoked. */
export function closeItem(item: OrderItem): void {
  if (item.canceledQuantity < item.quantity) return;
  item.autoDecisionAt = null;
  if (item.fulfillment && item.exchangedQuantity === 0) item.fulfillment = { ...item.fulfillment, status: 'REVOKED' };
}
