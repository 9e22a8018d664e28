/** Whether a buyer may file a claim now; submission, preview and the actions that a buyer is shown call the same function (D46, D47). */
import type { PermissionKey } from '../flows/graph.ts';
import type { Flow } from '../flows/flow.ts';
import { permissionRefusal } from '../flows/permissions.ts';
import type { FlowState } from '../flows/state.ts';
import { type ErrorCode, Fault } from '../kernel/errors.ts';
import type { ClaimType } from './rules.ts';

/** The fields of an item that decide. */
export interface ClaimableItem {
  readonly flow: Flow;
  readonly flowState: FlowState;
  readonly quantity: number;
  readonly canceledQuantity: number;
  readonly isShipped: boolean;
}
/** What the flow's permission says: a claim that completes at once, or a request to the seller. */
export type FilingMode = 'AT_ONCE' | 'REQUEST';
type FilingRefusal = Extract<ErrorCode, 'INVALID_STATUS' | 'CLAIM_IN_PROGRESS' | 'EXCHANGE_NOT_SUPPORTED' | 'PERIOD_EXPIRED'>;

/** The permissions of the flow that allow a claim, the first that is there decides. */
const PERMISSIONS: Readonly<Record<ClaimType, readonly { readonly key: PermissionKey; readonly mode: FilingMode }[]>> = {
  CANCEL: [
    { key: 'buyerCancel', mode: 'AT_ONCE' },
    { key: 'cancelRequest', mode: 'REQUEST' },
  ],
  RETURN: [{ key: 'returnRequest', mode: 'REQUEST' }],
  EXCHANGE: [{ key: 'exchangeRequest', mode: 'REQUEST' }],
};

/** How a claim of this type is filed at the business time `at`, or why it is refused. */
export function filingOf(
  item: ClaimableItem,
  type: ClaimType,
  at: number,
): { readonly mode: FilingMode } | { readonly refusal: FilingRefusal } {
  const { flowState: state } = item;
  if (item.canceledQuantity === item.quantity) return { refusal: 'INVALID_STATUS' };
  if (state.claims.length > 0) return { refusal: 'CLAIM_IN_PROGRESS' };
  if (type === 'EXCHANGE' && !item.isShipped) return { refusal: 'EXCHANGE_NOT_SUPPORTED' };
  const modes = PERMISSIONS[type].map(({ key, mode }) => ({ mode, refusal: permissionRefusal(item.flow, state, key, at) }));
  const open = modes.find(({ refusal }) => refusal === null);
  if (open) return { mode: open.mode };
  return { refusal: modes.some(({ refusal }) => refusal === 'PERIOD_EXPIRED') ? 'PERIOD_EXPIRED' : 'INVALID_STATUS' };
}

/** The claim's mode and units. Throws the refusals of `filingOf`, then INVALID_QUANTITY for more than what remains. */
export function checkFiling(
  item: ClaimableItem,
  { type, quantity: wanted }: { readonly type: ClaimType; readonly quantity?: number | undefined },
  at: number,
): { readonly mode: FilingMode; readonly quantity: number } {
  const filing = filingOf(item, type, at);
  if ('refusal' in filing)
    throw new Fault(filing.refusal, filing.refusal === 'INVALID_STATUS' ? { details: { reason: 'NOT_IN_STATE' } } : {});
  const activeQuantity = item.quantity - item.canceledQuantity;
  const quantity = wanted ?? activeQuantity;
  if (quantity > activeQuantity) throw new Fault('INVALID_QUANTITY', { details: { activeQuantity } });
  return { mode: filing.mode, quantity };
}
