/** A guest's cart: one line per variant, priced and judged anew at every look (spec/shapes.md § Buyer, D60). */
import { Fault, invalid } from '../../workflows/kernel/errors.ts';
import { CHECKOUT_LINES } from '../../workflows/checkout/rules.ts';
import { findSellable, type Sellable } from '../catalog/products.ts';
import { isBuyable, variantOf, type WantedLine } from '../checkout/store.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../orm.ts';
import { type CartItem, CartItemEntity } from './entities.ts';

export const MOST_QUANTITY = 999;

export type Unavailable = 'DELETED' | 'NOT_ON_SALE' | 'SOLD_OUT' | 'NOT_ENOUGH_STOCK';
export interface CartLine {
  readonly item: CartItem;
  readonly productName: string;
  readonly optionLabel: string | null;
  readonly unitPriceWon: number;
  /** Why it cannot be bought now; null when it can. */
  readonly unavailable: Unavailable | null;
}

/** Puts a variant into the cart; the same variant again is one line with the sum, at most 999. */
export async function addToCart(em: Em, storeId: string, sessionId: string, wanted: WantedLine, at: number): Promise<void> {
  const found = (await findSellable(em, storeId, [wanted.productId])).get(wanted.productId);
  const variant = variantOf(found, wanted.optionId);
  if (!isBuyable(found!, variant, 1))
    throw new Fault('OUT_OF_STOCK', { details: { items: [{ productId: wanted.productId, optionId: variant.variantId }] } });
  const rows = await sql(
    em,
    `INSERT INTO cart_item (store_id, cart_item_id, session_id, product_id, variant_id, quantity, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, session_id, variant_id) DO UPDATE SET quantity = cart_item.quantity + excluded.quantity
     WHERE cart_item.quantity + excluded.quantity <= ${MOST_QUANTITY} RETURNING 1 AS ok`,
    [storeId, newId('crt', at), sessionId, wanted.productId, variant.variantId, wanted.quantity, new Date(at)],
  );
  if (rows.length === 0) throw invalid('quantity', 'OUT_OF_RANGE', `At most ${MOST_QUANTITY} of one option.`);
  if ((await em.count(CartItemEntity, { storeId, sessionId })) > CHECKOUT_LINES)
    throw invalid('productId', 'TOO_MANY', `A cart holds ${CHECKOUT_LINES} lines.`);
}

export async function changeQuantity(em: Em, storeId: string, sessionId: string, cartItemId: string, quantity: number): Promise<void> {
  const changed = await em.nativeUpdate(CartItemEntity, { storeId, sessionId, cartItemId }, { quantity });
  if (changed === 0) throw new Fault('CART_ITEM_NOT_FOUND');
}

export async function removeFromCart(em: Em, storeId: string, sessionId: string, cartItemId: string): Promise<void> {
  const removed = await em.nativeDelete(CartItemEntity, { storeId, sessionId, cartItemId });
  if (removed === 0) throw new Fault('CART_ITEM_NOT_FOUND');
}

/** The cart as it stands: three queries whatever it holds. A line that cannot be bought stays and says why. */
export async function readCart(em: Em, storeId: string, sessionId: string): Promise<CartLine[]> {
  const items = await em.find(CartItemEntity, { storeId, sessionId }, { orderBy: { createdAt: 'asc', cartItemId: 'asc' } });
  const sellable = await findSellable(
    em,
    storeId,
    items.map((item) => item.productId),
  );
  return items.map((item) => lineOf(item, sellable.get(item.productId)));
}

function lineOf(item: CartItem, found: Sellable | undefined): CartLine {
  const variant = found?.variants.find((v) => v.variantId === item.variantId);
  if (!found || !variant) return { item, productName: '', optionLabel: null, unitPriceWon: 0, unavailable: 'DELETED' };
  return {
    item,
    productName: found.product.name,
    optionLabel: variant.optionValues.length > 0 ? variant.optionValues.join(' / ') : null,
    unitPriceWon: found.product.salePriceWon + variant.additionalPriceWon,
    unavailable: whyNot(found, variant, item.quantity),
  };
}

function whyNot(found: Sellable, variant: Sellable['variants'][number], quantity: number): Unavailable | null {
  if (found.product.deletedAt) return 'DELETED';
  if (found.product.status !== 'ON_SALE') return 'NOT_ON_SALE';
  if (!variant.isSellable || variant.stockQuantity === 0) return 'SOLD_OUT';
  return variant.stockQuantity < quantity ? 'NOT_ENOUGH_STOCK' : null;
}

/** The named lines of a cart, in their order; another buyer's is CART_ITEM_NOT_FOUND (D39). */
export async function linesOf(em: Em, storeId: string, sessionId: string, cartItemIds: readonly string[]): Promise<WantedLine[]> {
  const items = await em.find(CartItemEntity, { storeId, sessionId, cartItemId: { $in: [...cartItemIds] } });
  const byId = new Map(items.map((item) => [item.cartItemId, item]));
  return cartItemIds.map((cartItemId) => {
    const item = byId.get(cartItemId);
    if (!item) throw new Fault('CART_ITEM_NOT_FOUND');
    return { productId: item.productId, optionId: item.variantId, quantity: item.quantity };
  });
}
