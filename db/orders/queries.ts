/** Lists and reads of orders and items. */
import { raw } from '@mikro-orm/core';
import type { FulfillmentType } from '../../domain/products/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { daysOf } from '../../domain/kernel/time.ts';
import type { PublicStatus } from '../../domain/flows/graph/status.ts';
import { countOf } from '../feeds/counts.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Order, OrderEntity, type OrderItem, OrderItemEntity } from './entities.ts';
import { findFirst, findListed, type ListedItem, type OrderFacts } from './listed.ts';
import { loadStates } from './flows/states.ts';

export interface OrderFilter {
  /** 14 digits; found regardless of the period. */
  readonly orderNo?: string;
  /** A whole order number or its beginning, within the period. */
  readonly keyword?: string;
  /** Business times; from inclusive, to exclusive. */
  readonly orderedFrom?: number;
  readonly orderedTo?: number;
  readonly testPayment?: boolean;
  /** Orders with any item of this type. */
  readonly fulfillmentType?: FulfillmentType;
  readonly status?: PublicStatus;
  /** Of this customer only. */
  readonly customerId?: string;
  /** Business time, inclusive. */
  readonly lastChangedFrom?: number;
  readonly page: number;
  readonly size: number;
  /** The place behind which to read on; instead of a page. */
  readonly after?: { readonly at: number; readonly id: string };
}
export interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly hasMore: boolean;
}
/** Its items are without their states: `viewEach` reads these. */
export type OrderWithItems = { readonly order: Order; readonly items: readonly OrderItem[]; readonly approvedAt: Date | null };
/** An order as lists have it. */
export interface ListedOrder extends OrderFacts {
  readonly order: Order;
  /** The first ones. */
  readonly items: readonly ListedItem[];
}
/** The most items that a page of orders loads: each order shows as many as any other, or all of its own. */
const PAGE_ITEMS = 300;

/** How items are read whose states are read one by one (states.ts); such rows are not changed. */
const STATELESS = { exclude: ['storedState'], disableIdentityMap: true } as const;
const stateless = (rows: readonly object[]): readonly OrderItem[] => rows as readonly OrderItem[];

/** Newest first, or in the order of changes. */
export type OrdersBy = 'orderedAt' | 'lastChangedAt';

/** Orders with their first items, in four queries, whatever the size of the page. */
export async function listOrders(tx: Tx, by: OrdersBy, filter: OrderFilter): Promise<Listed<ListedOrder>> {
  const { em, storeId } = tx;
  const { after, size } = filter;
  const where = conditions(storeId, filter);
  const [rest, direction] = by === 'orderedAt' ? (['$lt', 'desc'] as const) : (['$gt', 'asc'] as const);
  const found = await em.find(
    OrderEntity,
    { ...where, ...afterPosition(by, 'orderId', rest, after) },
    {
      orderBy: { [by]: direction, orderId: direction },
      limit: size + 1,
      offset: after ? 0 : (filter.page - 1) * size,
    },
  );
  const total = (await counted(tx, 'orders', filter)) ?? (await em.count(OrderEntity, where));
  return { items: await withFirstItems(tx, found.slice(0, size)), total, hasMore: found.length > size };
}

const PAGING: ReadonlySet<string> = new Set(['page', 'size', 'after']);
/** Filters by which a store's orders and items are counted as they change. */
const COUNTED: ReadonlySet<string> = new Set(['status', 'testPayment']);

/** The total from the maintained counts (db/feeds/counts.ts); null where they do not cover a filter, so that rows have to be counted. */
async function counted(tx: Tx, list: 'orders' | 'order_item', filter: OrderFilter | ItemFilter): Promise<number | null> {
  const filters = Object.entries(filter).flatMap(([name, value]) => (value === undefined || PAGING.has(name) ? [] : [name]));
  if (filters.some((name) => !COUNTED.has(name))) return null;
  return countOf(tx, list, { status: filter.status, isTest: filter.testPayment });
}

/** The condition for rows after a keyset position (time, id). The time is also a condition of its own, so that an index can serve it. */
export const afterPosition = (time: string, id: string, rest: '$lt' | '$gt', after: OrderFilter['after']) =>
  after && {
    $and: [
      { [time]: { [`${rest}e`]: new Date(after.at) } },
      { $or: [{ [time]: { [rest]: new Date(after.at) } }, { [id]: { [rest]: after.id } }] },
    ],
  };

/** A number names the day on which it was given, at the start of the payment: the day of the order is found by the same digits. */
function foundBy(keyword: string) {
  const days = daysOf(keyword);
  // Digits only: `:` follows `9`, so that the upper bound of the prefix is the keyword with a colon.
  const byNumber = { orderNo: { $gte: keyword, $lt: `${keyword}:` } };
  return days ? [byNumber, { orderedAt: { $gte: new Date(days.from), $lt: new Date(days.to) } }] : [byNumber];
}

function conditions(storeId: string, filter: OrderFilter) {
  const { orderNo, keyword, orderedFrom, orderedTo, testPayment, fulfillmentType, status, customerId, lastChangedFrom } = filter;
  const orderedAt = {
    ...(orderedFrom !== undefined && { $gte: new Date(orderedFrom) }),
    ...(orderedTo !== undefined && { $lt: new Date(orderedTo) }),
  };
  // o0: MikroORM's alias of the listed table.
  const hasType = raw(
    `exists (select 1 from order_item i where i.store_id = o0.store_id and i.order_id = o0.order_id
     and i.fulfillment_snapshot ->> 'type' = ?)`,
    [fulfillmentType],
  );
  return {
    storeId,
    ...(orderNo !== undefined && { orderNo }),
    ...(keyword !== undefined && { $or: foundBy(keyword) }),
    ...(Object.keys(orderedAt).length > 0 && { orderedAt }),
    ...(testPayment !== undefined && { testPayment }),
    ...(fulfillmentType !== undefined && { [hasType]: true }),
    ...(status !== undefined && { progressStatus: status }),
    ...(customerId !== undefined && { customerId }),
    ...(lastChangedFrom !== undefined && { lastChangedAt: { $gte: new Date(lastChangedFrom) } }),
  };
}

/** One order with its items. */
export async function readOrder(tx: Tx, orderId: string): Promise<OrderWithItems> {
  const { em, storeId } = tx;
  const order = await em.findOne(OrderEntity, { storeId, orderId });
  if (!order) throw new Fault('ORDER_NOT_FOUND');
  return (await withItems(tx, [order]))[0]!;
}

async function withItems(tx: Tx, orders: readonly Order[]): Promise<OrderWithItems[]> {
  if (orders.length === 0) return [];
  const { em, sql, storeId } = tx;
  // Rows outside the identity map are read as they are written.
  await em.flush();
  const where = { storeId, orderId: { $in: orders.map((o) => o.orderId) } };
  const items = stateless(await em.find(OrderItemEntity, where, { orderBy: { position: 'asc' }, ...STATELESS }));
  const approvals = await sql<{ payment_id: string; completed_at: string }>`
    SELECT payment_id, completed_at FROM payment WHERE store_id = ${storeId}
    AND payment_id = ANY(${orders.map((o) => o.paymentId)}::text[])`;
  const approvedAt = new Map(approvals.map((row) => [row.payment_id, new Date(row.completed_at)]));
  const byOrder = Map.groupBy(items, (item) => item.orderId);
  return orders.map((order) => ({ order, items: byOrder.get(order.orderId) ?? [], approvedAt: approvedAt.get(order.paymentId) ?? null }));
}

async function withFirstItems(tx: Tx, orders: readonly Order[]): Promise<ListedOrder[]> {
  if (orders.length === 0) return [];
  const { items, facts } = await findFirst(
    tx,
    orders.map(({ orderId }) => orderId),
    PAGE_ITEMS,
  );
  const byOrder = Map.groupBy(items, ({ item }) => item.orderId);
  return orders.map((order) => ({ order, items: byOrder.get(order.orderId) ?? [], ...facts.get(order.orderId)! }));
}

export interface ItemFilter {
  readonly orderId?: string;
  readonly status?: PublicStatus;
  readonly testPayment?: boolean;
  /** Business time, inclusive. */
  readonly lastChangedFrom?: number;
  readonly page: number;
  readonly size: number;
  /** The place behind which to read on; instead of a page. */
  readonly after?: { readonly at: number; readonly id: string };
}

/**
 * Order items in the order of their changes, which is the order of commits: a reader that continues after the last one misses none.
 * They are without their states: `viewEach` reads these.
 */
export async function listItems(tx: Tx, filter: ItemFilter): Promise<Listed<ListedItem>> {
  const { em, storeId } = tx;
  const { orderId, status, testPayment, lastChangedFrom, after, size } = filter;
  // o0: MikroORM's alias of the listed table.
  const isTest = raw(`exists (select 1 from orders o where o.store_id = o0.store_id and o.order_id = o0.order_id and o.test_payment = ?)`, [
    testPayment,
  ]);
  const where = {
    storeId,
    ...(orderId !== undefined && { orderId }),
    ...(status !== undefined && { status }),
    ...(testPayment !== undefined && { [isTest]: true }),
    ...(lastChangedFrom !== undefined && { lastChangedAt: { $gte: new Date(lastChangedFrom) } }),
  };
  const found = await findListed(
    tx,
    { ...where, ...afterPosition('lastChangedAt', 'orderItemId', '$gt', after) },
    {
      orderBy: { lastChangedAt: 'asc', orderItemId: 'asc' },
      limit: size + 1,
      offset: after ? 0 : (filter.page - 1) * size,
      ...STATELESS,
    },
  );
  const total = (testPayment === undefined ? await counted(tx, 'order_item', filter) : null) ?? (await em.count(OrderItemEntity, where));
  return { items: found.slice(0, size), total, hasMore: found.length > size };
}

/** The items that move together, in their order. */
export async function readGroup(tx: Tx, groupId: string): Promise<OrderItem[]> {
  const { em, storeId } = tx;
  const items = await em.find(OrderItemEntity, { storeId, groupId }, { orderBy: { position: 'asc' } });
  await loadStates(tx, items);
  return items;
}

export async function readItem(tx: Tx, orderItemId: string): Promise<OrderItem> {
  const { em, storeId } = tx;
  const item = await em.findOne(OrderItemEntity, { storeId, orderItemId });
  if (!item) throw new Fault('ORDER_ITEM_NOT_FOUND');
  await loadStates(tx, [item]);
  return item;
}
