import { findCategory } from '../../db/categories/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Category, viewCategory } from './schemas.ts';

export const get = endpoint({
  id: 'categories.get',
  route: 'GET /v1/categories/{categoryId}',
  summary: 'Read a category',
  access: 'store',
  scopes: ['category:r'],
  change: 'none',
  data: Category,
  errors: ['CATEGORY_NOT_FOUND'],
}).handle(async ({ tx, params }) => viewCategory(await findCategory(tx, params.categoryId)));
