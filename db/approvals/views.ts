/** An approval request as people and agents see it (docs/contract.md#approvals). */
import { parse } from 'node:querystring';
import { type ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import { isDecided, type Preview, SECRET_MS, type Verdict } from '../../domain/approvals/rules.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import type { Keyring } from '../kernel/keyring.ts';
import type { Tx } from '../kernel/tx.ts';
import type { ApprovalRequest } from './entities.ts';
import { previewDigestOf } from './rows.ts';
import { namesOf, resultLocation, statusNow } from './queries.ts';

/** Opening it decides nothing and shows nothing without a login. */
export const approvalUrl = (consoleUrl: string, approvalId: string): string => new URL(`/approvals/${approvalId}`, consoleUrl).href;

/** Nothing was done, because it is not what was shown: the preview of what would be done. */
export const STALE = 'APPROVAL_STALE' satisfies ErrorCode;
export interface StaleReply {
  readonly details: { readonly preview: Preview; readonly previewDigest: string };
}
export const staleFault = (preview: Preview): Fault =>
  new Fault(STALE, { details: { preview, previewDigest: previewDigestOf({ preview }) } });

/** What a 202 and its repeats say. */
export const viewFiled = (approval: ApprovalRequest, at: number, consoleUrl: string) => ({
  approvalId: approval.approvalId,
  status: statusNow(approval, at),
  operationId: approval.operationId,
  reason: approval.reason,
  expiresAt: koreanOf(approval.expiresAt),
  approvalUrl: approvalUrl(consoleUrl, approval.approvalId),
});

/** An item of the list; `names`: of the people who decided. */
export const viewListed = (approval: ApprovalRequest, at: number, consoleUrl: string, names: ReadonlyMap<string, string>) => ({
  ...viewFiled(approval, at, consoleUrl),
  requestedBy: { type: approval.actorType, id: approval.actorId, name: approval.actorName ?? '' },
  createdAt: koreanOf(approval.createdAt),
  approverRole: approval.approverRole,
  preview: { ...approval.preview, changes: [...approval.preview.changes] },
  previewDigest: previewDigestOf(approval),
  decidedAt: koreanOf(approval.decidedAt),
  decisionNote: approval.decisionNote ?? null,
  approver: approverOf(approval, names),
  result: viewResult(approval),
});

function approverOf({ approverUserId: userId }: ApprovalRequest, names: ReadonlyMap<string, string>) {
  return userId ? { userId, name: names.get(userId) ?? '' } : null;
}

function viewResult(approval: ApprovalRequest) {
  const { status, decision, resultStatus, resultCode, resultRequestId, resultData, resultError } = approval;
  const carriedOut: Verdict = 'APPROVE';
  if (decision !== carriedOut || !isDecided(status)) return null;
  if (status === 'UNKNOWN') return { statusCode: 0, code: 'UNKNOWN', requestId: null, data: null, error: null };
  return {
    statusCode: resultStatus ?? 0,
    code: resultCode ?? '',
    requestId: resultRequestId ?? null,
    data: resultData ?? null,
    error: resultError ?? null,
  };
}

/** How a record is shown to somebody. `keyring`: to the requesting principal, who sees a once-shown secret for a day (G28). */
export interface Viewer {
  readonly consoleUrl: string;
  readonly keyring: Keyring | null;
}
/** The whole record. */
export async function viewApproval(tx: Tx, approval: ApprovalRequest, { consoleUrl, keyring }: Viewer) {
  const names = await namesOf(tx, [approval.approverUserId]);
  const { method, path, querystring } = approval;
  const listed = viewListed(approval, tx.at, consoleUrl, names);
  const secret = keyring && listed.result ? openResult(approval, tx.at, keyring) : undefined;
  return {
    ...listed,
    ...(listed.result && secret !== undefined && { result: { ...listed.result, data: secret } }),
    request: { method, path, query: { ...parse(querystring, '&', '=', { maxKeys: 0 }) }, body: approval.body ?? null },
  };
}
export type ApprovalView = Awaited<ReturnType<typeof viewApproval>>;

/** The data with its secrets, while they are shown; undefined otherwise. */
function openResult({ storeId, approvalId, resultSealed, decidedAt }: ApprovalRequest, at: number, keyring: Keyring): unknown {
  if (!resultSealed || !decidedAt || at >= decidedAt.getTime() + SECRET_MS) return undefined;
  return JSON.parse(keyring.open(resultSealed, resultLocation(storeId, approvalId)));
}
