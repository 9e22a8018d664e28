import { defineEntity, p } from '@mikro-orm/core';
import type { WorkflowType } from '../../workflows/kernel/messages.ts';
import { storeId, time } from '../kernel/columns.ts';

/** A run: one open obligation. If its workflow is lost, the reconciler starts it again from this row. */
export const RunEntity = defineEntity({
  name: 'Run',
  tableName: 'run',
  properties: {
    storeId: storeId(),
    workflowId: p.string().primary(),
    workflowType: p.string().$type<WorkflowType>(),
    entityId: p.string(),
    orderNo: p.string().nullable(),
    /** Business time. */
    wakeAt: time().nullable(),
    /** It wakes only to poll a courier or receiver: a sandbox that is advanced does not wait for it. */
    isPollOnly: p.boolean().default(false),
    loadedAt: time().nullable(),
    doneAt: time().nullable(),
    createdAt: time(),
    /** Real time of the reconciler's last wake, and how many there were since the last progress. */
    wokenAt: time().nullable(),
    wakes: p.integer().default(0),
    /** Real time before which the reconciler does not wake it again. */
    graceFrom: time().nullable(),
  },
});

/** A message of a commit to Temporal: a start or a wake, delivered by the relay. */
export const OutboxEntity = defineEntity({
  name: 'Outbox',
  tableName: 'outbox',
  properties: {
    outboxId: p.bigint('number').primary().autoincrement(),
    storeId: p.string(),
    message: p.string().$type<'start' | 'wake'>(),
    workflowType: p.string().$type<WorkflowType>(),
    workflowId: p.string(),
    entityId: p.string(),
    orderNo: p.string().nullable(),
    /** The initial status, a search attribute. */
    status: p.string().nullable(),
    wakeAt: time().nullable(),
    createdAt: time(),
    /** Deliveries by the relay that failed. */
    attempts: p.integer().default(0),
    /** Real time before which the relay does not deliver the row. */
    notBefore: time().nullable(),
    /** A delivery to a receiver that fails: others are started first. */
    yields: p.boolean().default(false),
    /** The trace context (W3C) of the request. */
    traceparent: p.string().nullable(),
  },
});

/** An idempotency key with its reply. */
export const OperationEntity = defineEntity({
  name: 'Operation',
  tableName: 'operation',
  properties: {
    storeId: storeId(),
    principal: p.string().primary(),
    key: p.string().primary(),
    /** The endpoint's id. */
    operationId: p.string(),
    fingerprint: p.string(),
    /** The customer that the request's path names; null: none. */
    customerId: p.string().nullable(),
    /** Null: there is no reply yet. */
    status: p.smallint().nullable(),
    body: p.json<unknown>().nullable(),
    location: p.string().nullable(),
    createdAt: time(),
    expiresAt: time(),
  },
});

/** Text of a client for the transition of a command. */
export const CommandTextEntity = defineEntity({
  name: 'CommandText',
  tableName: 'command_text',
  properties: { storeId: storeId(), textId: p.string().primary(), text: p.string(), createdAt: time() },
});

/** The cursor of the recovery into a new Temporal database; null: none. Only the relay's role may access it (worker/recovery.ts). */
export const TemporalNamespaceEntity = defineEntity({
  name: 'TemporalNamespace',
  tableName: 'temporal_namespace',
  properties: {
    namespace: p.string().primary(),
    namespaceId: p.string(),
    recoveryStore: p.string().nullable(),
    recoveryRun: p.string().nullable(),
  },
});
