/** Categories: a tree of at most four levels; products belong to its leaves (docs/contract.md#categories). */
import { CATEGORY_LEVELS } from '../../domain/products/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { checkAssignable } from '../flows/assignment.ts';
import { newId } from '../kernel/clock.ts';
import { lockName, type Tx } from '../kernel/tx.ts';
import { type Category, CategoryEntity } from './entities.ts';
import { findCategory } from './queries.ts';

/** Serializes changes of one tree, so that two of them together cannot make a cycle or a fifth level. */
const lockTree = (tx: Tx) => lockName(tx, `categories/${tx.storeId}`);
const TOO_DEEP = () => invalid('parentId', 'OUT_OF_RANGE', `At most ${CATEGORY_LEVELS} levels.`);

export async function createCategory(tx: Tx, wanted: { name: string; parentId?: string | null }): Promise<Category> {
  const { em, storeId, at } = tx;
  await lockTree(tx);
  const parent = wanted.parentId ? await openParent(tx, wanted.parentId) : null;
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

/** The parent of a new child, locked; CATEGORY_IN_USE when it has products or a flow. */
async function openParent(tx: Tx, categoryId: string): Promise<Category> {
  const parent = await lockCategory(tx, categoryId);
  const hasFlow = parent.flowId !== null && parent.flowId !== undefined;
  if (hasFlow || (await hasProducts(tx, categoryId))) throw new Fault('CATEGORY_IN_USE');
  return parent;
}

const hasProducts = async ({ sql, storeId }: Tx, categoryId: string): Promise<boolean> =>
  (await sql`SELECT 1 AS ok FROM product WHERE store_id = ${storeId} AND category_id = ${categoryId} AND deleted_at IS NULL LIMIT 1`)
    .length > 0;

/** The category, locked; CATEGORY_NOT_FOUND, also for another store's. */
export const lockCategory = (tx: Tx, categoryId: string): Promise<Category> => findCategory(tx, categoryId, { locks: true });

export interface CategoryPatch {
  readonly name?: string;
  readonly parentId?: string | null;
  readonly flowId?: string | null;
}

/**
 * Renames or moves a category with everything below it: CATEGORY_CYCLE below itself, at most four levels, no parent with products or a
 * flow.
 */
export async function patchCategory(tx: Tx, categoryId: string, patch: CategoryPatch): Promise<Category> {
  await lockTree(tx);
  const category = await lockCategory(tx, categoryId);
  if (patch.name !== undefined) category.name = patch.name;
  if (patch.flowId !== undefined) await assignFlow(tx, category, patch.flowId);
  const parentId = patch.parentId === undefined ? (category.parentId ?? null) : patch.parentId;
  if (parentId !== (category.parentId ?? null)) await reparent(tx, category, parentId);
  return category;
}

/** Only leaves have a flow: CATEGORY_NOT_LEAF, FLOW_NOT_FOUND, FLOW_NOT_PUBLISHED. */
async function assignFlow(tx: Tx, category: Category, flowId: string | null): Promise<void> {
  if (flowId !== null && !category.isLeaf) throw new Fault('CATEGORY_NOT_LEAF');
  if (flowId !== null) await checkAssignable(tx, flowId);
  category.flowId = flowId;
}

async function reparent(tx: Tx, category: Category, parentId: string | null): Promise<void> {
  const { em, sql } = tx;
  const { storeId, categoryId, parentId: formerId = null } = category;
  const below = await sql<{ category_id: string; depth: number }>`WITH RECURSIVE below AS (
       SELECT category_id, depth FROM category WHERE store_id = ${storeId} AND category_id = ${categoryId}
       UNION ALL SELECT c.category_id, c.depth FROM category c JOIN below b ON c.parent_id = b.category_id WHERE c.store_id = ${storeId})
     SELECT * FROM below`;
  if (below.some((one) => one.category_id === parentId)) throw new Fault('CATEGORY_CYCLE');
  const parent = parentId === null ? null : await openParent(tx, parentId);
  const shift = (parent?.depth ?? 0) + 1 - category.depth;
  if (Math.max(...below.map(({ depth }) => depth)) + shift > CATEGORY_LEVELS) throw TOO_DEEP();
  Object.assign(category, { parentId });
  if (parent) parent.isLeaf = false;
  await em.flush();
  if (shift !== 0)
    for (const { category_id: id } of below)
      await sql`UPDATE category SET depth = depth + ${shift} WHERE store_id = ${storeId} AND category_id = ${id}`;
  if (formerId !== null) await updateLeaf(tx, formerId);
  await em.refresh(category);
}

/** Recomputes `is_leaf` after a child was removed. */
const updateLeaf = ({ sql, storeId }: Tx, categoryId: string) =>
  sql`UPDATE category SET is_leaf = NOT EXISTS (SELECT 1 FROM category c WHERE c.store_id = ${storeId} AND c.parent_id = ${categoryId})
    WHERE store_id = ${storeId}
     AND category_id = ${categoryId}`;

/** Deletes a leaf without products; any other is CATEGORY_IN_USE. */
export async function deleteCategory(tx: Tx, categoryId: string): Promise<void> {
  const { em } = tx;
  await lockTree(tx);
  const category = await lockCategory(tx, categoryId);
  if (!category.isLeaf || (await hasProducts(tx, categoryId))) throw new Fault('CATEGORY_IN_USE');
  const { parentId = null } = category;
  em.remove(category);
  await em.flush();
  if (parentId !== null) await updateLeaf(tx, parentId);
}
