import { deleteCategory } from '../../db/categories/commands.ts';
import { Type } from '../declare/schema.ts';
import { endpoint } from '../declare/endpoint.ts';
import { CATEGORY } from './subject.ts';

export const remove = endpoint({
  id: 'categories.remove',
  route: 'DELETE /v1/categories/{categoryId}',
  summary: 'Delete a category without children and products',
  access: 'store',
  scopes: ['category:rw'],
  agent: 'direct',
  target: CATEGORY,
  change: 'here',
  data: Type.Null(),
  errors: ['CATEGORY_NOT_FOUND', 'CATEGORY_IN_USE'],
}).handle(async ({ tx, params }) => {
  await deleteCategory(tx, params.categoryId);
  return null;
});
