/** Checkouts: what a buyer is about to pay; valid for 30 minutes. */
import { CHECKOUT_LIFETIME_MS, type FrozenLocation, isTooMuch } from '../../domain/checkout/rules.ts';
import {
  checkChosen,
  isThere,
  lineOf,
  type PricingData,
  readPricingData,
  unavailableLines,
  unavailableNights,
  type WantedLine,
} from './lines.ts';
import type { FulfillmentMethod } from '../../domain/products/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { listLocations } from '../pickupLocations/queries.ts';
import { type Checkout, CheckoutEntity } from './entities.ts';

export interface CheckoutRequest {
  readonly lines: readonly WantedLine[];
  /** The cart lines of these lines, in their order; they are removed from the cart when the checkout is paid. */
  readonly cartItemIds?: readonly string[];
  /** For all lines; absent: the first method of each product. */
  readonly fulfillmentMethod?: FulfillmentMethod;
  readonly pickupLocationId?: string;
}

/**
 * Creates a checkout at today's prices. VALIDATION_FAILED for lines without a required option, 404 for unknown products and variants that
 * were not put into the cart before, OUT_OF_STOCK for what cannot be bought (D60), DATES_UNAVAILABLE for nights.
 */
export async function openCheckout(tx: Tx, sessionId: string, request: CheckoutRequest): Promise<Checkout> {
  const { em, storeId, at } = tx;
  const { lines: wanted, cartItemIds = [], fulfillmentMethod: method = null, pickupLocationId = null } = request;
  const pricing = await readPricingData(tx, wanted);
  checkChosen(pricing, wanted, (line) => `items[${line}].optionId`);
  const inCart = wanted.map((line, i) => ({ ...line, cartItemId: cartItemIds[i] }));
  if (cartItemIds.length > 0) refuse(inCart.filter((line) => !isThere(pricing, line)));
  const location = await locationOf(tx, pricing, request);
  const lines = wanted.map((line) => lineOf(pricing, line, { method, location }));
  const short = new Set(unavailableLines(pricing, lines).map(({ optionId }) => optionId));
  refuse(lines.flatMap(({ productId, variantId: optionId }, i) => (short.has(optionId) ? [{ ...inCart[i]!, productId, optionId }] : [])));
  const dates = unavailableNights(pricing, lines);
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

/** OUT_OF_STOCK with the lines that cannot be bought: those of a cart by their ids too, others once for each option (D96). */
function refuse(lines: readonly (Pick<WantedLine, 'productId' | 'optionId'> & { readonly cartItemId: string | undefined })[]): void {
  if (lines.length === 0) return;
  const shown = lines.map(({ productId, optionId, cartItemId }) => ({
    productId,
    optionId,
    ...(cartItemId !== undefined && { cartItemId }),
  }));
  throw new Fault('OUT_OF_STOCK', { details: { items: [...new Map(shown.map((one) => [one.cartItemId ?? one.optionId, one])).values()] } });
}

/** The pickup location: required when a line is picked up and the store has locations, refused otherwise (docs/contract.md#checkout). */
async function locationOf(
  tx: Tx,
  { sellable }: PricingData,
  { lines, fulfillmentMethod: method, pickupLocationId }: CheckoutRequest,
): Promise<FrozenLocation | null> {
  const products = lines.flatMap(({ productId }) => sellable.get(productId)?.product ?? []);
  const foreign = method === undefined ? [] : products.filter(({ methods }) => !methods.includes(method));
  if (foreign.length > 0)
    throw new Fault('FULFILLMENT_METHOD_NOT_ALLOWED', { details: { productIds: [...new Set(foreign.map(({ productId }) => productId))] } });
  const isFetched = products.some(({ methods }) => (method ?? methods[0]) === 'PICKUP');
  if (!isFetched && pickupLocationId !== undefined) throw new Fault('PICKUP_LOCATION_NOT_APPLICABLE');
  if (!isFetched) return null;
  const locations = await listLocations(tx, true);
  if (pickupLocationId === undefined && locations.length > 0) throw new Fault('PICKUP_LOCATION_REQUIRED');
  if (pickupLocationId === undefined) return null;
  const found = locations.find((one) => one.pickupLocationId === pickupLocationId);
  if (!found) throw new Fault('PICKUP_LOCATION_NOT_FOUND');
  const { name, address, contact, availableHours = null } = found;
  return { pickupLocationId, name, address, contact, availableHours };
}
