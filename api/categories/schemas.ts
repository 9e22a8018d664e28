import type { Category as Row } from '../../db/categories/entities.ts';
import { closed, Id, nullable, Type } from '../declare/schema.ts';

export const Category = closed(
  { categoryId: Id, name: Type.String(), parentId: nullable(Id), depth: Type.Integer(), isLeaf: Type.Boolean(), flowId: nullable(Id) },
  { title: 'Category' },
);
export const viewCategory = (row: Row) => ({
  categoryId: row.categoryId,
  name: row.name,
  parentId: row.parentId ?? null,
  depth: row.depth,
  isLeaf: row.isLeaf,
  flowId: row.flowId ?? null,
});
