/** Checkouts: what a buyer is about to pay, for 30 minutes. */
import { LockMode } from '@mikro-orm/core';
import { Fault, invalid } from '../../workflows/kernel/errors.ts';
import { CHECKOUT_LIFETIME_MS, type CheckoutLine, isShipped, isTooMuch } from '../../workflows/checkout/rules.ts';
import type { Variant } from '../catalog/entities.ts';
import { findSellable, type Sellable } from '../catalog/products.ts';
import { newId } from '../kernel/clock.ts';
import type { Em } from '../orm.ts';
import { type Checkout, CheckoutEntity } from './entities.ts';

export interface WantedLine {
  readonly productId: string;
  readonly optionId?: string;
  readonly quantity: number;
}

export interface CheckoutRequest {
  readonly lines: readonly WantedLine[];
  /** The cart lines that these are; they leave the cart when the checkout is paid. */
  readonly cartItemIds?: readonly string[];
}

/** Opens a checkout. Prices are today's; unknown products 404, unsellable ones OUT_OF_STOCK. */
export async function openCheckout(
  em: Em,
  storeId: string,
  sessionId: string,
  { lines: wanted, cartItemIds = [] }: CheckoutRequest,
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
    cartItemIds: [...cartItemIds],
    checkoutId: newId('chk', at),
    status: 'OPEN',
    expiresAt: new Date(at + CHECKOUT_LIFETIME_MS),
    createdAt: new Date(at),
  });
  em.persist(checkout);
  return checkout;
}

/** The variant that is meant; it may be left out where there is one. PRODUCT_NOT_FOUND, VARIANT_NOT_FOUND. */
export function variantOf(found: Sellable | undefined, optionId: string | undefined): Variant {
  if (!found || found.product.deletedAt) throw new Fault('PRODUCT_NOT_FOUND');
  const { variants } = found;
  const variant =
    optionId === undefined ? (variants.length === 1 ? variants[0] : undefined) : variants.find((v) => v.variantId === optionId);
  if (!variant) throw new Fault('VARIANT_NOT_FOUND');
  return variant;
}

function lineOf(found: Sellable | undefined, { optionId, quantity }: WantedLine): CheckoutLine {
  const variant = variantOf(found, optionId);
  const { product } = found!;
  return {
    quantity,
    productId: product.productId,
    productName: product.name,
    variantId: variant.variantId,
    optionLabel: variant.optionValues.length > 0 ? variant.optionValues.join(' / ') : null,
    unitPriceWon: product.salePriceWon + variant.additionalPriceWon,
    fulfillmentMethod: product.methods[0] ?? 'CARRIER',
    fulfillmentType: product.fulfillmentType,
    deliveryType: product.deliveryType,
    deliveryFeeWon: product.deliveryFeeWon,
    conditionalFreeWon: product.conditionalFreeWon ?? null,
  };
}

/** Whether a line can be bought now: on sale, sellable, enough of it. */
export const isBuyable = ({ product }: Sellable, variant: Variant, quantity: number): boolean =>
  product.status === 'ON_SALE' && !product.deletedAt && variant.isSellable && variant.stockQuantity >= quantity;

/** Variants whose lines together want more than there is, or that are not on sale (D37). */
function shortLines(lines: readonly CheckoutLine[], sellable: Map<string, Sellable>) {
  const wanted = Map.groupBy(lines, (line) => line.variantId);
  return [...wanted].flatMap(([optionId, same]) => {
    const { productId } = same[0]!;
    const found = sellable.get(productId);
    const variant = found?.variants.find((v) => v.variantId === optionId);
    const quantity = same.reduce((sum, line) => sum + line.quantity, 0);
    return found && variant && isBuyable(found, variant, quantity) ? [] : [{ productId, optionId }];
  });
}

/** The buyer's own checkout, locked where it is to be paid; another buyer's is not there (D39). */
export async function findCheckout(em: Em, storeId: string, checkoutId: string, sessionId: string, lock = false): Promise<Checkout> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {};
  const checkout = await em.findOne(CheckoutEntity, { storeId, checkoutId, sessionId }, options);
  if (!checkout) throw new Fault('CHECKOUT_NOT_FOUND');
  return checkout;
}

/** The lines of a checkout at today's prices; CHECKOUT_STALE when one can no longer be sold, or not as what it was (D37). */
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
  const isOther = lines.some((line, i) => isShipped(line) !== isShipped(checkout.lines[i]!));
  if (isOther || isTooMuch(lines)) throw new Fault('CHECKOUT_STALE');
  return lines;
}
