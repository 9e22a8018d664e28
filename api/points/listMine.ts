import { listHistory } from '../../db/points/queries.ts';
import { feed, feedOf } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { paging, Type } from '../declare/schema.ts';
import { afterOf, cursorOf, historyCursor, MyPointEntry, viewMyEntry } from './schemas.ts';

export const listMine = endpoint({
  id: 'points.listMine',
  route: 'GET /storefront/v1/me/points/history',
  summary: 'List my entries of points, newest first',
  access: 'customer',
  change: 'none',
  query: Type.Object({ ...paging, cursor: historyCursor }),
  data: feedOf(MyPointEntry),
}).handle(async ({ tx, customer, query }) => {
  const { page, size, cursor } = query;
  const found = await listHistory(tx, { page, size, ...afterOf(cursor), customerId: customer!.customerId });
  return feed(query, found, viewMyEntry, cursorOf);
});
