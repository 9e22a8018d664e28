/** Prices and availability of the lines of carts and checkouts, as of now. */
import { checkStay, nightsOf, type PricedStay, type Stay } from '../../domain/products/calendar.ts';
import { buyerPriceWon, isSellableAt } from '../../domain/products/prices.ts';
import type { FulfillmentMethod } from '../../domain/products/rules.ts';
import { type CheckoutLine, type FrozenAddress, type FrozenLocation, isShipped } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { koreanDate } from '../../domain/kernel/time.ts';
import { type Night, nightKey, readNights } from '../products/nights.ts';
import { type AddressRow, findSellable, type Sellable } from '../products/queries.ts';
import type { Tx } from '../kernel/tx.ts';

type SellableVariant = Sellable['variants'][number];
export interface WantedLine {
  readonly productId: string;
  readonly optionId?: string;
  readonly quantity: number;
  readonly stay?: Stay | null;
}

/** The data for pricing lines, read once for all of them. */
export interface PricingData {
  readonly sellable: ReadonlyMap<string, Sellable>;
  readonly nights: ReadonlyMap<string, Night>;
  readonly addresses: readonly AddressRow[];
  /** The Korean day of the purchase. */
  readonly today: string;
}

/** Products, variants and addresses of these lines in one query, and the nights of stays in another. */
export async function readPricingData(tx: Tx, lines: readonly WantedLine[]): Promise<PricingData> {
  const { at } = tx;
  const { sellable, addresses } = await findSellable(
    tx,
    [...new Set(lines.map((line) => line.productId))],
    [...new Set(lines.flatMap((line) => line.optionId ?? []))],
  );
  const byNight = lines.flatMap(({ productId, optionId, quantity, stay }) => {
    const variantId = optionId ?? sellable.get(productId)?.variants[0]?.variantId;
    return stay && variantId !== undefined ? [{ variantId, quantity, stay }] : [];
  });
  return { sellable, addresses, nights: await readNights(tx, byNight), today: koreanDate(at) };
}

/** VALIDATION_FAILED with every line that does not choose one of several variants; `field`: the path of a line. */
export function checkChosen({ sellable }: PricingData, lines: readonly WantedLine[], field: (line: number) => string): void {
  const fieldErrors = lines.flatMap(({ productId, optionId }, i) => {
    const found = sellable.get(productId);
    return optionId === undefined && found && !found.product.deletedAt && found.variants.length > 1
      ? [{ field: field(i), code: 'REQUIRED', message: 'The product has several options: say which.' }]
      : [];
  });
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
}

/** The variant of an `optionId`, which may be absent where there is only one. PRODUCT_NOT_FOUND, VARIANT_NOT_FOUND. */
export function variantOf(found: Sellable | undefined, optionId: string | undefined): SellableVariant {
  if (!found || found.product.deletedAt) throw new Fault('PRODUCT_NOT_FOUND');
  const { variants } = found;
  const only = variants.length === 1 ? variants[0] : undefined;
  const variant = optionId === undefined ? only : variants.find((v) => v.variantId === optionId);
  if (!variant) throw new Fault('VARIANT_NOT_FOUND');
  return variant;
}

export const optionLabel = ({ optionValues }: Pick<SellableVariant, 'optionValues'>): string | null =>
  optionValues.length > 0 ? optionValues.join(' / ') : null;

/** The price of one unit of a variant, or of a night without a price of its own. Won. */
const pieceWon = ({ product }: Sellable, variant: SellableVariant, today: string): number =>
  buyerPriceWon(product.salePriceWon, product.discount ?? null, today) + variant.additionalPriceWon;

/** A stay with the price of each night: the night's own or else the discounted sale price, plus the variant's additional price. */
function pricedStay(pricing: PricingData, found: Sellable, variant: SellableVariant, { checkIn, checkOut }: Stay): PricedStay {
  const defaultPrice = pieceWon(found, variant, pricing.today);
  const nights = nightsOf({ checkIn, checkOut }).map((date) => {
    const own = pricing.nights.get(nightKey(variant.variantId, date))?.priceWon ?? null;
    return { date, price: own === null ? defaultPrice : own + variant.additionalPriceWon };
  });
  return { checkIn, checkOut, nights };
}

/** The unit price of a line, for a stay the sum of its nights. STAY_REQUIRED, STAY_NOT_APPLICABLE. */
export function priceOf(
  pricing: PricingData,
  found: Sellable,
  variant: SellableVariant,
  stay: Stay | null,
): { unitPriceWon: number; stay: PricedStay | null } {
  checkStay(found.product.inventoryMode, stay);
  if (!stay) return { unitPriceWon: pieceWon(found, variant, pricing.today), stay: null };
  const priced = pricedStay(pricing, found, variant, stay);
  return { unitPriceWon: priced.nights.reduce((sum, night) => sum + night.price, 0), stay: priced };
}

/** Whether this price may be sold at; what was written before the rule held may not (D95). */
export const isPriced = ({ unitPriceWon, stay }: Pick<CheckoutLine, 'unitPriceWon' | 'stay'>): boolean =>
  isSellableAt(unitPriceWon, stay?.nights);

/** The unavailable nights of a stay for `quantity` units: past ones, and those without enough stock. */
export const missingNights = (pricing: PricingData, variantId: string, stay: Stay, quantity: number): string[] =>
  nightsOf(stay).filter((date) => date < pricing.today || (pricing.nights.get(nightKey(variantId, date))?.stock ?? 0) < quantity);

/** How the lines of a checkout reach the buyer. */
export interface Handover {
  /** For all lines; null: the first method of each product. */
  readonly method: FulfillmentMethod | null;
  readonly location: FrozenLocation | null;
}

/** A line at current prices. Stock is checked for all lines together (`unavailableLines`, `unavailableNights`). */
export function lineOf(pricing: PricingData, wanted: WantedLine, handover: Handover): CheckoutLine {
  const found = pricing.sellable.get(wanted.productId);
  const variant = variantOf(found, wanted.optionId);
  const { product } = found!;
  const { unitPriceWon, stay } = priceOf(pricing, found!, variant, wanted.stay ?? null);
  return {
    quantity: wanted.quantity,
    productId: product.productId,
    productName: product.name,
    variantId: variant.variantId,
    optionLabel: optionLabel(variant),
    unitPriceWon,
    fulfillmentType: product.fulfillmentType,
    deliveryType: product.deliveryType,
    deliveryFeeWon: product.deliveryFeeWon,
    conditionalFreeWon: product.conditionalFreeWon ?? null,
    ...handedOver(pricing, product, handover),
    ...(stay && { stay }),
    ...(product.refundPolicy && { refundPolicy: product.refundPolicy }),
    ...(product.pointEarnRateBp != null && { productEarnRateBp: product.pointEarnRateBp }),
  };
}

/** The fulfillment method of a line, with its addresses of dispatch and return or its pickup location. */
function handedOver(pricing: PricingData, product: Sellable['product'], { method, location }: Handover) {
  const fulfillmentMethod = method ?? product.methods[0] ?? 'CARRIER';
  const shipFrom = isShipped({ fulfillmentMethod }) ? addressOf(pricing, product.shippingAddressId ?? null, 'SHIPPING') : null;
  const returnTo = product.fulfillmentType === 'SHIPPING' ? addressOf(pricing, product.returnAddressId ?? null, 'RETURN') : null;
  return {
    fulfillmentMethod,
    ...(shipFrom && { shipFrom }),
    ...(returnTo && { returnTo }),
    ...(fulfillmentMethod === 'PICKUP' && { pickupLocation: location }),
  };
}

/** The product's own address, or else the store's default of this type. */
function addressOf({ addresses }: PricingData, addressId: string | null, type: AddressRow['type']): FrozenAddress | null {
  const own = addresses.find((one) => (addressId === null ? one.type === type && one.isDefault : one.addressId === addressId));
  if (!own) return null;
  const { name, receiver, mobile, zipCode, address, detailAddress = null } = own;
  return { addressId: own.addressId, name, receiver, mobile, zipCode, address, detailAddress };
}

export interface UnavailableLine {
  readonly productId: string;
  readonly optionId: string;
}
/**
 * Whether a line that was chosen before can still be priced: its product and option are there, and sold in the way that it was chosen, by
 * the piece or by the night.
 */
export const isThere = ({ sellable }: PricingData, { productId, optionId, stay }: WantedLine): boolean => {
  const found = sellable.get(productId);
  if (!found || found.product.deletedAt || !found.variants.some(({ variantId }) => variantId === optionId)) return false;
  return (found.product.inventoryMode === 'DATED') === Boolean(stay);
};
/** Lines whose variant is not on sale, whose quantities together exceed its stock, or whose price may not be. */
export function unavailableLines({ sellable }: PricingData, lines: readonly CheckoutLine[]): UnavailableLine[] {
  return [...Map.groupBy(lines, (line) => line.variantId)].flatMap(([optionId, same]) => {
    const { productId } = same[0]!;
    const found = sellable.get(productId);
    const variant = found?.variants.find((v) => v.variantId === optionId);
    const quantity = same.filter(({ stay }) => !stay).reduce((sum, line) => sum + line.quantity, 0);
    return found && variant && same.every(isPriced) && isBuyable(found, variant, quantity) ? [] : [{ productId, optionId }];
  });
}
/** Whether `quantity` units of a variant can be bought now: on sale, sellable, enough stock. */
export const isBuyable = ({ product }: Sellable, variant: SellableVariant, quantity: number): boolean =>
  product.status === 'ON_SALE' && !product.deletedAt && variant.isSellable && variant.stockQuantity >= quantity;

/** Nights whose stock is less than all lines together need. */
export function unavailableNights(pricing: PricingData, lines: readonly CheckoutLine[]): string[] {
  const wanted = new Map<string, { variantId: string; date: string; quantity: number }>();
  for (const { variantId, quantity, stay } of lines)
    for (const { date } of stay?.nights ?? []) {
      const key = nightKey(variantId, date);
      wanted.set(key, { variantId, date, quantity: quantity + (wanted.get(key)?.quantity ?? 0) });
    }
  const short = [...wanted].filter(([key, { date, quantity }]) => date < pricing.today || (pricing.nights.get(key)?.stock ?? 0) < quantity);
  return [...new Set(short.map(([, { date }]) => date))].toSorted();
}
