/** Checkouts: what a buyer is about to pay, for 30 minutes. */
import { CHECKOUT_LIFETIME_MS, type FrozenLocation, isTooMuch } from '../../domain/checkout/rules.ts';
import { checkChosen, lineOf, readShelf, type Shelf, shortLines, shortNights, type WantedLine } from './lines.ts';
import type { FulfillmentMethod } from '../../domain/products/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import type { Em } from '../kernel/tx.ts';
import { listLocations } from '../pickupLocations/queries.ts';
import { type Checkout, CheckoutEntity } from './entities.ts';

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

/** Where the goods are fetched: needed where anything is and the store has places, and nowhere else (docs/contract.md#checkout, D41). */
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
