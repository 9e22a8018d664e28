import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { PendingMail } from '../../domain/approvals/notice.ts';
import type { ApprovalStatus, ApproverRole, DecisionChannel, Preview, TokenRef, Verdict } from '../../domain/approvals/rules.ts';
import type { Acting, ActorType } from '../../domain/identity/actors.ts';
import { storeId, textList, time } from '../kernel/columns.ts';

/** Times are business times. */
export const ApprovalRequestEntity = defineEntity({
  name: 'ApprovalRequest',
  tableName: 'approval_request',
  properties: {
    storeId: storeId(),
    approvalId: p.string().primary(),
    status: p.string().$type<ApprovalStatus>(),
    operationId: p.string(),
    reason: p.string(),
    /** Who asked, as idempotency counts. */
    principal: p.string(),
    /** What must still live when it is carried out. */
    tokenRef: p.json<TokenRef>(),
    actorType: p.string().$type<ActorType>(),
    actorId: p.string(),
    actorName: p.string().nullable(),
    via: p.string().$type<NonNullable<Acting['via']>>().nullable(),
    onBehalfOf: p.string().nullable(),
    method: p.string(),
    /** As it was sent, without query. */
    path: p.string(),
    params: p.json<Readonly<Record<string, string>>>(),
    querystring: p.string(),
    body: p.json<unknown>().nullable(),
    /** By lower-case name, those that the execution needs. */
    headers: p.json<Readonly<Record<string, string>>>(),
    /** The idempotency key under which it was made; null: none was sent. */
    key: p.string().nullable(),
    fingerprint: p.string(),
    preview: p.json<Preview>(),
    /** What lists show of it: computed by Postgres (migration 0052). */
    listed: p.json<object>().nullable().persist(false),
    requiredScopes: textList(),
    approverRole: p.string().$type<ApproverRole>(),
    createdAt: time(),
    expiresAt: time(),
    /** The mails that told of it; null: it waits for one. */
    noticeRound: p.integer().nullable(),
    decision: p.string().$type<Verdict>().nullable(),
    decidedAt: time().nullable(),
    decidedVia: p.string().$type<DecisionChannel>().nullable(),
    decisionNote: p.string().nullable(),
    approverUserId: p.string().nullable(),
    approverScopes: textList().nullable(),
    executingSince: time().nullable(),
    /** The same in real time. */
    executingReal: time().nullable(),
    /** Executions that did nothing, because it would not have been what was approved. */
    executionRound: p.integer().default(0),
    attempts: p.integer(),
    nextAttemptAt: time().nullable(),
    resultStatus: p.smallint().nullable(),
    resultCode: p.string().nullable(),
    resultRequestId: p.string().nullable(),
    /** Without secrets. */
    resultData: p.json<unknown>().nullable(),
    resultError: p.json<unknown>().nullable(),
    /** The data with its secrets, encrypted; null: it has none. */
    resultSealed: p.string().nullable(),
  },
});
export type ApprovalRequest = InferEntity<typeof ApprovalRequestEntity>;

/** The mails of a store about its approval requests. Business time. */
export const ApprovalNoticeEntity = defineEntity({
  name: 'ApprovalNotice',
  tableName: 'approval_notice',
  properties: {
    storeId: storeId(),
    /** When the last round went out. */
    lastAt: time().nullable(),
    round: p.integer(),
    /** Those that have not gone yet. */
    mails: p.json<readonly PendingMail[]>(),
  },
});
