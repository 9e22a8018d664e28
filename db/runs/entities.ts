import { defineEntity, p } from '@mikro-orm/core';
import type { WorkflowType } from '../../workflows/kernel/messages.ts';
import { storeId, time } from '../kernel/columns.ts';

/** One open obligation. Its workflow may be lost at any time; this line brings it back. */
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
    /** What operators see of the run before it has said anything itself. */
    status: p.string().nullable(),
    wakeAt: time().nullable(),
    createdAt: time(),
    /** Real time before which the relay leaves the row alone. */
    notBefore: time().nullable(),
    /** Whether other deliveries go first. */
    yields: p.boolean().default(false),
    /** The trace that the row belongs to. */
    traceparent: p.string().nullable(),
  },
});
