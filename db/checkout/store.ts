/** Checkouts: what a buyer is about to pay, for 30 minutes. */
import { LockMode } from '@mikro-orm/core';
import { Fault, invalid } from '../../workflows/kernel/errors.ts';
import { CHECKOUT_LIFETIME_MS, type CheckoutLine, isTooMuch } from '../../workflows/checkout/rules.ts';
import { findSellable, type Sellable } from '../catalog/store.ts';
import { newId } from '../kernel/clock.ts';
import type { Em } from '../orm.ts';
import { type Checkout, CheckoutEntity } from './entities.ts';

export interface WantedLine {
  readonly productId: string;
  readonly optionId?: string;
  readonly quantity: number;
}

/** Opens a checkout for a direct purchase. Prices are today's; unknown products 404, unsellable ones OUT_OF_STOCK. */
export async function openCheckout(
  em: Em,
  storeId: string,
  sessionId: string,
  wanted: readonly WantedLine[],
  at: number,
): Promise<Checkout> {
  const sellable = await findSellable(
    em,
    storeId,
    wanted.map((line) => line.productId),
  );
  const lines = wanted.map((line) => lineOf(sellable.get(line.productId), line));
  const short = shortLines(lines, sellable);
  if (short.length > 0) throw new Fault('OUT_OF_STOCK', { details: { items: short } });
  if (isTooMuch(lines)) throw invalid('items', 'OUT_OF_RANGE', 'The total is beyond 2,000,000,000 won.');
  const checkout = em.create(CheckoutEntity, {
    storeId,
    sessionId,
    lines,
    checkoutId: newId('chk', at),
    status: 'OPEN',
    expiresAt: new Date(at + CHECKOUT_LIFETIME_MS),
    createdAt: new Date(at),
  });
  em.persist(checkout);
  return checkout;
}

function lineOf(found: Sellable | undefined, { optionId, quantity }: WantedLine): CheckoutLine {
  if (!found || found.product.deletedAt) throw new Fault('PRODUCT_NOT_FOUND');
  const { product, variants } = found;
  const variant =
    optionId === undefined ? (variants.length === 1 ? variants[0] : undefined) : variants.find((v) => v.variantId === optionId);
  if (!variant) throw new Fault('VARIANT_NOT_FOUND');
  return {
    quantity,
    productId: product.productId,
    productName: product.name,
    variantId: variant.variantId,
    optionLabel: variant.optionValues.length > 0 ? variant.optionValues.join(' / ') : null,
    unitPriceWon: product.salePriceWon + variant.additionalPriceWon,
    fulfillmentMethod: product.methods[0] ?? 'CARRIER',
    deliveryType: product.deliveryType,
    deliveryFeeWon: product.deliveryFeeWon,
    conditionalFreeWon: product.conditionalFreeWon ?? null,
  };
}

/** Variants whose lines together want more than there is, or that are not on sale (D37). */
function shortLines(lines: readonly CheckoutLine[], sellable: Map<string, Sellable>) {
  const wanted = Map.groupBy(lines, (line) => line.variantId);
  return [...wanted].flatMap(([optionId, same]) => {
    const { productId } = same[0]!;
    const found = sellable.get(productId);
    const variant = found?.variants.find((v) => v.variantId === optionId);
    const quantity = same.reduce((sum, line) => sum + line.quantity, 0);
    const buyable =
      found?.product.status === 'ON_SALE' && !found.product.deletedAt && variant?.isSellable && variant.stockQuantity >= quantity;
    return buyable ? [] : [{ productId, optionId }];
  });
}

/** The buyer's own checkout, locked where it is to be paid; another buyer's is not there (D39). */
export async function findCheckout(em: Em, storeId: string, checkoutId: string, sessionId: string, lock = false): Promise<Checkout> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {};
  const checkout = await em.findOne(CheckoutEntity, { storeId, checkoutId, sessionId }, options);
  if (!checkout) throw new Fault('CHECKOUT_NOT_FOUND');
  return checkout;
}

/** The lines of a checkout at today's prices; CHECKOUT_STALE when one of them can no longer be sold (D37). */
export async function repriceLines(em: Em, checkout: Checkout): Promise<CheckoutLine[]> {
  const sellable = await findSellable(
    em,
    checkout.storeId,
    checkout.lines.map((line) => line.productId),
  );
  const short = shortLines(checkout.lines, sellable);
  if (short.length > 0) throw new Fault('CHECKOUT_STALE', { details: { items: short } });
  const lines = checkout.lines.map((line) =>
    lineOf(sellable.get(line.productId), { productId: line.productId, optionId: line.variantId, quantity: line.quantity }),
  );
  if (isTooMuch(lines)) throw new Fault('CHECKOUT_STALE');
  return lines;
}
