import { deleteCategory } from '../../db/categories/commands.ts';
import { Type } from '../kernel/schema.ts';
import { endpoint } from '../kernel/endpoint.ts';
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
