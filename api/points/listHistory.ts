import { listHistory as find } from '../../db/points/queries.ts';
import { feed, feedOf } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Id, Type } from '../declare/schema.ts';
import { historyFilter, historyQuery } from './history.ts';
import { cursorOf, PointEntryView, viewEntry } from './schemas.ts';

export const listHistory = endpoint({
  id: 'points.listHistory',
  route: 'GET /v1/points/history',
  summary: 'List every entry of points in the shop, newest first',
  access: 'store',
  scopes: ['promotion:r'],
  change: 'none',
  query: Type.Object({ ...historyQuery, memberId: Type.Optional({ ...Id, description: 'A customerId' }) }),
  data: feedOf(PointEntryView),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query }) => {
  const { memberId } = query;
  const found = await find(tx, { ...historyFilter(query), ...(memberId !== undefined && { customerId: memberId }) });
  return feed(query, found, viewEntry, cursorOf);
});
