/** A buyer's cart: one line per variant and stay; prices and availability are computed at every read (docs/contract.md#cart). */
import type { PricedStay, Stay } from '../../domain/products/calendar.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Sellable } from '../products/queries.ts';
import { isPriced, missingNights, optionLabel, priceOf, readPricingData, type PricingData, type WantedLine } from '../checkout/lines.ts';
import type { Tx } from '../kernel/tx.ts';
import { type CartItem, CartItemEntity } from './entities.ts';

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

/** The cart, in a fixed number of queries. A line that cannot be bought stays in it, with the reason. */
export async function readCart(tx: Tx, sessionId: string): Promise<CartLine[]> {
  const { em, storeId } = tx;
  const items = await em.find(CartItemEntity, { storeId, sessionId }, { orderBy: { createdAt: 'asc', cartItemId: 'asc' } });
  const pricing = await readPricingData(tx, items.map(wantedOf));
  return items.map((item) => lineOf(pricing, item));
}
const wantedOf = (item: CartItem): WantedLine => ({
  productId: item.productId,
  optionId: item.variantId,
  quantity: item.quantity,
  stay: stayOf(item),
});

function lineOf(pricing: PricingData, item: CartItem): CartLine {
  const found = pricing.sellable.get(item.productId);
  const variant = found?.variants.find((v) => v.variantId === item.variantId);
  const gone = { item, productName: found?.product.name ?? '', optionLabel: null, unitPriceWon: 0, stay: null } as const;
  if (!found || !variant) return { ...gone, unavailable: 'DELETED' };
  const stay = stayOf(item);
  // The inventory mode of the product was changed since the line was added.
  if ((found.product.inventoryMode === 'DATED') !== (stay !== null)) return { ...gone, unavailable: 'NOT_ON_SALE' };
  const priced = priceOf(pricing, found, variant, stay);
  if (!isPriced(priced)) return { ...gone, unavailable: 'NOT_ON_SALE' };
  return {
    item,
    productName: found.product.name,
    optionLabel: optionLabel(variant),
    ...priced,
    unavailable: unavailableReason(pricing, found, variant, item),
  };
}

function unavailableReason(
  pricing: PricingData,
  found: Sellable,
  variant: Sellable['variants'][number],
  item: CartItem,
): Unavailable | null {
  if (found.product.deletedAt) return 'DELETED';
  if (found.product.status !== 'ON_SALE') return 'NOT_ON_SALE';
  const stay = stayOf(item);
  if (!variant.isSellable || (!stay && variant.stockQuantity === 0)) return 'SOLD_OUT';
  if (stay) return missingNights(pricing, variant.variantId, stay, item.quantity).length > 0 ? 'DATES_UNAVAILABLE' : null;
  return variant.stockQuantity < item.quantity ? 'NOT_ENOUGH_STOCK' : null;
}

/** The lines of a cart with these ids, in their order; CART_ITEM_NOT_FOUND, also for another buyer's. */
export async function linesOf({ em, storeId }: Tx, sessionId: string, cartItemIds: readonly string[]): Promise<WantedLine[]> {
  const items = await em.find(CartItemEntity, { storeId, sessionId, cartItemId: { $in: [...cartItemIds] } });
  const byId = new Map(items.map((item) => [item.cartItemId, item]));
  return cartItemIds.map((cartItemId) => {
    const item = byId.get(cartItemId);
    if (!item) throw new Fault('CART_ITEM_NOT_FOUND');
    return wantedOf(item);
  });
}
