import { createCategory } from '../../db/categories/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Id, Name, nullable, Type } from '../declare/schema.ts';
import { Category, viewCategory } from './schemas.ts';
import { CATEGORY } from './subject.ts';

export const create = endpoint({
  id: 'categories.create',
  route: 'POST /v1/categories',
  summary: 'Create a category, at most four levels deep',
  access: 'store',
  scopes: ['category:rw'],
  agent: 'direct',
  target: CATEGORY,
  change: 'here',
  idempotent: true,
  body: closed({ name: Name(50), parentId: Type.Optional(nullable(Id)) }, { title: 'CategoryRequest' }),
  status: 201,
  data: Category,
  errors: ['CATEGORY_NOT_FOUND', 'CATEGORY_IN_USE'],
}).handle(async ({ tx, body, setHeader }) => {
  const category = await createCategory(tx, body);
  setHeader('Location', `/v1/categories/${category.categoryId}`);
  return viewCategory(category);
});
