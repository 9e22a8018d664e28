/** How many points a checkout uses (N22): a request is cut to what its buyer has and its store allows, or it is rejected. Won. */
import type { Amounts } from '../checkout/rules.ts';

/** The store's rules of use. */
export interface UseRules {
  /** The smallest balance that may be used at all. */
  readonly minBalance: number;
  /** The smallest use at once. */
  readonly minAmount: number;
  /** Partial uses are multiples of it. */
  readonly unit: number;
  readonly maxRatioBp: number;
  /** Whether the ratio counts the delivery fee, too. */
  readonly includeDeliveryFee: boolean;
}
export const REJECT_REASONS = ['MIN_BALANCE', 'MIN_AMOUNT', 'NOT_PAYABLE'] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];
export const ADJUST_REASONS = ['MIN_PAYMENT'] as const;

export interface PointUse {
  readonly pointAmount: number;
  /** The use was reduced, so that what remains can be paid. */
  readonly adjustReason: (typeof ADJUST_REASONS)[number] | null;
  /** Nothing is used, and the whole amount is paid in cash. */
  readonly rejectReason: RejectReason | null;
}
export const NO_USE: PointUse = { pointAmount: 0, adjustReason: null, rejectReason: null };

/** Providers take no less. */
const MIN_PAYABLE_WON = 100;
export type Payable = Pick<Amounts, 'productAmount' | 'deliveryFee' | 'couponDiscountAmount'>;

/** What a checkout costs before points. */
export const payableWon = ({ productAmount, deliveryFee, couponDiscountAmount }: Payable): number =>
  productAmount + deliveryFee - couponDiscountAmount;

/**
 * The use of `requested` points. 10,000 of goods and a fee of 3,000, at most half of the goods in units of 100: 5,432 requested of 8,000
 * are 5,000. Full coverage needs no unit, and a rest of 1 … 99 is raised to 100. Without a request nothing is rejected.
 */
export function usePoints(rules: UseRules, payable: Payable, balance: number, requested: number): PointUse {
  if (requested === 0) return NO_USE;
  if (balance === 0 || balance < rules.minBalance) return rejected('MIN_BALANCE');
  const total = payableWon(payable);
  const base = rules.includeDeliveryFee ? total : payable.productAmount - payable.couponDiscountAmount;
  const allowed = Math.min(requested, balance, Math.floor((base * rules.maxRatioBp) / 10_000));
  const whole = allowed === total ? allowed : allowed - (allowed % rules.unit);
  const rest = total - whole;
  const isAdjusted = rest > 0 && rest < MIN_PAYABLE_WON;
  const pointAmount = isAdjusted ? total - MIN_PAYABLE_WON : whole;
  if (pointAmount <= 0) return rejected('NOT_PAYABLE');
  if (pointAmount < rules.minAmount) return rejected('MIN_AMOUNT');
  return { pointAmount, adjustReason: isAdjusted ? 'MIN_PAYMENT' : null, rejectReason: null };
}
const rejected = (rejectReason: RejectReason): PointUse => ({ ...NO_USE, rejectReason });

/** What a request of the whole balance gives. */
export const maxUsable = (rules: UseRules, payable: Payable, balance: number): number =>
  usePoints(rules, payable, balance, balance).pointAmount;

/** What the checkout's last preview was requested, what it answered, and the balance that it saw. */
export interface PointPreview {
  readonly requestedWon: number;
  readonly answeredWon: number;
  readonly balanceWon: number;
}
export type UseRefusal = 'POINT_BALANCE_CHANGED' | 'POINT_BALANCE_INSUFFICIENT' | 'POINTS_UNAVAILABLE';
export interface UseRequest {
  readonly balance: number;
  readonly requested: number;
  /** Of the checkout; null: it has none. */
  readonly preview: PointPreview | null;
}

/**
 * The use with which a payment starts, or why it does not (N25). What the last preview was requested, or answered, is that preview again:
 * with another balance that now gives more or less, it is refused. Prices that have changed meanwhile count alike for both balances. Any
 * other request has to be covered by the balance. A rejected use is refused, too: no buyer pays more cash than they saw. Nor does one use
 * more points than they now request, whatever the preview was requested.
 */
export function decideUse(
  rules: UseRules,
  payable: Payable,
  { balance, requested, preview }: UseRequest,
): PointUse & { readonly refusal: UseRefusal | null } {
  if (requested === 0) return { ...NO_USE, refusal: null };
  const isPreviewed = preview !== null && (requested === preview.requestedWon || requested === preview.answeredWon);
  if (!isPreviewed && requested > balance) return { ...NO_USE, refusal: 'POINT_BALANCE_INSUFFICIENT' };
  const wanted = isPreviewed ? preview.requestedWon : requested;
  const again = usePoints(rules, payable, balance, wanted);
  const isChanged = isPreviewed && usePoints(rules, payable, preview.balanceWon, wanted).pointAmount !== again.pointAmount;
  if (isChanged) return { ...NO_USE, refusal: 'POINT_BALANCE_CHANGED' };
  const use = again.pointAmount > requested ? usePoints(rules, payable, balance, requested) : again;
  return { ...use, refusal: use.rejectReason === null ? null : 'POINTS_UNAVAILABLE' };
}
