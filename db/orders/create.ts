/** Creates the order of a completed payment: items, each with its flow and run, bundles, and the event ORDER.PAID. */
import { bundleNumbers, isShipped, lineTotalWon, type PaymentLine } from '../../domain/checkout/rules.ts';
import { position } from '../../domain/kernel/ids.ts';
import { orderItemRun } from '../../workflows/kernel/messages.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Payment, PaymentAttempt } from '../payments/entities.ts';
import { openRun } from '../runs/commands.ts';
import { readStore, refundPolicyOf } from '../stores/queries.ts';
import { emit } from '../webhooks/events.ts';
import { type Begun, beginFlows } from './flows/beginFlows.ts';
import { OrderBundleEntity, OrderEntity, type OrderItem, OrderItemEntity } from './entities.ts';
import { writeRecord } from './flows/records.ts';
import { setState, storedOf } from './flows/states.ts';

/** Returns the id of the new order. Without an attempt points paid for it. */
export async function createOrder(tx: Tx, payment: Payment, attempt: PaymentAttempt | null): Promise<string> {
  const { em, at } = tx;
  const { storeId, orderNo, paymentId, checkoutId, buyer, amounts, delivery, totalWon, testPayment, lines } = payment;
  const orderId = newId('ord', at);
  const now = new Date(at);
  const order = em.create(OrderEntity, {
    storeId,
    orderId,
    orderNo,
    checkoutId,
    paymentId,
    buyer,
    amounts,
    delivery,
    totalWon,
    testPayment,
    pg: attempt?.pg ?? null,
    method: attempt?.method ?? 'POINT',
    approvedMethod: attempt?.approvedMethod ?? null,
    shippingAddress: payment.shippingAddress ?? null,
    orderPasswordHash: payment.orderPasswordHash,
    customerId: buyer.customerId ?? null,
    visit: payment.visit ?? null,
    requiresShipping: lines.some(isShipped),
    representativeStatus: 'PAID',
    progressStatus: 'PAID',
    orderedAt: now,
    lastChangedAt: now,
  });
  em.persist(order);
  for (const bundle of payment.bundles)
    em.persist(em.create(OrderBundleEntity, { storeId, orderId, ...bundle, feeRefundedWon: 0, shortfallChargedWon: 0 }));
  const store = await readStore(tx);
  if (!testPayment) store.firstLiveOrderAt ??= now;
  const refundPolicy = refundPolicyOf(store);
  const bundles = bundleNumbers(lines);
  const settings = { autoDeliverDays: store.autoDeliverDays, autoConfirmDays: store.autoConfirmDays };
  const begun = await beginFlows(tx, { orderId, orderNo, totalWon, settings }, lines);
  const items = lines.map((line, i) =>
    addItem(tx, { storeId, orderId, orderNo, line, refundPolicy, ordinal: i + 1, bundleNo: bundles[i]!, begun: begun[i]! }),
  );
  // Items that begin together have one record.
  for (const members of Map.groupBy(items.keys(), (i) => begun[i]!.started).values()) {
    const { state, trace, effects } = begun[members[0]!]!.started;
    const started = members.map((i) => ({ item: items[i]!, effects, details: {} }));
    writeRecord(tx, { event: { type: 'start', members: [] }, actor: 'SYSTEM', at, state, trace, settings }, started);
  }
  tx.feed.changed(
    at,
    orderId,
    items.map((item) => item.orderItemId),
  );
  await emit(tx, [{ type: 'ORDER.PAID', at, data: { orderId, status: 'PAID', testPayment } }]);
  return orderId;
}

interface NewItem {
  readonly storeId: string;
  readonly orderId: string;
  readonly orderNo: string;
  readonly line: PaymentLine;
  readonly refundPolicy: OrderItem['refundPolicy'];
  readonly ordinal: number;
  readonly bundleNo: number;
  readonly begun: Begun;
}

/** An item's flow is chosen at payment and never changes afterwards (docs/contract.md#flow). */
function addItem(tx: Tx, { storeId, orderId, orderNo, line, refundPolicy, ordinal, bundleNo, begun }: NewItem): OrderItem {
  const { em, at, realNow } = tx;
  const { orderItemId, flowKey, flowVersion, flowFacts, groupId, state, wakeAt } = begun;
  const orderItemNo = orderNo + position(ordinal);
  const type = line.fulfillmentType ?? 'SHIPPING';
  const now = new Date(at);
  const item = em.create(OrderItemEntity, {
    storeId,
    orderItemId,
    orderItemNo,
    orderId,
    bundleNo,
    refundPolicy: refundPolicy ? { ...refundPolicy, ...line.refundPolicy } : null,
    stay: line.stay ?? null,
    shipFrom: line.shipFrom ?? null,
    returnTo: line.returnTo ?? null,
    position: ordinal,
    productId: line.productId,
    variantId: line.variantId,
    productName: line.productName,
    optionLabel: line.optionLabel,
    unitPriceWon: line.unitPriceWon,
    quantity: line.quantity,
    canceledQuantity: 0,
    totalPriceWon: lineTotalWon(line),
    pointAllocationWon: line.pointAllocationWon ?? 0,
    earnRateBp: line.earnRateBp ?? 0,
    claims: [],
    status: state.status,
    fulfillmentSnapshot: { type, method: line.fulfillmentMethod, pickupLocation: line.pickupLocation ?? null },
    flowKey,
    flowVersion,
    storedState: storedOf({ orderItemId, groupId }, state),
    flowFacts,
    groupId,
    lastChangedAt: now,
  });
  if (groupId) setState(item, state);
  em.persist(item);
  openRun(tx, { ...orderItemRun(item), wakeAt, status: state.status, createdAt: realNow });
  return item;
}
