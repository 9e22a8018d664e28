/** Checkouts: what a buyer is about to pay; valid for 30 minutes. */
import { LockMode } from '@mikro-orm/core';
import { type CheckoutLine, type FrozenLocation, isShipped, isTooMuch } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { listLocations } from '../pickupLocations/queries.ts';
import { type Checkout, CheckoutEntity } from './entities.ts';
import { isThere, lineOf, type PricingData, readPricingData, type UnavailableLine, unavailableLines, unavailableNights } from './lines.ts';

/** A checkout of this session, with `lock` FOR UPDATE; CHECKOUT_NOT_FOUND, also for another buyer's. */
export async function findCheckout({ em, storeId }: Tx, checkoutId: string, sessionId: string, lock = false): Promise<Checkout> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {};
  const checkout = await em.findOne(CheckoutEntity, { storeId, checkoutId, sessionId }, options);
  if (!checkout) throw new Fault('CHECKOUT_NOT_FOUND');
  return checkout;
}

/** The lines of a checkout at today's prices; CHECKOUT_STALE when one can no longer be sold as it was chosen (D37). */
export async function repriceLines(tx: Tx, checkout: Checkout): Promise<CheckoutLine[]> {
  const wanted = checkout.lines.map(({ productId, variantId, quantity, stay }) => ({
    productId,
    quantity,
    optionId: variantId,
    stay: stay ?? null,
  }));
  const pricing = await readPricingData(tx, wanted);
  const gone = wanted.filter((line) => !isThere(pricing, line));
  refuse([...gone, ...changedLines(pricing, checkout.lines)]);
  const location = await currentLocation(tx, checkout);
  const lines = wanted.map((line, i) => lineOf(pricing, line, { method: checkout.lines[i]!.fulfillmentMethod, location }));
  refuse(unavailableLines(pricing, lines));
  const dates = unavailableNights(pricing, lines);
  if (dates.length > 0) throw new Fault('CHECKOUT_STALE', { details: { dates } });
  const isOther = lines.some((line, i) => isShipped(line) !== isShipped(checkout.lines[i]!));
  if (isOther || isTooMuch(lines)) throw new Fault('CHECKOUT_STALE');
  return lines;
}

/** Lines whose product no longer has the fulfillment type or method that was chosen. */
const changedLines = ({ sellable }: PricingData, lines: readonly CheckoutLine[]): UnavailableLine[] =>
  lines.flatMap(({ productId, variantId, fulfillmentMethod, fulfillmentType = 'SHIPPING' }) => {
    const product = sellable.get(productId)?.product;
    const isSame = !product || (product.methods.includes(fulfillmentMethod) && product.fulfillmentType === fulfillmentType);
    return isSame ? [] : [{ productId, optionId: variantId }];
  });

/** CHECKOUT_STALE with the lines that cannot be bought as they were chosen, each once. */
function refuse(unavailable: readonly UnavailableLine[]): void {
  if (unavailable.length === 0) return;
  const items = [...new Map(unavailable.map(({ productId, optionId }) => [optionId, { productId, optionId }])).values()];
  throw new Fault('CHECKOUT_STALE', { details: { items } });
}

async function currentLocation(tx: Tx, { pickupLocationId, lines }: Checkout): Promise<FrozenLocation | null> {
  if (!pickupLocationId) return null;
  const locations = await listLocations(tx, true);
  if (!locations.some((one) => one.pickupLocationId === pickupLocationId)) throw new Fault('CHECKOUT_STALE');
  return lines.find(({ pickupLocation }) => pickupLocation)?.pickupLocation ?? null;
}
