/** What a purchase earns in points (N17, N18). Won; rates in hundredths of a percent. */

export interface EarnRules {
  readonly enabled: boolean;
  readonly rateBp: number;
}
/** What purchases earn by now: nothing while the operator has switched points off. */
export const earningOf = ({ available, purchaseEarn }: { readonly available: boolean; readonly purchaseEarn: EarnRules }): EarnRules =>
  available ? purchaseEarn : EARNS_NOTHING;
export const EARNS_NOTHING: EarnRules = { enabled: false, rateBp: 0 };

/** The rate of a line, fixed at the start of its payment: the product's own, or else the store's; 0 while purchases earn nothing. */
export const earnRateBp = ({ enabled, rateBp }: EarnRules, productRateBp: number | null): number =>
  enabled ? (productRateBp ?? rateBp) : 0;

export interface EarningItem {
  readonly totalPriceWon: number;
  readonly couponDiscountWon: number;
  readonly pointAllocationWon: number;
  /** The cash share of what left it for good; exchanged units have not. */
  readonly leftCashWon: number;
  readonly earnRateBp: number;
}
/** 10,000 less 1,000 by coupon and 3,000 in points, of which half was returned, at 1 %: 30. */
export function purchaseEarning({
  totalPriceWon,
  couponDiscountWon,
  pointAllocationWon,
  leftCashWon,
  earnRateBp: rateBp,
}: EarningItem): number {
  return pointsOf(totalPriceWon - couponDiscountWon - pointAllocationWon - leftCashWon, rateBp);
}

/** What one unit at this price would earn; null while purchases earn nothing. */
export const purchasePoint = (earn: EarnRules, priceWon: number, productRateBp: number | null): number | null =>
  earn.enabled ? pointsOf(priceWon, earnRateBp(earn, productRateBp)) : null;

const pointsOf = (baseWon: number, rateBp: number): number => Math.floor((baseWon * rateBp) / 10_000);
