/** Lines of carts and checkouts as they would be bought now: priced, dated, with where they leave from (D37, D41, D58, D59). */
import { checkStay, nightsOf, type PricedStay, type Stay } from '../../domain/products/calendar.ts';
import { buyerPriceWon } from '../../domain/products/prices.ts';
import type { FulfillmentMethod } from '../../domain/products/rules.ts';
import { type CheckoutLine, type FrozenAddress, type FrozenLocation, isShipped } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { koreanDate } from '../../domain/kernel/time.ts';
import { type Night, nightKey, readNights } from '../products/nights.ts';
import { type AddressRow, findSellable, type ProductRow, type Sellable, type VariantRow } from '../products/queries.ts';
import type { Em } from '../kernel/tx.ts';

export interface WantedLine {
  readonly productId: string;
  readonly optionId?: string;
  readonly quantity: number;
  readonly stay?: Stay | null;
}

/** Everything that lines are priced by, read once for all of them. */
export interface Shelf {
  readonly sellable: ReadonlyMap<string, Sellable>;
  readonly nights: ReadonlyMap<string, Night>;
  readonly addresses: readonly AddressRow[];
  /** The Korean day of the purchase. */
  readonly today: string;
}

/** Products, variants and addresses of these lines in one query, and the nights of stays in another. */
export async function readShelf(em: Em, storeId: string, lines: readonly WantedLine[], at: number): Promise<Shelf> {
  const { sellable, addresses } = await findSellable(em, storeId, [...new Set(lines.map((line) => line.productId))]);
  const byNight = lines.flatMap(({ productId, optionId, quantity, stay }) => {
    const variantId = optionId ?? sellable.get(productId)?.variants[0]?.variantId;
    return stay && variantId !== undefined ? [{ variantId, quantity, stay }] : [];
  });
  return { sellable, addresses, nights: await readNights(em, storeId, byNight), today: koreanDate(at) };
}

/** That every line says which of several variants it means: all that do not are VALIDATION_FAILED together, by `field`. */
export function checkChosen({ sellable }: Shelf, lines: readonly WantedLine[], field: (line: number) => string): void {
  const fieldErrors = lines.flatMap(({ productId, optionId }, i) => {
    const found = sellable.get(productId);
    return optionId === undefined && found && !found.product.deletedAt && found.variants.length > 1
      ? [{ field: field(i), code: 'REQUIRED', message: 'The product has several options: say which.' }]
      : [];
  });
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
}

/** The variant that is meant; it may be left out where there is one. PRODUCT_NOT_FOUND, VARIANT_NOT_FOUND. */
export function variantOf(found: Sellable | undefined, optionId: string | undefined): VariantRow {
  if (!found || found.product.deletedAt) throw new Fault('PRODUCT_NOT_FOUND');
  const { variants } = found;
  const variant =
    optionId === undefined ? (variants.length === 1 ? variants[0] : undefined) : variants.find((v) => v.variantId === optionId);
  if (!variant) throw new Fault('VARIANT_NOT_FOUND');
  return variant;
}

export const optionLabel = ({ optionValues }: Pick<VariantRow, 'optionValues'>): string | null =>
  optionValues.length > 0 ? optionValues.join(' / ') : null;

/** What one unit of a variant costs without its nights. Won. */
const pieceWon = ({ product }: Sellable, variant: VariantRow, today: string): number =>
  buyerPriceWon(product.salePriceWon, product.discount ?? null, today) + variant.additionalPriceWon;

/** A stay with the price of each night: the night's own, else the sale price with its discount, and the variant's additional price. */
function pricedStay(shelf: Shelf, found: Sellable, variant: VariantRow, { checkIn, checkOut }: Stay): PricedStay {
  const followed = pieceWon(found, variant, shelf.today);
  const nights = nightsOf({ checkIn, checkOut }).map((date) => {
    const own = shelf.nights.get(nightKey(variant.variantId, date))?.priceWon ?? null;
    return { date, price: own === null ? followed : own + variant.additionalPriceWon };
  });
  return { checkIn, checkOut, nights };
}

/** What a line costs a unit, and the nights that this is the sum of. STAY_REQUIRED, STAY_NOT_APPLICABLE. */
export function priceOf(
  shelf: Shelf,
  found: Sellable,
  variant: VariantRow,
  stay: Stay | null,
): { unitPriceWon: number; stay: PricedStay | null } {
  checkStay(found.product.inventoryMode, stay);
  if (!stay) return { unitPriceWon: pieceWon(found, variant, shelf.today), stay: null };
  const priced = pricedStay(shelf, found, variant, stay);
  return { unitPriceWon: priced.nights.reduce((sum, night) => sum + night.price, 0), stay: priced };
}

/** The nights of a stay that `quantity` units cannot have: past ones, and those without enough stock. */
export const missingNights = (shelf: Shelf, variantId: string, stay: Stay, quantity: number): string[] =>
  nightsOf(stay).filter((date) => date < shelf.today || (shelf.nights.get(nightKey(variantId, date))?.stock ?? 0) < quantity);

/** How a checkout's lines are handed over. */
export interface Handover {
  /** For all lines; null: each product's own first. */
  readonly method: FulfillmentMethod | null;
  readonly location: FrozenLocation | null;
}

/** A line as it is bought now. Whether there is enough of it is asked for all lines together. */
export function lineOf(shelf: Shelf, wanted: WantedLine, handover: Handover): CheckoutLine {
  const found = shelf.sellable.get(wanted.productId);
  const variant = variantOf(found, wanted.optionId);
  const { product } = found!;
  const { unitPriceWon, stay } = priceOf(shelf, found!, variant, wanted.stay ?? null);
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
    ...handedOver(shelf, product, handover),
    ...(stay && { stay }),
    ...(product.refundPolicy && { refundPolicy: product.refundPolicy }),
  };
}

/** How a line reaches its buyer, and the addresses that it leaves from and comes back to. */
function handedOver(shelf: Shelf, product: ProductRow, { method, location }: Handover) {
  const fulfillmentMethod = method ?? product.methods[0] ?? 'CARRIER';
  const shipFrom = isShipped({ fulfillmentMethod }) ? addressOf(shelf, product.shippingAddressId ?? null, 'SHIPPING') : null;
  const returnTo = product.fulfillmentType === 'SHIPPING' ? addressOf(shelf, product.returnAddressId ?? null, 'RETURN') : null;
  return {
    fulfillmentMethod,
    ...(shipFrom && { shipFrom }),
    ...(returnTo && { returnTo }),
    ...(fulfillmentMethod === 'PICKUP' && { pickupLocation: location }),
  };
}

/** The product's own address, else the store's default of that type. */
function addressOf({ addresses }: Shelf, addressId: string | null, type: AddressRow['type']): FrozenAddress | null {
  const own = addresses.find((one) => (addressId === null ? one.type === type && one.isDefault : one.addressId === addressId));
  if (!own) return null;
  const { name, receiver, mobile, zipCode, address, detailAddress = null } = own;
  return { addressId: own.addressId, name, receiver, mobile, zipCode, address, detailAddress };
}

interface Short {
  readonly productId: string;
  readonly optionId: string;
}
/** Lines whose variant is not on sale, or of which all lines together want more than there is (D37). */
export function shortLines({ sellable }: Shelf, lines: readonly CheckoutLine[]): Short[] {
  return [...Map.groupBy(lines, (line) => line.variantId)].flatMap(([optionId, same]) => {
    const { productId } = same[0]!;
    const found = sellable.get(productId);
    const variant = found?.variants.find((v) => v.variantId === optionId);
    const quantity = same.filter(({ stay }) => !stay).reduce((sum, line) => sum + line.quantity, 0);
    return found && variant && isBuyable(found, variant, quantity) ? [] : [{ productId, optionId }];
  });
}
/** Whether so many pieces of a variant can be bought now: on sale, sellable, enough of it. */
export const isBuyable = ({ product }: Sellable, variant: VariantRow, quantity: number): boolean =>
  product.status === 'ON_SALE' && !product.deletedAt && variant.isSellable && variant.stockQuantity >= quantity;

/** Nights that all lines together cannot have. */
export function shortNights(shelf: Shelf, lines: readonly CheckoutLine[]): string[] {
  const wanted = new Map<string, { variantId: string; date: string; quantity: number }>();
  for (const { variantId, quantity, stay } of lines)
    for (const { date } of stay?.nights ?? []) {
      const key = nightKey(variantId, date);
      wanted.set(key, { variantId, date, quantity: quantity + (wanted.get(key)?.quantity ?? 0) });
    }
  const short = [...wanted].filter(([key, { date, quantity }]) => date < shelf.today || (shelf.nights.get(key)?.stock ?? 0) < quantity);
  return [...new Set(short.map(([, { date }]) => date))].toSorted();
}
