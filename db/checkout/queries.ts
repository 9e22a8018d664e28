/** Checkouts: what a buyer is about to pay; valid for 30 minutes. */
import { LockMode } from '@mikro-orm/core';
import { type CheckoutLine, type FrozenLocation, isShipped, isTooMuch } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { listLocations } from '../pickupLocations/queries.ts';
import { type Checkout, CheckoutEntity } from './entities.ts';
import { type Handover, lineOf, readPricingData, type PricingData, unavailableLines, unavailableNights, type WantedLine } from './lines.ts';

/** A checkout of this session, with `lock` FOR UPDATE; CHECKOUT_NOT_FOUND, also for another buyer's (D39). */
export async function findCheckout({ em, storeId }: Tx, checkoutId: string, sessionId: string, lock = false): Promise<Checkout> {
  const options = lock ? { lockMode: LockMode.PESSIMISTIC_WRITE } : {};
  const checkout = await em.findOne(CheckoutEntity, { storeId, checkoutId, sessionId }, options);
  if (!checkout) throw new Fault('CHECKOUT_NOT_FOUND');
  return checkout;
}

/** The lines of a checkout at today's prices; CHECKOUT_STALE when one can no longer be sold as it was chosen (D37, D81). */
export async function repriceLines(tx: Tx, checkout: Checkout): Promise<CheckoutLine[]> {
  const wanted = checkout.lines.map(({ productId, variantId, quantity, stay }) => ({
    productId,
    quantity,
    optionId: variantId,
    stay: stay ?? null,
  }));
  const pricing = await readPricingData(tx, wanted);
  const short = unavailableLines(pricing, checkout.lines);
  if (short.length > 0) throw new Fault('CHECKOUT_STALE', { details: { items: short } });
  const location = await currentLocation(tx, checkout);
  const lines = wanted.map((line, i) => repriceLine(pricing, line, checkout.lines[i]!, location));
  const dates = unavailableNights(pricing, lines);
  if (dates.length > 0) throw new Fault('CHECKOUT_STALE', { details: { dates } });
  const isOther = lines.some((line, i) => isShipped(line) !== isShipped(checkout.lines[i]!));
  if (isOther || isTooMuch(lines)) throw new Fault('CHECKOUT_STALE');
  return lines;
}

/**
 * A line at today's prices, with its chosen fulfillment method; CHECKOUT_STALE when the product no longer has that method, type or mode.
 */
function repriceLine(pricing: PricingData, wanted: WantedLine, before: CheckoutLine, location: Handover['location']): CheckoutLine {
  const { product } = pricing.sellable.get(wanted.productId)!;
  const isDated = product.inventoryMode === 'DATED';
  const isSame = product.methods.includes(before.fulfillmentMethod) && product.fulfillmentType === (before.fulfillmentType ?? 'SHIPPING');
  if (!isSame || isDated !== Boolean(wanted.stay)) throw new Fault('CHECKOUT_STALE');
  return lineOf(pricing, wanted, { method: before.fulfillmentMethod, location });
}

async function currentLocation(tx: Tx, { pickupLocationId, lines }: Checkout): Promise<FrozenLocation | null> {
  if (!pickupLocationId) return null;
  const locations = await listLocations(tx, true);
  if (!locations.some((one) => one.pickupLocationId === pickupLocationId)) throw new Fault('CHECKOUT_STALE');
  return lines.find(({ pickupLocation }) => pickupLocation)?.pickupLocation ?? null;
}
