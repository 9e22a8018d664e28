import { patchCategory } from '../../db/categories/commands.ts';
import { closed, Id, Name, nullable, Type } from '../declare/schema.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Category, viewCategory } from './schemas.ts';
import { CATEGORY } from './subject.ts';

export const patch = endpoint({
  id: 'categories.patch',
  route: 'PATCH /v1/categories/{categoryId}',
  summary: 'Rename a category, move it with all that is below it, or give a leaf an order flow; null takes it away',
  access: 'store',
  scopes: ['category:rw'],
  agent: 'direct',
  target: CATEGORY,
  change: 'here',
  body: closed(
    { name: Type.Optional(Name(50)), parentId: Type.Optional(nullable(Id)), flowId: Type.Optional(nullable(Id)) },
    { title: 'CategoryPatch' },
  ),
  data: Category,
  errors: ['CATEGORY_NOT_FOUND', 'CATEGORY_IN_USE', 'CATEGORY_CYCLE', 'CATEGORY_NOT_LEAF', 'FLOW_NOT_FOUND', 'FLOW_NOT_PUBLISHED'],
}).handle(async ({ tx, params, body }) => viewCategory(await patchCategory(tx, params.categoryId, body)));
