/** Categories: a tree of at most four levels; products belong to its leaves (docs/contract.md#categories). */
import { CATEGORY_LEVELS } from '../../domain/products/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, lockName, sql } from '../kernel/tx.ts';
import { type Category, CategoryEntity } from './entities.ts';
import { findCategory } from './queries.ts';

/** Serializes changes of one tree, so that two of them together cannot make a cycle or a fifth level. */
const lockTree = (em: Em, storeId: string) => lockName(em, `categories/${storeId}`);
const TOO_DEEP = () => invalid('parentId', 'OUT_OF_RANGE', `At most ${CATEGORY_LEVELS} levels.`);

export async function createCategory(
  em: Em,
  storeId: string,
  wanted: { name: string; parentId?: string | null },
  at: number,
): Promise<Category> {
  await lockTree(em, storeId);
  const parent = wanted.parentId ? await openParent(em, storeId, wanted.parentId) : null;
  if (parent && parent.depth >= CATEGORY_LEVELS) throw TOO_DEEP();
  const category = em.create(CategoryEntity, {
    storeId,
    categoryId: newId('cat', at),
    name: wanted.name,
    parentId: parent?.categoryId ?? null,
    depth: (parent?.depth ?? 0) + 1,
    isLeaf: true,
    createdAt: new Date(at),
  });
  em.persist(category);
  if (parent) parent.isLeaf = false;
  return category;
}

/** The parent of a new child, locked; CATEGORY_IN_USE when it has products. */
async function openParent(em: Em, storeId: string, categoryId: string): Promise<Category> {
  const parent = await lockCategory(em, storeId, categoryId);
  if (await hasProducts(em, storeId, categoryId)) throw new Fault('CATEGORY_IN_USE');
  return parent;
}

const hasProducts = async (em: Em, storeId: string, categoryId: string): Promise<boolean> =>
  (
    await sql(em, 'SELECT 1 AS ok FROM product WHERE store_id = ? AND category_id = ? AND deleted_at IS NULL LIMIT 1', [
      storeId,
      categoryId,
    ])
  ).length > 0;

/** The category, locked; CATEGORY_NOT_FOUND, also for another store's. */
export async function lockCategory(em: Em, storeId: string, categoryId: string): Promise<Category> {
  await sql(em, 'SELECT 1 FROM category WHERE store_id = ? AND category_id = ? FOR UPDATE', [storeId, categoryId]);
  return findCategory(em, storeId, categoryId);
}

export interface CategoryPatch {
  readonly name?: string;
  readonly parentId?: string | null;
  readonly flowId?: string | null;
}

/** Renames or moves a category with everything below it: CATEGORY_CYCLE below itself, at most four levels, no parent with products. */
export async function patchCategory(em: Em, storeId: string, categoryId: string, patch: CategoryPatch): Promise<Category> {
  await lockTree(em, storeId);
  const category = await lockCategory(em, storeId, categoryId);
  if (patch.name !== undefined) category.name = patch.name;
  if (patch.flowId) throw category.isLeaf ? new Fault('FLOW_NOT_FOUND') : new Fault('CATEGORY_NOT_LEAF');
  const parentId = patch.parentId === undefined ? (category.parentId ?? null) : patch.parentId;
  if (parentId !== (category.parentId ?? null)) await reparent(em, category, parentId);
  return category;
}

async function reparent(em: Em, category: Category, parentId: string | null): Promise<void> {
  const { storeId, categoryId, parentId: formerId = null } = category;
  const below = await sql<{ category_id: string; depth: number }>(
    em,
    `WITH RECURSIVE below AS (
       SELECT category_id, depth FROM category WHERE store_id = ? AND category_id = ?
       UNION ALL SELECT c.category_id, c.depth FROM category c JOIN below b ON c.parent_id = b.category_id WHERE c.store_id = ?)
     SELECT * FROM below`,
    [storeId, categoryId, storeId],
  );
  if (below.some((one) => one.category_id === parentId)) throw new Fault('CATEGORY_CYCLE');
  const parent = parentId === null ? null : await openParent(em, storeId, parentId);
  const shift = (parent?.depth ?? 0) + 1 - category.depth;
  if (Math.max(...below.map(({ depth }) => depth)) + shift > CATEGORY_LEVELS) throw TOO_DEEP();
  Object.assign(category, { parentId });
  if (parent) parent.isLeaf = false;
  await em.flush();
  if (shift !== 0)
    for (const { category_id: id } of below)
      await sql(em, 'UPDATE category SET depth = depth + ? WHERE store_id = ? AND category_id = ?', [shift, storeId, id]);
  if (formerId !== null) await updateLeaf(em, storeId, formerId);
  await em.refresh(category);
}

/** Recomputes `is_leaf` after a child was removed. */
const updateLeaf = (em: Em, storeId: string, categoryId: string) =>
  sql(
    em,
    `UPDATE category SET is_leaf = NOT EXISTS (SELECT 1 FROM category c WHERE c.store_id = ? AND c.parent_id = ?) WHERE store_id = ?
     AND category_id = ?`,
    [storeId, categoryId, storeId, categoryId],
  );

/** Deletes a leaf without products; any other is CATEGORY_IN_USE. */
export async function deleteCategory(em: Em, storeId: string, categoryId: string): Promise<void> {
  await lockTree(em, storeId);
  const category = await lockCategory(em, storeId, categoryId);
  if (!category.isLeaf || (await hasProducts(em, storeId, categoryId))) throw new Fault('CATEGORY_IN_USE');
  const { parentId = null } = category;
  em.remove(category);
  await em.flush();
  if (parentId !== null) await updateLeaf(em, storeId, parentId);
}
