/** Categories: a tree of at most four levels; products belong to its leaves (docs/contract.md#categories). */
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Category, CategoryEntity } from './entities.ts';
import { offset, type PageRequest } from '../kernel/page.ts';

export async function findCategory({ em, storeId }: Tx, categoryId: string): Promise<Category> {
  const category = await em.findOne(CategoryEntity, { storeId, categoryId });
  if (!category) throw new Fault('CATEGORY_NOT_FOUND');
  return category;
}

export const listCategories = ({ em, storeId }: Tx, page: PageRequest): Promise<[Category[], number]> =>
  em.findAndCount(CategoryEntity, { storeId }, { orderBy: { depth: 'asc', name: 'asc', categoryId: 'asc' }, ...offset(page) });
