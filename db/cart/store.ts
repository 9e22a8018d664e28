/** A buyer's cart: one line per variant and stay, priced and judged anew at every look (spec/shapes.md § Buyer, D60). */
import type { PricedStay, Stay } from '../../domain/products/calendar.ts';
import { CHECKOUT_LINES, type Visit } from '../../domain/checkout/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import type { Sellable } from '../catalog/reading.ts';
import {
  checkChosen,
  isBuyable,
  missingNights,
  optionLabel,
  priceOf,
  readShelf,
  type Shelf,
  variantOf,
  type WantedLine,
} from '../checkout/lines.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../orm.ts';
import { type CartItem, CartItemEntity } from './entities.ts';

export const MOST_QUANTITY = 999;

export type Unavailable = 'DELETED' | 'NOT_ON_SALE' | 'SOLD_OUT' | 'NOT_ENOUGH_STOCK' | 'DATES_UNAVAILABLE';
export interface CartLine {
  readonly item: CartItem;
  readonly productName: string;
  readonly optionLabel: string | null;
  readonly unitPriceWon: number;
  readonly stay: PricedStay | null;
  /** Why it cannot be bought now; null when it can. */
  readonly unavailable: Unavailable | null;
}
const stayOf = ({ checkIn, checkOut }: CartItem): Stay | null => (checkIn && checkOut ? { checkIn, checkOut } : null);

/** Puts a variant into the cart; the same variant and stay again is one line with the sum, at most 999. */
export async function addToCart(
  em: Em,
  storeId: string,
  sessionId: string,
  wanted: WantedLine,
  visit: Visit | null,
  at: number,
): Promise<void> {
  const shelf = await readShelf(em, storeId, [wanted], at);
  checkChosen(shelf, [wanted], () => 'optionId');
  const found = shelf.sellable.get(wanted.productId);
  const variant = variantOf(found, wanted.optionId);
  const { stay = null } = wanted;
  priceOf(shelf, found!, variant, stay);
  if (!isBuyable(found!, variant, stay ? 0 : 1))
    throw new Fault('OUT_OF_STOCK', { details: { items: [{ productId: wanted.productId, optionId: variant.variantId }] } });
  const dates = stay ? missingNights(shelf, variant.variantId, stay, wanted.quantity) : [];
  if (dates.length > 0) throw new Fault('DATES_UNAVAILABLE', { details: { dates } });
  const rows = await sql(
    em,
    `INSERT INTO cart_item (store_id, cart_item_id, session_id, product_id, variant_id, check_in, check_out, quantity, visit, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, session_id, variant_id, check_in, check_out) DO UPDATE SET quantity = cart_item.quantity + excluded.quantity,
       visit = coalesce(excluded.visit, cart_item.visit)
     WHERE cart_item.quantity + excluded.quantity <= ${MOST_QUANTITY} RETURNING 1 AS ok`,
    [
      storeId,
      newId('crt', at),
      sessionId,
      wanted.productId,
      variant.variantId,
      stay?.checkIn ?? null,
      stay?.checkOut ?? null,
      wanted.quantity,
      visit && JSON.stringify(visit),
      new Date(at),
    ],
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

/** The cart as it stands, in a fixed number of queries. A line that cannot be bought stays and says why. */
export async function readCart(em: Em, storeId: string, sessionId: string, at: number): Promise<CartLine[]> {
  const items = await em.find(CartItemEntity, { storeId, sessionId }, { orderBy: { createdAt: 'asc', cartItemId: 'asc' } });
  const shelf = await readShelf(em, storeId, items.map(wantedOf), at);
  return items.map((item) => lineOf(shelf, item));
}
const wantedOf = (item: CartItem): WantedLine => ({
  productId: item.productId,
  optionId: item.variantId,
  quantity: item.quantity,
  stay: stayOf(item),
});

function lineOf(shelf: Shelf, item: CartItem): CartLine {
  const found = shelf.sellable.get(item.productId);
  const variant = found?.variants.find((v) => v.variantId === item.variantId);
  const gone = { item, productName: found?.product.name ?? '', optionLabel: null, unitPriceWon: 0, stay: null } as const;
  if (!found || !variant) return { ...gone, unavailable: 'DELETED' };
  const stay = stayOf(item);
  // Sold by the night now and not when it was chosen, or the other way round.
  if ((found.product.inventoryMode === 'DATED') !== (stay !== null)) return { ...gone, unavailable: 'NOT_ON_SALE' };
  return {
    item,
    productName: found.product.name,
    optionLabel: optionLabel(variant),
    ...priceOf(shelf, found, variant, stay),
    unavailable: whyNot(shelf, found, variant, item),
  };
}

function whyNot(shelf: Shelf, found: Sellable, variant: Sellable['variants'][number], item: CartItem): Unavailable | null {
  if (found.product.deletedAt) return 'DELETED';
  if (found.product.status !== 'ON_SALE') return 'NOT_ON_SALE';
  const stay = stayOf(item);
  if (!variant.isSellable || (!stay && variant.stockQuantity === 0)) return 'SOLD_OUT';
  if (stay) return missingNights(shelf, variant.variantId, stay, item.quantity).length > 0 ? 'DATES_UNAVAILABLE' : null;
  return variant.stockQuantity < item.quantity ? 'NOT_ENOUGH_STOCK' : null;
}

/** The named lines of a cart, in their order; another buyer's is CART_ITEM_NOT_FOUND (D39). */
export async function linesOf(em: Em, storeId: string, sessionId: string, cartItemIds: readonly string[]): Promise<WantedLine[]> {
  const items = await em.find(CartItemEntity, { storeId, sessionId, cartItemId: { $in: [...cartItemIds] } });
  const byId = new Map(items.map((item) => [item.cartItemId, item]));
  return cartItemIds.map((cartItemId) => {
    const item = byId.get(cartItemId);
    if (!item) throw new Fault('CART_ITEM_NOT_FOUND');
    return wantedOf(item);
  });
}
