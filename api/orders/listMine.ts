import { listOrders, type OrderWithItems } from '../../db/orders/queries.ts';
import { viewBuyerOrders } from '../../db/orders/views.ts';
import { cursorQuery, feed, feedOf, readCursor } from '../kernel/cursor.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { paging, Type } from '../kernel/schema.ts';
import { BuyerOrder } from './schemas.ts';

const NEWEST = 'o';

export const listMine = endpoint({
  id: 'orders.listMine',
  route: 'GET /storefront/v1/me/orders',
  summary: 'List my orders, newest first',
  access: 'customer',
  change: 'none',
  query: Type.Object({ ...paging, cursor: cursorQuery(NEWEST) }),
  data: feedOf(BuyerOrder),
}).handle(async ({ tx, customer, query, at: now }) => {
  const { page, size, cursor } = query;
  const after = readCursor(cursor, [NEWEST]);
  const filter = { page, size, customerId: customer!.customerId, ...(after && { after }) };
  const found = await listOrders(tx, 'orderedAt', filter);
  const views = new Map((await viewBuyerOrders(tx, found.items, now)).map((view) => [view.orderId, view]));
  const view = ({ order }: OrderWithItems) => views.get(order.orderId)!;
  return feed(query, found, view, ({ order }: OrderWithItems) => ({
    order: NEWEST,
    at: order.orderedAt.getTime(),
    id: order.orderId,
  }));
});
