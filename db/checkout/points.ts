/** Points at a checkout: who may use them, how many there are, and what a use of them would leave to pay. */
import { isBeyond, price } from '../../domain/checkout/rules.ts';
import { type PaidInPoints, payWithPoints } from '../../domain/points/pricing.ts';
import { NO_USE, type PointUse, usePoints, type UseRules } from '../../domain/points/use.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { readBalance } from '../points/ledger.ts';
import { type PointPolicy, readPolicy } from '../points/policy.ts';
import { readStore, shippingPolicyOf } from '../stores/queries.ts';
import type { Checkout } from './entities.ts';
import { repriceLines } from './queries.ts';

/** What a member may use. */
export interface Usable {
  readonly rules: UseRules;
  /** What the checkout's open payment holds included. */
  readonly balance: number;
}

/** Null while the store lets nobody use points. `heldWon`: what the checkout's open payment holds. */
export async function usableOf(tx: Tx, { use, useAvailable }: PointPolicy, customerId: string, heldWon: number): Promise<Usable | null> {
  if (!use.enabled || !useAvailable) return null;
  return { rules: use, balance: (await readBalance(tx, customerId)) + heldWon };
}

/** What may be used at a checkout; null for guests, too. */
export async function readUsable(tx: Tx, checkout: Checkout, customerId: string | null): Promise<Usable | null> {
  if (customerId === null) return null;
  const policy = await readPolicy(tx);
  return policy.use.enabled ? usableOf(tx, policy, customerId, await heldBy(tx, checkout)) : null;
}

async function heldBy({ sql, storeId }: Tx, { checkoutId }: Checkout): Promise<number> {
  const [row] = await sql<{ held: number }>`SELECT (amounts ->> 'pointAmount')::integer AS held FROM payment
    WHERE store_id = ${storeId} AND checkout_id = ${checkoutId} AND status IN ('pending', 'processing')`;
  return row?.held ?? 0;
}

export interface PointPreviewed {
  readonly priced: PaidInPoints;
  readonly use: PointUse;
  readonly usable: Usable | null;
}

/**
 * Today's prices with `pointAmount` points, and remembers what it has answered. The caller has locked the checkout. ALREADY_PAID,
 * CHECKOUT_EXPIRED, CHECKOUT_STALE; POINTS_UNAVAILABLE where nobody may use any.
 */
export async function previewPoints(
  tx: Tx,
  checkout: Checkout,
  {
    customerId,
    pointAmount,
    zipCode,
  }: { readonly customerId: string | null; readonly pointAmount: number; readonly zipCode: string | null },
): Promise<PointPreviewed> {
  if (checkout.status === 'COMPLETED') throw new Fault('ALREADY_PAID');
  if (tx.at >= checkout.expiresAt.getTime()) throw new Fault('CHECKOUT_EXPIRED');
  const usable = await readUsable(tx, checkout, customerId);
  if (!usable && pointAmount > 0) throw new Fault('POINTS_UNAVAILABLE');
  const lines = await repriceLines(tx, checkout);
  const priced = price(lines, zipCode, shippingPolicyOf(await readStore(tx)));
  if (isBeyond(priced.amounts)) throw new Fault('CHECKOUT_STALE');
  const use = usable ? usePoints(usable.rules, priced.amounts, usable.balance, pointAmount) : NO_USE;
  checkout.pointPreview = usable && { requestedWon: pointAmount, answeredWon: use.pointAmount, balanceWon: usable.balance };
  return { use, usable, priced: payWithPoints(priced, lines, use.pointAmount) };
}
