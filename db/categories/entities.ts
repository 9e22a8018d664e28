import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { storeId, time } from '../kernel/columns.ts';

export const CategoryEntity = defineEntity({
  name: 'Category',
  tableName: 'category',
  properties: {
    storeId: storeId(),
    categoryId: p.string().primary(),
    name: p.string(),
    parentId: p.string().nullable(),
    depth: p.smallint(),
    isLeaf: p.boolean(),
    flowId: p.string().nullable(),
    createdAt: time(),
  },
});
export type Category = InferEntity<typeof CategoryEntity>;
