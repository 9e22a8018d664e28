/** What a checkout costs after points. */
import { type CheckoutLine, lineTotalWon, type PaymentLine, type Priced } from '../checkout/rules.ts';
import { allocatePoints } from './allocation.ts';
import { payableWon } from './use.ts';

export interface PaidInPoints extends Priced {
  readonly lines: readonly PaymentLine[];
}

/** The same with `pointAmount` points: what remains is to be paid in cash. */
export function payWithPoints({ amounts, delivery, bundles }: Priced, lines: readonly CheckoutLine[], pointAmount: number): PaidInPoints {
  const fees = bundles.map(({ baseFeeWon, surchargeWon }) => baseFeeWon + surchargeWon);
  const shares = allocatePoints(pointAmount, lines.map(lineTotalWon), fees);
  return {
    amounts: { ...amounts, pointAmount, totalAmount: payableWon(amounts) - pointAmount },
    delivery: { ...delivery, pointAllocation: shares.deliveryWon },
    bundles: bundles.map((bundle, i) => ({ ...bundle, pointAllocationWon: shares.bundles[i]! })),
    lines: lines.map((line, i) => ({ ...line, pointAllocationWon: shares.lines[i]! })),
  };
}
