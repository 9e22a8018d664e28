/** Maps between an approval request's row and its machine's state. */
import type { ApprovalState } from '../../domain/approvals/machine.ts';
import type { ApprovalRequest } from './entities.ts';

const msOf = (time: Date | null | undefined): number | null => time?.getTime() ?? null;
const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

export const stateOf = (row: ApprovalRequest): ApprovalState => ({
  storeId: row.storeId,
  approvalId: row.approvalId,
  status: row.status,
  expiresAt: row.expiresAt.getTime(),
  approverRole: row.approverRole,
  requiredScopes: row.requiredScopes,
  executingSince: msOf(row.executingSince),
  attempts: row.attempts,
  nextAttemptAt: msOf(row.nextAttemptAt),
  result: typeof row.resultStatus === 'number' ? { status: row.resultStatus, code: row.resultCode ?? '' } : null,
});

/** The columns that a decision may change. */
export const columnsOf = ({ status, executingSince, attempts, nextAttemptAt, result }: ApprovalState) => ({
  status,
  executingSince: dateOf(executingSince),
  attempts,
  nextAttemptAt: dateOf(nextAttemptAt),
  resultStatus: result?.status ?? null,
  resultCode: result?.code ?? null,
});
