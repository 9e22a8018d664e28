/** The transition of a store's mails about approval requests: opens a round for what waits, and ends tries of mails. */
import { LockMode } from '@mikro-orm/core';
import { decideNotice, type NoticeState, type Unnoticed } from '../../domain/approvals/notice.ts';
import { couldApprove } from '../../domain/approvals/rules.ts';
import { dateOf, msOf } from '../../domain/kernel/time.ts';
import type { RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import { listMembers } from '../identity/members.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { readStore } from '../stores/queries.ts';
import { type ApprovalRequest, ApprovalNoticeEntity, ApprovalRequestEntity } from './entities.ts';

/** Null when no request was ever made in this store. */
export async function transitionApprovalNotice(
  tx: Tx,
  _: RunRef,
  event: RunEvent<'approvalNotice'>,
): Promise<TransitionResult<'approvalNotice'> | null> {
  const { em, storeId, at } = tx;
  const notice = await em.findOne(ApprovalNoticeEntity, { storeId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!notice) return null;
  const waiting = await waitingRequests(tx);
  const current: NoticeState = { storeId, lastAt: msOf(notice.lastAt), round: notice.round, mails: notice.mails };
  const { state, effects, plan } = decideNotice(current, await unnoticed(tx, waiting), event, at);
  for (const { round } of effects) for (const request of waiting) request.noticeRound = round;
  Object.assign(notice, { lastAt: dateOf(state.lastAt), round: state.round, mails: state.mails });
  const { clockOffsetMs: clock } = await readStore(tx);
  return { plan, clock };
}

/** PENDING requests that no mail told of. */
const waitingRequests = ({ em, storeId, at }: Tx): Promise<ApprovalRequest[]> =>
  em.find(ApprovalRequestEntity, { storeId, status: 'PENDING', noticeRound: null, expiresAt: { $gt: new Date(at) } });

async function unnoticed(tx: Tx, waiting: readonly ApprovalRequest[]): Promise<Unnoticed> {
  const members = waiting.length > 0 ? await listMembers(tx) : [];
  const able = members.filter(({ role }) => waiting.some((request) => couldApprove(role, request)));
  return { isAny: waiting.length > 0, userIds: able.map(({ userId }) => userId) };
}

export interface NoticeMail {
  readonly email: string;
  readonly storeName: string;
  readonly requests: readonly { readonly approvalId: string; readonly operationId: string }[];
}
/**
 * What a person is mailed of a round, read when it is sent: the requests that are still PENDING and that they could approve now. Null: none
 * is left, or they have left the store.
 */
export async function readNoticeMail(tx: Tx, round: number, userId: string): Promise<NoticeMail | null> {
  const { em, storeId, at } = tx;
  const [member] = await listMembers(tx, userId);
  if (!member) return null;
  const pending = { storeId, status: 'PENDING', noticeRound: round, expiresAt: { $gt: new Date(at) } } as const;
  const found = await em.find(ApprovalRequestEntity, pending, { orderBy: { createdAt: 'asc', approvalId: 'asc' } });
  const requests = found.filter((request) => couldApprove(member.role, request));
  if (requests.length === 0) return null;
  const { name: storeName } = await readStore(tx);
  return { email: member.email, storeName, requests };
}
