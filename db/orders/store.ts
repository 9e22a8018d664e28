/** Orders: how they are listed and read. */
import { raw } from '@mikro-orm/core';
import type { FulfillmentType } from '../../workflows/catalog/rules.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import type { PublicStatus } from '../../workflows/orders/status.ts';
import { type Em, sql, textArray } from '../orm.ts';
import { type Order, OrderEntity, type OrderItem, OrderItemEntity } from './entities.ts';

export interface OrderFilter {
  /** 14 digits; looked for at any time. */
  readonly orderNo?: string;
  /** A whole order number or its beginning, within the period. */
  readonly keyword?: string;
  /** Business times; from inclusive, to exclusive (D70). */
  readonly orderedFrom?: number;
  readonly orderedTo?: number;
  readonly testPayment?: boolean;
  /** Orders with any item of this type. */
  readonly fulfillmentType?: FulfillmentType;
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
  const [orders, total] = await em.findAndCount(OrderEntity, conditions(storeId, filter), {
    orderBy: { orderedAt: 'desc', orderId: 'desc' },
    limit: filter.size,
    offset: (filter.page - 1) * filter.size,
  });
  return { items: await withItems(em, storeId, orders), total };
}

function conditions(storeId: string, { orderNo, keyword, orderedFrom, orderedTo, testPayment, fulfillmentType, status }: OrderFilter) {
  const orderedAt = {
    ...(orderedFrom !== undefined && { $gte: new Date(orderedFrom) }),
    ...(orderedTo !== undefined && { $lt: new Date(orderedTo) }),
  };
  const hasType = raw(
    `exists (select 1 from order_item i where i.store_id = ${ALIAS}.store_id and i.order_id = ${ALIAS}.order_id and i.fulfillment_snapshot ->> 'type' = ?)`,
    [fulfillmentType],
  );
  return {
    storeId,
    ...(orderNo !== undefined && { orderNo }),
    // Digits only: the next number after all that begin so is the keyword with a colon.
    ...(keyword !== undefined && { orderNo: { $gte: keyword, $lt: `${keyword}:` } }),
    ...(Object.keys(orderedAt).length > 0 && { orderedAt }),
    ...(testPayment !== undefined && { testPayment }),
    ...(fulfillmentType !== undefined && { [hasType]: true }),
    ...(status !== undefined && { progressStatus: status }),
  };
}
/** How MikroORM names the table that it lists. */
const ALIAS = 'o0';

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
    [storeId, textArray(orders.map((o) => o.paymentId))],
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
