import type { ListedItem as Row } from '../../db/orders/listed.ts';
import { listItems as findItems } from '../../db/orders/queries.ts';
import { viewListedItem } from '../../db/orders/views.ts';
import { PUBLIC_STATUSES } from '../../domain/flows/status.ts';
import { fitted } from '../kernel/answers.ts';
import { cursorQuery, feed, feedOf, readCursor } from '../kernel/cursor.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { among, flag, FLAGS, fromTime, moment, named, read, sent } from '../kernel/query.ts';
import { Id, paging, Type } from '../kernel/schema.ts';
import { ITEM_CUT, ListedOrderItem } from './schemas.ts';

/** The name of the order of changes in cursors. */
const CHANGES = 'c';

export const listItems = endpoint({
  id: 'orders.listItems',
  route: 'GET /v1/order-items',
  summary: 'List order items in the order of their changes',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  isLarge: true,
  query: Type.Object({
    ...paging,
    cursor: cursorQuery(CHANGES),
    orderId: Type.Optional(Id),
    status: named({ enum: PUBLIC_STATUSES }, 'Items in this status'),
    testPayment: named({ enum: FLAGS }, 'true or false'),
    lastChangedFrom: fromTime(),
  }),
  data: feedOf(ListedOrderItem),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query }) => {
  const after = readCursor(query.cursor, [CHANGES]);
  const found = await findItems(tx, {
    page: query.page,
    size: query.size,
    ...sent({
      orderId: query.orderId,
      status: read('status', query.status, among(PUBLIC_STATUSES)),
      testPayment: read('testPayment', query.testPayment, flag),
      lastChangedFrom: read('lastChangedFrom', query.lastChangedFrom, moment),
      after: after ?? undefined,
    }),
  });
  const positionOf = ({ item }: Row) => ({ order: CHANGES, at: item.lastChangedAt.getTime(), id: item.orderItemId });
  return fitted(feed(query, found, viewListedItem, positionOf), query.size, ITEM_CUT);
});
