/** Checkouts: what a buyer is about to pay, for 30 minutes. */
import { LockMode } from '@mikro-orm/core';
import type { FulfillmentMethod } from '../../domain/products/rules.ts';
import { CHECKOUT_LIFETIME_MS, type CheckoutLine, type FrozenLocation, isShipped, isTooMuch } from '../../domain/checkout/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import type { Em } from '../orm.ts';
import { listLocations } from '../pickupLocations/store.ts';
import { type Checkout, CheckoutEntity } from './entities.ts';
import { checkChosen, type Handover, lineOf, readShelf, type Shelf, shortLines, shortNights, type WantedLine } from './lines.ts';

export interface CheckoutRequest {
  readonly lines: readonly WantedLine[];
  /** The cart lines that these are; they leave the cart when the checkout is paid. */
  readonly cartItemIds?: readonly string[];
  /** For all lines; each product's own first when absent. */
  readonly fulfillmentMethod?: FulfillmentMethod;
  readonly pickupLocationId?: string;
}

/** Opens a checkout. Prices are today's; a line without its option VALIDATION_FAILED, unknown products 404, unsellable ones OUT_OF_STOCK, nights DATES_UNAVAILABLE. */
export async function openCheckout(em: Em, storeId: string, sessionId: string, request: CheckoutRequest, at: number): Promise<Checkout> {
  const { lines: wanted, cartItemIds = [], fulfillmentMethod: method = null, pickupLocationId = null } = request;
  const shelf = await readShelf(em, storeId, wanted, at);
  checkChosen(shelf, wanted, (line) => `items[${line}].optionId`);
  const location = await locationOf(em, storeId, shelf, request);
  const lines = wanted.map((line) => lineOf(shelf, line, { method, location }));
  const short = shortLines(shelf, lines);
  if (short.length > 0) throw new Fault('OUT_OF_STOCK', { details: { items: short } });
  const dates = shortNights(shelf, lines);
  if (dates.length > 0) throw new Fault('DATES_UNAVAILABLE', { details: { dates } });
  if (isTooMuch(lines)) throw invalid('items', 'OUT_OF_RANGE', 'The total is beyond 2,000,000,000 won.');
  const checkout = em.create(CheckoutEntity, {
    storeId,
    sessionId,
    lines,
    pickupLocationId,
    cartItemIds: [...cartItemIds],
    checkoutId: newId('chk', at),
    status: 'OPEN',
    expiresAt: new Date(at + CHECKOUT_LIFETIME_MS),
    createdAt: new Date(at),
  });
  em.persist(checkout);
  return checkout;
}

/** Where the goods are fetched: needed where anything is and the store has places, and nowhere else (part A § Checkout, D41). */
async function locationOf(
  em: Em,
  storeId: string,
  { sellable }: Shelf,
  { lines, fulfillmentMethod: method, pickupLocationId }: CheckoutRequest,
): Promise<FrozenLocation | null> {
  const products = lines.flatMap(({ productId }) => sellable.get(productId)?.product ?? []);
  const foreign = method === undefined ? [] : products.filter(({ methods }) => !methods.includes(method));
  if (foreign.length > 0)
    throw new Fault('FULFILLMENT_METHOD_NOT_ALLOWED', { details: { productIds: [...new Set(foreign.map(({ productId }) => productId))] } });
  const isFetched = products.some(({ methods }) => (method ?? methods[0]) === 'PICKUP');
  if (!isFetched && pickupLocationId !== undefined) throw new Fault('PICKUP_LOCATION_NOT_APPLICABLE');
  if (!isFetched) return null;
  const locations = await listLocations(em, storeId, true);
  if (pickupLocationId === undefined && locations.length > 0) throw new Fault('PICKUP_LOCATION_REQUIRED');
  if (pickupLocationId === undefined) return null;
  const found = locations.find((one) => one.pickupLocationId === pickupLocationId);
  if (!found) throw new Fault('PICKUP_LOCATION_NOT_FOUND');
  const { name, address, contact, availableHours = null } = found;
  return { pickupLocationId, name, address, contact, availableHours };
}

/** The buyer's own checkout, locked where it is to be paid; another buyer's is not there (D39). */
export async function findCheckout(em: Em, storeId: string, checkoutId: string, sessionId: string, lock = false): Promise<Checkout> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {};
  const checkout = await em.findOne(CheckoutEntity, { storeId, checkoutId, sessionId }, options);
  if (!checkout) throw new Fault('CHECKOUT_NOT_FOUND');
  return checkout;
}

/** The lines of a checkout at today's prices; CHECKOUT_STALE when one can no longer be sold, or not as what it was (D37, D81). */
export async function repriceLines(em: Em, checkout: Checkout, at: number): Promise<CheckoutLine[]> {
  const wanted = checkout.lines.map(({ productId, variantId, quantity, stay }) => ({
    productId,
    quantity,
    optionId: variantId,
    stay: stay ?? null,
  }));
  const shelf = await readShelf(em, checkout.storeId, wanted, at);
  const short = shortLines(shelf, checkout.lines);
  if (short.length > 0) throw new Fault('CHECKOUT_STALE', { details: { items: short } });
  const location = await stillThere(em, checkout);
  const lines = wanted.map((line, i) => anew(shelf, line, checkout.lines[i]!, location));
  const dates = shortNights(shelf, lines);
  if (dates.length > 0) throw new Fault('CHECKOUT_STALE', { details: { dates } });
  const isOther = lines.some((line, i) => isShipped(line) !== isShipped(checkout.lines[i]!));
  if (isOther || isTooMuch(lines)) throw new Fault('CHECKOUT_STALE');
  return lines;
}

/** A line handed over as its buyer chose; a product that is now sold otherwise makes the checkout stale. */
function anew(shelf: Shelf, wanted: WantedLine, before: CheckoutLine, location: Handover['location']): CheckoutLine {
  const { product } = shelf.sellable.get(wanted.productId)!;
  const isDated = product.inventoryMode === 'DATED';
  const isSame = product.methods.includes(before.fulfillmentMethod) && product.fulfillmentType === (before.fulfillmentType ?? 'SHIPPING');
  if (!isSame || isDated !== Boolean(wanted.stay)) throw new Fault('CHECKOUT_STALE');
  return lineOf(shelf, wanted, { method: before.fulfillmentMethod, location });
}

async function stillThere(em: Em, { storeId, pickupLocationId, lines }: Checkout): Promise<FrozenLocation | null> {
  if (!pickupLocationId) return null;
  const locations = await listLocations(em, storeId, true);
  if (!locations.some((one) => one.pickupLocationId === pickupLocationId)) throw new Fault('CHECKOUT_STALE');
  return lines.find(({ pickupLocation }) => pickupLocation)?.pickupLocation ?? null;
}
