/** Orders: how they are made, listed and read. */
import { graphOf } from '../../workflows/flows/presets/index.ts';
import { step } from '../../workflows/flows/rules.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { position } from '../../workflows/kernel/ids.ts';
import { bundleNumbers, type CheckoutLine, lineTotalWon } from '../../workflows/checkout/rules.ts';
import { orderItemWorkflowId } from '../../workflows/orders/contract.ts';
import type { PublicStatus } from '../../workflows/orders/status.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../orm.ts';
import type { Payment, PaymentAttempt } from '../payments/entities.ts';
import { bear } from '../runs/store.ts';
import { emit } from '../webhooks/events.ts';
import { FlowStepEntity, type Order, OrderEntity, type OrderItem, OrderItemEntity } from './entities.ts';

const DEFAULT_FLOW = { key: 'shipping-standard', version: 1 } as const;

/** One order for a completed payment: its items, each with a flow and a run of its own, and ORDER.PAID. */
export async function createOrder(em: Em, payment: Payment, attempt: PaymentAttempt, at: number, realNow: number): Promise<string> {
  const { storeId, orderNo, paymentId, checkoutId, buyer, amounts, delivery, totalWon, testPayment } = payment;
  const orderId = newId('ord', at);
  const now = new Date(at);
  em.persist(
    em.create(OrderEntity, {
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
      pg: attempt.pg,
      method: attempt.method,
      approvedMethod: attempt.approvedMethod ?? null,
      shippingAddress: payment.shippingAddress ?? null,
      orderPasswordHash: payment.orderPasswordHash,
      requiresShipping: true,
      representativeStatus: 'PAID',
      progressStatus: 'PAID',
      orderedAt: now,
      lastChangedAt: now,
    }),
  );
  const bundles = bundleNumbers(payment.lines);
  payment.lines.forEach((line, i) => addItem(em, { storeId, orderId, orderNo, line, place: i + 1, bundleNo: bundles[i]!, at, realNow }));
  await emit(em, storeId, [{ type: 'ORDER.PAID', at, data: { orderId, status: 'PAID', testPayment } }], realNow);
  return orderId;
}

interface NewItem {
  readonly storeId: string;
  readonly orderId: string;
  readonly orderNo: string;
  readonly line: CheckoutLine;
  readonly place: number;
  readonly bundleNo: number;
  readonly at: number;
  readonly realNow: number;
}

function addItem(em: Em, { storeId, orderId, orderNo, line, place, bundleNo, at, realNow }: NewItem): void {
  const orderItemId = newId('oit', at);
  const orderItemNo = orderNo + position(place);
  const members = [{ id: orderItemId, activeQuantity: line.quantity }];
  const started = step(graphOf(DEFAULT_FLOW.key, DEFAULT_FLOW.version), null, { type: 'start', members }, at, {
    settings: { autoDeliverDays: 0, autoConfirmDays: 0 },
  });
  if (!started.ok) throw new Error(`The flow does not start: ${started.reason}`);
  const { state, trace, effects } = started;
  const now = new Date(at);
  em.persist(
    em.create(OrderItemEntity, {
      storeId,
      orderItemId,
      orderItemNo,
      orderId,
      bundleNo,
      position: place,
      productId: line.productId,
      variantId: line.variantId,
      productName: line.productName,
      optionLabel: line.optionLabel,
      unitPriceWon: line.unitPriceWon,
      quantity: line.quantity,
      canceledQuantity: 0,
      totalPriceWon: lineTotalWon(line),
      status: state.status,
      fulfillmentSnapshot: { type: 'SHIPPING', method: line.fulfillmentMethod, pickupLocation: null },
      flowKey: DEFAULT_FLOW.key,
      flowVersion: DEFAULT_FLOW.version,
      flowState: state,
      lastChangedAt: now,
    }),
  );
  em.persist(
    em.create(FlowStepEntity, { storeId, orderItemId, seq: state.seq, event: { type: 'start', actor: 'SYSTEM' }, at: now, trace, effects }),
  );
  const workflowId = orderItemWorkflowId(storeId, orderItemNo);
  bear(em, { storeId, kind: 'orderItem', workflowId, runId: orderItemId, orderNo, wakeAt: null, status: state.status, bornAt: realNow });
}

export interface OrderFilter {
  readonly orderNo?: string;
  readonly status?: PublicStatus;
  readonly page: number;
  readonly size: number;
}
export interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
}
export type OrderWithItems = { readonly order: Order; readonly items: readonly OrderItem[]; readonly approvedAt: Date | null };

/** Orders, newest first, each with its items: three queries whatever the page holds. */
export async function listOrders(em: Em, storeId: string, filter: OrderFilter): Promise<Listed<OrderWithItems>> {
  const where = {
    storeId,
    ...(filter.orderNo !== undefined && { orderNo: filter.orderNo }),
    ...(filter.status !== undefined && { progressStatus: filter.status }),
  };
  const [orders, total] = await em.findAndCount(OrderEntity, where, {
    orderBy: { orderedAt: 'desc', orderId: 'desc' },
    limit: filter.size,
    offset: (filter.page - 1) * filter.size,
  });
  return { items: await withItems(em, storeId, orders), total };
}

/** One order with its items. */
export async function readOrder(em: Em, storeId: string, orderId: string): Promise<OrderWithItems> {
  const order = await em.findOne(OrderEntity, { storeId, orderId });
  if (!order) throw new Fault('ORDER_NOT_FOUND');
  return (await withItems(em, storeId, [order]))[0]!;
}

async function withItems(em: Em, storeId: string, orders: readonly Order[]): Promise<OrderWithItems[]> {
  if (orders.length === 0) return [];
  const items = await em.find(
    OrderItemEntity,
    { storeId, orderId: { $in: orders.map((o) => o.orderId) } },
    { orderBy: { position: 'asc' } },
  );
  const approvals = await sql<{ payment_id: string; completed_at: string }>(
    em,
    'SELECT payment_id, completed_at FROM payment WHERE store_id = ? AND payment_id = ANY(?::text[])',
    [storeId, `{${orders.map((o) => o.paymentId).join(',')}}`],
  );
  const approvedAt = new Map(approvals.map((row) => [row.payment_id, new Date(row.completed_at)]));
  const byOrder = Map.groupBy(items, (item) => item.orderId);
  return orders.map((order) => ({ order, items: byOrder.get(order.orderId) ?? [], approvedAt: approvedAt.get(order.paymentId) ?? null }));
}

export interface ItemFilter {
  readonly orderId?: string;
  readonly status?: PublicStatus;
  readonly page: number;
  readonly size: number;
}

/** Order items, last changed first. */
export async function listItems(em: Em, storeId: string, filter: ItemFilter): Promise<Listed<OrderItem>> {
  const where = {
    storeId,
    ...(filter.orderId !== undefined && { orderId: filter.orderId }),
    ...(filter.status !== undefined && { status: filter.status }),
  };
  const [items, total] = await em.findAndCount(OrderItemEntity, where, {
    orderBy: { lastChangedAt: 'desc', orderItemId: 'desc' },
    limit: filter.size,
    offset: (filter.page - 1) * filter.size,
  });
  return { items, total };
}

export async function readItem(em: Em, storeId: string, orderItemId: string): Promise<OrderItem> {
  const item = await em.findOne(OrderItemEntity, { storeId, orderItemId });
  if (!item) throw new Fault('ORDER_ITEM_NOT_FOUND');
  return item;
}
