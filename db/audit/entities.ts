import { defineEntity, p } from '@mikro-orm/core';
import type { DomainAction, Outcome } from '../../domain/audit/rules.ts';
import type { ActorType } from '../../domain/identity/actors.ts';
import { storeId, time } from '../kernel/columns.ts';

/** What both kinds of records have. */
const shared = {
  storeId: storeId(),
  auditId: p.string().primary(),
  /** Business time. */
  createdAt: time(),
  actorType: p.string().$type<ActorType>(),
  actorId: p.string(),
  /** The name of the person, client or token at that time. */
  actorName: p.string(),
};

/** A management request (G42). Its id is that of the request, so that it has one record; its month is the partition. */
export const AuditRequestEntity = defineEntity({
  name: 'AuditRequest',
  tableName: 'audit_request',
  properties: {
    ...shared,
    /** The operationId. */
    action: p.string(),
    targetType: p.string().nullable(),
    targetId: p.string().nullable(),
    outcome: p.string().$type<Outcome>(),
    statusCode: p.smallint(),
    errorCode: p.string().nullable(),
    requestId: p.string(),
    traceId: p.string().nullable(),
    idempotencyKey: p.string().nullable(),
    approvalId: p.string().nullable(),
    /** What lists show of it: computed by Postgres (migration 0052). */
    listed: p.json<object>().nullable().persist(false),
    metadata: p.json<Record<string, unknown>>(),
  },
});

/** A change that moves money or rights (G46), written by a trigger on what changed. */
export const AuditDomainEntity = defineEntity({
  name: 'AuditDomain',
  tableName: 'audit_domain',
  properties: {
    ...shared,
    action: p.string().$type<DomainAction>(),
    targetType: p.string(),
    targetId: p.string(),
    requestId: p.string().nullable(),
    approvalId: p.string().nullable(),
    /** The refund that the change requested; no refund is without its record. */
    refundId: p.string().nullable(),
    /** The transaction of the change, in which alone it may be written. */
    transactionId: p.bigint(),
    metadata: p.json<Record<string, unknown>>(),
  },
});
