/** Approval requests: found and listed (G22). */
import { type FilterQuery, LockMode } from '@mikro-orm/core';
import { type ApprovalStatus, shownStatus } from '../../domain/approvals/rules.ts';
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
/** Newest first. */
export async function listApprovals(
  { em, storeId, at }: Tx,
  { statuses, operationId, ...page }: ApprovalFilter,
): Promise<{ items: ApprovalRequest[]; total: number }> {
  const where = { storeId, ...(operationId !== null && { operationId }), ...(statuses && { $or: shownAs(statuses, at) }) };
  const [items, total] = await em.findAndCount(ApprovalRequestEntity, where, {
    orderBy: { createdAt: 'desc', approvalId: 'desc' },
    ...offset(page),
  });
  return { items, total };
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
