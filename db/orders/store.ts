/** Orders: how they are listed and read. */
import { Fault } from '../../workflows/kernel/errors.ts';
import type { PublicStatus } from '../../workflows/orders/status.ts';
import { type Em, sql, textArray } from '../orm.ts';
import { type Order, OrderEntity, type OrderItem, OrderItemEntity } from './entities.ts';

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
