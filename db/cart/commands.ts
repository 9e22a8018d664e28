/** A buyer's cart: one line per variant and stay; prices and availability are computed at every read (docs/contract.md#cart). */
import {
  checkChosen,
  isBuyable,
  isPriced,
  missingNights,
  priceOf,
  type PricingData,
  readPricingData,
  variantOf,
  type WantedLine,
} from '../checkout/lines.ts';
import type { Sellable } from '../products/queries.ts';
import { CartItemEntity } from './entities.ts';
import { CHECKOUT_LINES, type Visit } from '../../domain/checkout/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { recordVisit } from '../visits/record.ts';

export const MAX_QUANTITY = 999;

/** Adds a variant to the cart; the same variant and stay again adds to the quantity of its line, at most 999. */
export async function addToCart(tx: Tx, sessionId: string, wanted: WantedLine, visit: Visit | null): Promise<void> {
  const { em, sql, storeId, at } = tx;
  const pricing = await readPricingData(tx, [wanted]);
  checkChosen(pricing, [wanted], () => 'optionId');
  const found = pricing.sellable.get(wanted.productId);
  const variant = variantOf(found, wanted.optionId);
  const { stay = null } = wanted;
  checkSellable(pricing, wanted, found!, variant);
  const rows =
    await sql`INSERT INTO cart_item (store_id, cart_item_id, session_id, product_id, variant_id, check_in, check_out, quantity, visit,
      created_at)
     VALUES (${storeId}, ${newId('crt', at)}, ${sessionId}, ${wanted.productId}, ${variant.variantId}, ${stay?.checkIn ?? null},
        ${stay?.checkOut ?? null}, ${wanted.quantity}, ${visit && JSON.stringify(visit)}, ${new Date(at)})
     ON CONFLICT (store_id, session_id, variant_id, check_in, check_out) DO UPDATE SET quantity = cart_item.quantity + excluded.quantity,
       visit = coalesce(excluded.visit, cart_item.visit)
     WHERE cart_item.quantity + excluded.quantity <= ${MAX_QUANTITY} RETURNING 1 AS ok`;
  if (rows.length === 0) throw invalid('quantity', 'OUT_OF_RANGE', `At most ${MAX_QUANTITY} of one option.`);
  if ((await em.count(CartItemEntity, { storeId, sessionId })) > CHECKOUT_LINES)
    throw invalid('productId', 'TOO_MANY', `A cart holds ${CHECKOUT_LINES} lines.`);
  await recordVisit(tx, visit, [{ type: 'CART_ADD', productId: wanted.productId }]);
}

/** OUT_OF_STOCK, DATES_UNAVAILABLE. */
function checkSellable(pricing: PricingData, wanted: WantedLine, found: Sellable, variant: Sellable['variants'][number]): void {
  const { stay = null } = wanted;
  const priced = priceOf(pricing, found, variant, stay);
  if (!isBuyable(found, variant, stay ? 0 : 1) || !isPriced(priced))
    throw new Fault('OUT_OF_STOCK', { details: { items: [{ productId: wanted.productId, optionId: variant.variantId }] } });
  const dates = stay ? missingNights(pricing, variant.variantId, stay, wanted.quantity) : [];
  if (dates.length > 0) throw new Fault('DATES_UNAVAILABLE', { details: { dates } });
}

export async function changeQuantity({ em, storeId }: Tx, sessionId: string, cartItemId: string, quantity: number): Promise<void> {
  const changed = await em.nativeUpdate(CartItemEntity, { storeId, sessionId, cartItemId }, { quantity });
  if (changed === 0) throw new Fault('CART_ITEM_NOT_FOUND');
}

export async function removeFromCart({ em, storeId }: Tx, sessionId: string, cartItemId: string): Promise<void> {
  const removed = await em.nativeDelete(CartItemEntity, { storeId, sessionId, cartItemId });
  if (removed === 0) throw new Fault('CART_ITEM_NOT_FOUND');
}
