/** Categories: a tree of at most four levels; products belong to its leaves (docs/contract.md#categories). */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Category, CategoryEntity } from './entities.ts';
import { offset, type PageRequest } from '../kernel/page.ts';

/** CATEGORY_NOT_FOUND, also for another store's. `locks`: locked for a change, as it then is. */
export async function findCategory({ em, storeId }: Tx, categoryId: string, { locks = false } = {}): Promise<Category> {
  const locked = locks ? { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } : {};
  const category = await em.findOne(CategoryEntity, { storeId, categoryId }, locked);
  if (!category) throw new Fault('CATEGORY_NOT_FOUND');
  return category;
}

export const listCategories = ({ em, storeId }: Tx, page: PageRequest): Promise<[Category[], number]> =>
  em.findAndCount(CategoryEntity, { storeId }, { orderBy: { depth: 'asc', name: 'asc', categoryId: 'asc' }, ...offset(page) });
