import { type ListedOrder as Row, listOrders, type OrderFilter, type OrdersBy } from '../../db/orders/queries.ts';
import { viewListedOrder } from '../../db/orders/views.ts';
import { FULFILLMENT_TYPES } from '../../domain/products/rules.ts';
import { DAY } from '../../domain/kernel/time.ts';
import { PUBLIC_STATUSES } from '../../domain/flows/graph/status.ts';
import { fitted } from '../declare/shortened.ts';
import { cursorQuery, feed, feedOf, readCursor } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, digits, flag, fromTime, named, read, toTime } from '../declare/parameters.ts';
import { paging, type Static, Type } from '../declare/schema.ts';
import { ListedOrder, ORDER_CUT } from './schemas.ts';

/** The names of the two orders in cursors: newest first, and by last change. */
const ORDERS: Readonly<Record<OrdersBy, string>> = { orderedAt: 'o', lastChangedAt: 'c' };
const Query = Type.Object({
  ...paging,
  cursor: cursorQuery(Object.values(ORDERS).join('')),
  orderNo: named(digits(14), '14 digits, hyphens allowed; needs no period'),
  keyword: named(digits(1), 'An order number or its beginning, or the beginning of the day of the order (YYMMDD), within the period'),
  orderedFrom: fromTime('; with keyword by default three months ago'),
  orderedTo: toTime(),
  lastChangedFrom: fromTime(': in the order of changes from there on'),
  testPayment: named(flag, 'true or false'),
  fulfillmentType: named(among(FULFILLMENT_TYPES), 'Orders with any such item'),
  status: named(among(PUBLIC_STATUSES), 'progressStatus'),
});

export const list = endpoint({
  id: 'orders.list',
  route: 'GET /v1/orders',
  summary: 'List orders, newest first, or in the order of their changes',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  isLarge: true,
  query: Query,
  data: feedOf(ListedOrder),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query, at }) => {
  const filter = filterOf(query, at);
  const after = readCursor(query.cursor, Object.values(ORDERS));
  const by: OrdersBy = after?.order === ORDERS.lastChangedAt || filter.lastChangedFrom !== undefined ? 'lastChangedAt' : 'orderedAt';
  // A cursor of the other order is not valid in this one.
  if (after) readCursor(query.cursor, [ORDERS[by]]);
  const found = await listOrders(tx, by, { ...filter, ...(after && { after }) });
  const positionOf = ({ order }: Row) => ({ order: ORDERS[by], at: order[by].getTime(), id: order.orderId });
  return fitted(feed(query, found, viewListedOrder, positionOf), query.size, ORDER_CUT);
});

const PERIOD_MS = 92 * DAY;

function filterOf(query: Static<typeof Query>, at: number): OrderFilter {
  const { orderedFrom = query.keyword === undefined ? undefined : at - PERIOD_MS, ...found } = read(Query, query);
  return { page: query.page, size: query.size, ...found, ...(orderedFrom !== undefined && { orderedFrom }) };
}
