/** Whether a buyer may file a claim now, and for which fee; submission, preview and the actions that a buyer is shown ask alike. */
import type { Meter } from '../flows/expressions/meter.ts';
import type { PermissionKey } from '../flows/graph/graph.ts';
import type { Flow } from '../flows/run/flow.ts';
import { allowance, type ClaimAt } from '../flows/run/permissions.ts';
import type { Facts, FlowState } from '../flows/run/state.ts';
import { type ErrorCode, Fault } from '../kernel/errors.ts';
import type { ClaimReason, ClaimType } from './rules.ts';

/** The fields of an item that decide. */
export interface ClaimableItem {
  readonly orderItemId: string;
  readonly flow: Flow;
  readonly flowState: FlowState;
  readonly facts: Facts;
  readonly quantity: number;
  readonly canceledQuantity: number;
  readonly isShipped: boolean;
  /** The cash and points share after coupon of the next units that leave. */
  readonly refundableWon: (quantity: number) => number;
}
/** A claim that completes at once, or a request to the seller. */
export type FilingMode = 'AT_ONCE' | 'REQUEST';
/** How a claim is filed. `deductWon`: the fee of its flow, fixed now (F38). */
export interface FilingTerms {
  readonly mode: FilingMode;
  readonly deductWon: number;
}
type FilingRefusal = Extract<ErrorCode, 'INVALID_STATUS' | 'CLAIM_IN_PROGRESS' | 'EXCHANGE_NOT_SUPPORTED' | 'PERIOD_EXPIRED'>;
export interface FilingRequest {
  readonly type: ClaimType;
  readonly quantity: number;
  readonly reason: ClaimReason;
}

/** The permissions of the flow that allow a claim; the first that allows it now decides. */
const PERMISSIONS: Readonly<Record<ClaimType, readonly PermissionKey[]>> = {
  CANCEL: ['buyerCancel', 'cancelRequest'],
  RETURN: ['returnRequest'],
  EXCHANGE: ['exchangeRequest'],
};
export const permissionsOf = (type: ClaimType): readonly PermissionKey[] => PERMISSIONS[type];

/** How much of the terms is asked for, and what their expressions may cost together. */
type ClaimEvaluation = Pick<ClaimAt, 'withoutFee' | 'meter'>;

/** Whether a claim may be filed now: its fee is not looked at. Where `meter` has come to its end, limits of time set none. */
export function filingRefusal(item: ClaimableItem, request: FilingRequest, at: number, meter: Meter): FilingRefusal | null {
  const filing = filingOf(item, request, at, { withoutFee: true, meter });
  return 'refusal' in filing ? filing.refusal : null;
}

/**
 * How a claim is filed at the business time `at`, or why it is refused. A cancel at once whose expressions fail becomes a request; of
 * an exchange, which gives nothing back, nothing is deducted.
 */
export function filingOf(
  item: ClaimableItem,
  request: FilingRequest,
  at: number,
  evaluation: ClaimEvaluation = {},
): FilingTerms | { readonly refusal: FilingRefusal } {
  const { flow, flowState, facts, orderItemId: member } = item;
  const { type, quantity, reason } = request;
  if (item.canceledQuantity === item.quantity) return { refusal: 'INVALID_STATUS' };
  if (flowState.claims.some((claim) => claim.member === member)) return { refusal: 'CLAIM_IN_PROGRESS' };
  if (type === 'EXCHANGE' && !item.isShipped) return { refusal: 'EXCHANGE_NOT_SUPPORTED' };
  const claim = { quantity, reason, refundableWon: item.refundableWon(quantity) };
  const answers = PERMISSIONS[type].map((key) => ({
    key,
    ...allowance(flow, flowState, key, { at, facts, member, claim, ...evaluation }),
  }));
  const open = answers.find((answer) => answer.reason === null);
  if (!open) return { refusal: answers.some((answer) => answer.reason === 'PERIOD_EXPIRED') ? 'PERIOD_EXPIRED' : 'INVALID_STATUS' };
  const mode = open.key === 'buyerCancel' && !open.isUnsure ? 'AT_ONCE' : 'REQUEST';
  return { mode, deductWon: type === 'EXCHANGE' ? 0 : open.deductWon };
}

/** A request with absent units: all that remain. */
interface Wanted extends Omit<FilingRequest, 'quantity'> {
  readonly quantity?: number | undefined;
}
/** The claim's terms and units. Throws the refusals of `filingOf`, then INVALID_QUANTITY for more than what remains. */
export function checkFiling(
  item: ClaimableItem,
  { type, reason, quantity: wanted }: Wanted,
  at: number,
): FilingTerms & { readonly quantity: number } {
  const activeQuantity = item.quantity - item.canceledQuantity;
  const quantity = wanted ?? activeQuantity;
  const filing = filingOf(item, { type, reason, quantity: Math.min(quantity, activeQuantity) }, at);
  if ('refusal' in filing)
    throw new Fault(filing.refusal, filing.refusal === 'INVALID_STATUS' ? { details: { reason: 'NOT_IN_STATE' } } : {});
  if (quantity > activeQuantity) throw new Fault('INVALID_QUANTITY', { details: { activeQuantity } });
  return { ...filing, quantity };
}
