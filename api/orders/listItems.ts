import type { ListedItem as Row } from '../../db/orders/listed.ts';
import { listItems as findItems } from '../../db/orders/queries.ts';
import { viewListedItem } from '../../db/orders/views.ts';
import { PUBLIC_STATUSES } from '../../domain/flows/graph/status.ts';
import { fitted } from '../declare/shortened.ts';
import { cursorQuery, feed, feedOf, readCursor } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, flag, fromTime, named, read } from '../declare/parameters.ts';
import { Id, paging, Type } from '../declare/schema.ts';
import { ITEM_CUT, ListedOrderItem } from './schemas.ts';

/** The name of the order of changes in cursors. */
const CHANGES = 'c';

const Query = Type.Object({
  ...paging,
  cursor: cursorQuery(CHANGES),
  orderId: Type.Optional(Id),
  status: named(among(PUBLIC_STATUSES), 'Items in this status'),
  testPayment: named(flag, 'true or false'),
  lastChangedFrom: fromTime(),
});

export const listItems = endpoint({
  id: 'orders.listItems',
  route: 'GET /v1/order-items',
  summary: 'List order items in the order of their changes',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  isLarge: true,
  query: Query,
  data: feedOf(ListedOrderItem),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query }) => {
  const after = readCursor(query.cursor, [CHANGES]);
  const found = await findItems(tx, {
    page: query.page,
    size: query.size,
    ...read(Query, query),
    ...(query.orderId !== undefined && { orderId: query.orderId }),
    ...(after && { after }),
  });
  const positionOf = ({ item }: Row) => ({ order: CHANGES, at: item.lastChangedAt.getTime(), id: item.orderItemId });
  return fitted(feed(query, found, viewListedItem, positionOf), query.size, ITEM_CUT);
});
