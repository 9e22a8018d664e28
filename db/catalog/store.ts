/** Categories, and the stock of a variant. */
import { Fault, invalid } from '../../workflows/kernel/errors.ts';
import { CATEGORY_LEVELS } from '../../workflows/catalog/rules.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../orm.ts';
import { type Category, CategoryEntity, ProductEntity } from './entities.ts';
import { noteSoldOut, record } from './stock.ts';

export async function createCategory(
  em: Em,
  storeId: string,
  wanted: { name: string; parentId?: string | null },
  at: number,
): Promise<Category> {
  const parent = wanted.parentId ? await lockCategory(em, storeId, wanted.parentId) : null;
  if (parent) {
    if (parent.depth >= CATEGORY_LEVELS) throw invalid('parentId', 'OUT_OF_RANGE', `At most ${CATEGORY_LEVELS} levels.`);
    if ((await em.count(ProductEntity, { storeId, categoryId: parent.categoryId, deletedAt: null })) > 0)
      throw new Fault('CATEGORY_IN_USE');
    parent.isLeaf = false;
  }
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
  return category;
}

/** The category, locked; CATEGORY_NOT_FOUND for another store's too. */
export async function lockCategory(em: Em, storeId: string, categoryId: string): Promise<Category> {
  await sql(em, 'SELECT 1 FROM category WHERE store_id = ? AND category_id = ? FOR UPDATE', [storeId, categoryId]);
  const category = await em.findOne(CategoryEntity, { storeId, categoryId });
  if (!category) throw new Fault('CATEGORY_NOT_FOUND');
  return category;
}

export interface Page {
  readonly page: number;
  readonly size: number;
}
export const offset = ({ page, size }: Page) => ({ limit: size, offset: (page - 1) * size });

export const listCategories = (em: Em, storeId: string, page: Page): Promise<[Category[], number]> =>
  em.findAndCount(CategoryEntity, { storeId }, { orderBy: { depth: 'asc', name: 'asc', categoryId: 'asc' }, ...offset(page) });

export interface StockChange {
  readonly stockQuantity?: number;
  readonly adjustment?: number;
  readonly expectedStockQuantity?: number;
  readonly reason?: string;
}

/** Sets or adjusts a variant's stock, absolute or by a difference; a wrong expectation is CONCURRENT_UPDATE. */
export async function changeStock(
  em: Em,
  key: { storeId: string; productId: string; variantId: string },
  change: StockChange,
  reference: string,
  { at, realNow }: { readonly at: number; readonly realNow: number },
) {
  const { storeId, productId, variantId } = key;
  const [row] = await sql<{ stock_quantity: number; variant_no: string; is_sellable: boolean }>(
    em,
    `SELECT v.stock_quantity, v.variant_no, v.is_sellable FROM variant v JOIN product p USING (store_id, product_id)
     WHERE v.store_id = ? AND v.product_id = ? AND v.variant_id = ? AND p.deleted_at IS NULL FOR UPDATE OF v`,
    [storeId, productId, variantId],
  );
  if (!row)
    throw (await em.count(ProductEntity, { storeId, productId, deletedAt: null })) > 0
      ? new Fault('VARIANT_NOT_FOUND')
      : new Fault('PRODUCT_NOT_FOUND');
  if (change.expectedStockQuantity !== undefined && change.expectedStockQuantity !== row.stock_quantity)
    throw new Fault('CONCURRENT_UPDATE', { details: { stockQuantity: row.stock_quantity } });
  const stockQuantity = change.stockQuantity ?? row.stock_quantity + (change.adjustment ?? 0);
  if (stockQuantity < 0) throw new Fault('OUT_OF_STOCK', { details: { stockQuantity: row.stock_quantity } });
  if (stockQuantity > MOST_STOCK) throw invalid('adjustment', 'OUT_OF_RANGE', `At most ${MOST_STOCK} in all.`);
  await sql(em, 'UPDATE variant SET stock_quantity = ? WHERE store_id = ? AND variant_id = ?', [stockQuantity, storeId, variantId]);
  const quantity = stockQuantity - row.stock_quantity;
  const note = change.reason === undefined ? {} : { note: change.reason };
  if (quantity !== 0) await record(em, { storeId, variantId, quantity, reason: 'SELLER', reference, at, ...note });
  if (quantity < 0 && stockQuantity === 0) await noteSoldOut(em, storeId, [variantId], at, realNow);
  return { variantId, variantNo: row.variant_no, stockQuantity, isSoldOut: !row.is_sellable || stockQuantity === 0 };
}
export const MOST_STOCK = 100_000_000;
