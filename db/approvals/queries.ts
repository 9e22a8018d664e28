/** Approval requests: found and listed. */
import { type FilterQuery, LockMode } from '@mikro-orm/core';
import { type ApprovalStatus, type Preview, shownStatus } from '../../domain/approvals/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { type RunIds, runOf } from '../../workflows/kernel/messages.ts';
import type { SealLocation } from '../kernel/keyring.ts';
import { offset, type PageRequest } from '../kernel/page.ts';
import type { Tx } from '../kernel/tx.ts';
import { type ApprovalRequest, ApprovalRequestEntity } from './entities.ts';

export const approvalRun = (storeId: string, approvalId: string): RunIds<'approval'> => runOf('approval', storeId, approvalId);
/** A store has one run for its mails. */
export const noticeRun = (storeId: string): RunIds<'approvalNotice'> => runOf('approvalNotice', storeId, storeId);

export const resultLocation = (storeId: string, approvalId: string): SealLocation => ({
  store: storeId,
  table: 'approval_request',
  row: approvalId,
  column: 'result_sealed',
});

/** APPROVAL_NOT_FOUND. */
export async function findApproval({ em, storeId }: Tx, approvalId: string): Promise<ApprovalRequest> {
  const approval = await em.findOne(ApprovalRequestEntity, { storeId, approvalId });
  if (!approval) throw new Fault('APPROVAL_NOT_FOUND');
  return approval;
}

/** The same, locked as its transition locks it. */
export async function lockApproval({ em, storeId }: Tx, approvalId: string): Promise<ApprovalRequest> {
  const approval = await em.findOne(
    ApprovalRequestEntity,
    { storeId, approvalId },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  if (!approval) throw new Fault('APPROVAL_NOT_FOUND');
  return approval;
}

/** Whether this principal asked for it; an unknown one is nobody's. */
export const isFiledBy = async ({ em, storeId }: Tx, approvalId: string, principal: string): Promise<boolean> =>
  (await em.count(ApprovalRequestEntity, { storeId, approvalId, principal })) > 0;

export interface ApprovalFilter extends PageRequest {
  /** As it is shown; null: any. */
  readonly statuses: readonly ApprovalStatus[] | null;
  readonly operationId: string | null;
}
/** A request as a list has it. */
export type ListedApproval = ApprovalRequest & {
  /** Its preview has more lines, or longer values, than are listed. */
  readonly changesTruncated: boolean;
};
/** What a list does not show, or cuts where it is stored: a request may hold megabytes. */
const UNLISTED = ['preview', 'resultData', 'resultError', 'resultSealed', 'body', 'params', 'headers', 'querystring', 'path'] as const;
/** Newest first; of previews as much as a page holds, and what was answered only where it is short. */
export async function listApprovals(tx: Tx, filter: ApprovalFilter): Promise<{ items: ListedApproval[]; total: number }> {
  const { em, sql, storeId, at } = tx;
  const { statuses, operationId, ...page } = filter;
  const where = { storeId, ...(operationId !== null && { operationId }), ...(statuses && { $or: shownAs(statuses, at) }) };
  const [items, total] = await em.findAndCount(ApprovalRequestEntity, where, {
    orderBy: { createdAt: 'desc', approvalId: 'desc' },
    ...offset(page),
    exclude: UNLISTED,
    disableIdentityMap: true,
  });
  const rows = await sql<CutRow>`SELECT approval_id, listed FROM approval_request
    WHERE store_id = ${storeId} AND approval_id = ANY (${items.map(({ approvalId }) => approvalId)}::text[])`;
  const cuts = new Map(rows.map(({ approval_id: id, listed }) => [id, listed]));
  const listed = (items as ApprovalRequest[]).map((item) => {
    const { preview, data, error, cut } = cuts.get(item.approvalId)!;
    const shown = { preview: { ...preview, changes: cut.changes }, resultData: data, resultError: error };
    return { ...item, ...shown, changesTruncated: cut.isTruncated };
  });
  return { items: listed, total };
}
interface CutRow {
  readonly approval_id: string;
  /** As Postgres computed it when the request was written (migration 0052). */
  readonly listed: {
    readonly preview: Omit<Preview, 'changes'>;
    readonly data: unknown;
    readonly error: unknown;
    readonly cut: { readonly changes: Preview['changes']; readonly isTruncated: boolean };
  };
}

/** A PENDING one whose time is over is shown as EXPIRED. */
function shownAs(statuses: readonly ApprovalStatus[], at: number): FilterQuery<ApprovalRequest>[] {
  const now = new Date(at);
  return statuses.flatMap((status): FilterQuery<ApprovalRequest>[] => {
    if (status === 'PENDING') return [{ status, expiresAt: { $gt: now } }];
    return status === 'EXPIRED' ? [{ status }, { status: 'PENDING', expiresAt: { $lte: now } }] : [{ status }];
  });
}

/** The names of people, by user id. */
export async function namesOf({ sql }: Tx, userIds: readonly (string | null | undefined)[]): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(userIds.filter((id): id is string => typeof id === 'string'))];
  if (wanted.length === 0) return new Map();
  const rows = await sql<{ user_id: string; name: string }>`
    SELECT user_id, coalesce(name, email) AS name FROM user_account WHERE user_id = ANY(${wanted})`;
  return new Map(rows.map(({ user_id: id, name }) => [id, name]));
}

/** The status that everybody sees now. */
export const statusNow = ({ status, expiresAt }: ApprovalRequest, at: number): ApprovalStatus =>
  shownStatus(status, expiresAt.getTime(), at);
