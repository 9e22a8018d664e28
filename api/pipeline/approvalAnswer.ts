/** Answers to requests of agents that wait for an approval. */
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import { statusNow } from '../../db/approvals/queries.ts';
import { viewApproval, viewFiled } from '../../db/approvals/views.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import { isDecided } from '../../domain/approvals/rules.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Answer } from '../declare/answer.ts';

/**
 * 202 APPROVAL_REQUIRED with the status now; once it is decided 200 APPROVAL_ALREADY_DECIDED with the whole record, as its requester sees
 * it.
 */
export async function approvalAnswer(
  tx: Tx,
  { approval, isReplay }: { readonly approval: ApprovalRequest; readonly isReplay: boolean },
  { config, keyring }: Pick<ApiDeps, 'config' | 'keyring'>,
): Promise<Answer> {
  const { consoleUrl } = config.mail;
  const headers = { Location: `/v1/approval-requests/${approval.approvalId}`, ...(isReplay && { 'Idempotent-Replayed': 'true' }) };
  if (!isDecided(statusNow(approval, tx.at)))
    return { status: 202, code: 'APPROVAL_REQUIRED', body: viewFiled(approval, tx.at, consoleUrl), headers };
  return { status: 200, code: 'APPROVAL_ALREADY_DECIDED', body: await viewApproval(tx, approval, { consoleUrl, keyring }), headers };
}
