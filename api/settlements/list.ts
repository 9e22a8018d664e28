import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { Settlement } from './schemas.ts';

export const list = endpoint({
  id: 'settlements.list',
  route: 'GET /v1/settlements',
  summary: 'Settlements have been replaced by the sales report: there are none',
  access: 'store',
  scopes: ['settlement:r'],
  change: 'none',
  successor: '/v1/sales-report',
  query: Type.Object(paging),
  data: listOf(Settlement),
}).handle(async ({ query }) => page(query, [], 0));
