import { listCategories } from '../../db/categories/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, paging, Type } from '../declare/schema.ts';
import { Category, viewCategory } from './schemas.ts';

export const list = endpoint({
  id: 'categories.list',
  route: 'GET /v1/categories',
  summary: 'List categories, upper levels first',
  access: 'store',
  scopes: ['category:r'],
  change: 'none',
  query: Type.Object(paging),
  data: listOf(Category),
}).handle(async ({ tx, query }) => {
  const [rows, total] = await listCategories(tx, query);
  return page(query, rows.map(viewCategory), total);
});
