import { type ListedOrder, listOrders } from '../../db/orders/queries.ts';
import { viewListedBuyerOrders } from '../../db/orders/views.ts';
import { fitted } from '../declare/shortened.ts';
import { cursorQuery, feed, feedOf, readCursor } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { paging, Type } from '../declare/schema.ts';
import { ListedBuyerOrder, ORDER_CUT } from './schemas.ts';

const NEWEST = 'o';

export const listMine = endpoint({
  id: 'orders.listMine',
  route: 'GET /storefront/v1/me/orders',
  summary: 'List my orders, newest first',
  access: 'customer',
  change: 'none',
  isLarge: true,
  query: Type.Object({ ...paging, cursor: cursorQuery(NEWEST) }),
  data: feedOf(ListedBuyerOrder),
}).handle(async ({ tx, customer, query, at: now }) => {
  const { page, size, cursor } = query;
  const after = readCursor(cursor, [NEWEST]);
  const filter = { page, size, customerId: customer!.customerId, ...(after && { after }) };
  const found = await listOrders(tx, 'orderedAt', filter);
  const views = new Map((await viewListedBuyerOrders(found.items, now)).map((view) => [view.orderId, view]));
  const view = ({ order }: ListedOrder) => views.get(order.orderId)!;
  const positionOf = ({ order }: ListedOrder) => ({ order: NEWEST, at: order.orderedAt.getTime(), id: order.orderId });
  return fitted(feed(query, found, view, positionOf), size, ORDER_CUT);
});
