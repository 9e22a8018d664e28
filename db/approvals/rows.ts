/** Maps between an approval request's row and its machine's state. */
import { digestOf } from '../kernel/digest.ts';
import type { ApprovalState } from '../../domain/approvals/machine.ts';
import { dateOf, msOf } from '../../domain/kernel/time.ts';
import type { ApprovalRequest } from './entities.ts';

/** Of what is shown: whoever decides names it, and decides on nothing else. */
export const previewDigestOf = ({ preview }: Pick<ApprovalRequest, 'preview'>): string => digestOf(preview);

/** `clock`: how far the store's clock is ahead, for a request that was approved before its real time was kept. */
export const stateOf = (row: ApprovalRequest, clock = 0): ApprovalState => ({
  storeId: row.storeId,
  approvalId: row.approvalId,
  status: row.status,
  expiresAt: row.expiresAt.getTime(),
  approverRole: row.approverRole,
  requiredScopes: row.requiredScopes,
  previewDigest: previewDigestOf(row),
  round: row.executionRound,
  executingSince: msOf(row.executingSince),
  executingReal: msOf(row.executingReal) ?? (row.executingSince ? row.executingSince.getTime() - clock : null),
  attempts: row.attempts,
  nextAttemptAt: msOf(row.nextAttemptAt),
  result: typeof row.resultStatus === 'number' ? { status: row.resultStatus, code: row.resultCode ?? '' } : null,
});

/** The columns that a decision may change. */
export const columnsOf = ({ status, round, executingSince, executingReal, attempts, nextAttemptAt, result }: ApprovalState) => ({
  status,
  executionRound: round,
  executingSince: dateOf(executingSince),
  executingReal: dateOf(executingReal),
  attempts,
  nextAttemptAt: dateOf(nextAttemptAt),
  resultStatus: result?.status ?? null,
  resultCode: result?.code ?? null,
});
