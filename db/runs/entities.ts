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
    loadedAt: time().nullable(),
    doneAt: time().nullable(),
    createdAt: time(),
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
    /** Real time before which the relay does not deliver the row. */
    notBefore: time().nullable(),
    /** A delivery to a receiver that fails: others are started first. */
    yields: p.boolean().default(false),
    /** The trace context (W3C) of the request. */
    traceparent: p.string().nullable(),
  },
});
