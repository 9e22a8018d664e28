/** The points of a payment: decided at its start, reserved in the start's transaction, released when it ends without an order. */
import type { Buyer } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { EARNS_NOTHING, earningOf, type EarnRules } from '../../domain/points/purchase.ts';
import { decideUse, type Payable } from '../../domain/points/use.ts';
import type { Checkout } from '../checkout/entities.ts';
import { type Usable, usableOf } from '../checkout/points.ts';
import type { Tx } from '../kernel/tx.ts';
import { releasePoints, reservePoints } from '../points/ledger.ts';
import { readPolicy } from '../points/policy.ts';
import type { Payment } from './entities.ts';

/** What a payment that is open has reserved. */
export const heldWon = (payment: Payment | null): number => payment?.amounts.pointAmount ?? 0;

export interface StartPoints {
  /** What the start uses. */
  readonly pointAmount: number;
  /** What its purchase earns by. */
  readonly earn: EarnRules;
}

/**
 * What a start uses of the points that it requests. POINTS_UNAVAILABLE: nobody may, or the use is rejected; POINT_BALANCE_CHANGED,
 * POINT_BALANCE_INSUFFICIENT.
 */
export async function pointsOfStart(
  tx: Tx,
  checkout: Checkout,
  { buyer: { customerId }, requested, held }: { readonly buyer: Buyer; readonly requested: number; readonly held: number },
  payable: Payable,
): Promise<StartPoints> {
  if (customerId === undefined && requested > 0) throw new Fault('POINTS_UNAVAILABLE');
  if (customerId === undefined) return { pointAmount: 0, earn: EARNS_NOTHING };
  const policy = await readPolicy(tx);
  const earn = earningOf(policy);
  if (requested === 0) return { pointAmount: 0, earn };
  return { pointAmount: useOf(await usableOf(tx, policy, customerId, held), checkout, payable, requested), earn };
}

function useOf(usable: Usable | null, { pointPreview }: Checkout, payable: Payable, requested: number): number {
  if (!usable) throw new Fault('POINTS_UNAVAILABLE');
  const { rules, balance } = usable;
  const { pointAmount, refusal, rejectReason } = decideUse(rules, payable, { balance, requested, preview: pointPreview ?? null });
  if (refusal === 'POINTS_UNAVAILABLE') throw new Fault(refusal, { details: { rejectReason } });
  if (refusal !== null) throw new Fault(refusal, { details: { balance } });
  return pointAmount;
}

/**
 * Reserves what the payment uses now; `before`: what it has reserved already. The same amount writes nothing. POINT_BALANCE_INSUFFICIENT:
 * another checkout was faster; POINTS_UNAVAILABLE: the member has withdrawn meanwhile.
 */
export async function moveReservation(tx: Tx, payment: Payment, before: number): Promise<void> {
  const { paymentId, buyer } = payment;
  const { customerId } = buyer;
  const amountWon = heldWon(payment);
  if (customerId === undefined || amountWon === before) return;
  if (amountWon === 0) return releaseOf(tx, { customerId, paymentId });
  await tx.em.flush();
  if (!(await reservePoints(tx, { customerId, paymentId, amountWon }))) throw new Fault('POINTS_UNAVAILABLE');
}

/** What a payment that has ended without an order had reserved goes back into its lots, once. */
export async function releaseHeld(tx: Tx, payment: Payment): Promise<void> {
  const { paymentId, buyer } = payment;
  const { customerId } = buyer;
  if (customerId !== undefined && heldWon(payment) > 0) await releaseOf(tx, { customerId, paymentId });
}

async function releaseOf(tx: Tx, held: { readonly customerId: string; readonly paymentId: string }): Promise<void> {
  await tx.em.flush();
  await releasePoints(tx, held);
}
