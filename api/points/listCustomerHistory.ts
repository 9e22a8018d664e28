import { isMember, listHistory } from '../../db/points/queries.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { feed, feedOf } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { historyFilter, historyQuery } from './history.ts';
import { cursorOf, PointEntryView, viewEntry } from './schemas.ts';

export const listCustomerHistory = endpoint({
  id: 'points.listCustomerHistory',
  route: 'GET /v1/customers/{customerId}/points/history',
  summary: 'List a customer’s entries of points, newest first, with the reasons of adjustments',
  access: 'store',
  scopes: ['customer:r'],
  change: 'none',
  query: Type.Object(historyQuery),
  data: feedOf(PointEntryView),
  errors: ['CUSTOMER_NOT_FOUND', 'INVALID_PARAMETER'],
}).handle(async ({ tx, params: { customerId }, query }) => {
  const filter = historyFilter(query);
  if (!(await isMember(tx, customerId))) throw new Fault('CUSTOMER_NOT_FOUND');
  return feed(query, await listHistory(tx, { ...filter, customerId }), viewEntry, cursorOf);
});
