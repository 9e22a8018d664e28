/** Maps between a claim's row and its machine's state. */
import type { ClaimState } from '../../domain/claims/machine.ts';
import { type ClaimSummary, isOpen } from '../../domain/claims/rules.ts';
import { dateOf, msOf } from '../../domain/kernel/time.ts';
import { type RunIds, runOf, workflowIdOf } from '../../workflows/kernel/messages.ts';
import type { Claim } from './entities.ts';

/** People search for a claim by its number, so its workflow is named by it. */
export const claimRun = ({
  storeId,
  claimId,
  claimNo,
  orderNo,
}: Pick<Claim, 'storeId' | 'claimId' | 'claimNo' | 'orderNo'>): RunIds<'claim'> => ({
  ...runOf('claim', storeId, claimId, orderNo),
  workflowId: workflowIdOf('claim', storeId, claimNo),
});

export const stateOf = (claim: Claim): ClaimState => ({
  type: claim.type,
  status: claim.status,
  quantity: claim.quantity,
  isShipped: claim.isShipped,
  isHoldUsed: claim.isHoldUsed,
  holdUntil: msOf(claim.holdUntil),
  restockedQuantity: claim.restockedQuantity,
  exchangeOptionId: claim.exchangeOptionId ?? null,
  flowFeeWon: claim.flowFeeWon,
});

/** The columns that a decision may change. */
export const columnsOf = ({ status, isHoldUsed, holdUntil, restockedQuantity }: ClaimState, at: number) => ({
  status,
  isHoldUsed,
  holdUntil: dateOf(holdUntil),
  restockedQuantity,
  closedAt: isOpen(status) ? null : new Date(at),
});

export const summaryOf = ({ claimId, claimNo, type, status, quantity, reason, requestedAt }: Claim): ClaimSummary => ({
  claimId,
  claimNo,
  type,
  status,
  quantity,
  reason,
  requestedAt: requestedAt.getTime(),
});
