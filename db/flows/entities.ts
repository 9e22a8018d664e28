import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { Bundle, Graph, Progression } from '../../domain/flows/graph/graph.ts';
import type { FlowState } from '../../domain/flows/run/state.ts';
import { storeId, time } from '../kernel/columns.ts';

export const CommerceFlowEntity = defineEntity({
  name: 'CommerceFlow',
  tableName: 'commerce_flow',
  properties: {
    storeId: storeId(),
    flowId: p.string().primary(),
    key: p.string(),
    name: p.string(),
    presetKey: p.string().nullable(),
    /** Of the two default flows, which nobody edits. */
    defaultFor: p.string().$type<'SHIPPING' | 'MANUAL'>().nullable(),
    draftGraph: p.json<Graph>().nullable(),
    draftUpdatedAt: time().nullable(),
    /** 0: none is published. The draft has the number after it. */
    latestVersion: p.integer().default(0),
    createdAt: time(),
  },
});
export type CommerceFlow = InferEntity<typeof CommerceFlowEntity>;

/** Never changed. Its graph shows call targets pinned; without one it is one of the code's. */
export const FlowVersionEntity = defineEntity({
  name: 'FlowVersion',
  tableName: 'flow_version',
  properties: {
    storeId: storeId(),
    flowId: p.string().primary(),
    version: p.integer().primary(),
    key: p.string(),
    graph: p.json<Graph>().nullable(),
    bundle: p.json<Bundle>().nullable(),
    progression: p.string().$type<Progression>(),
    publishedAt: time(),
  },
});
export type FlowVersion = InferEntity<typeof FlowVersionEntity>;

/** A connection to an external service; the header's value is sealed. */
export const FlowSecretEntity = defineEntity({
  name: 'FlowSecret',
  tableName: 'flow_secret',
  properties: {
    storeId: storeId(),
    name: p.string().primary(),
    url: p.string(),
    headerName: p.string(),
    valueSealed: p.string(),
    updatedAt: time(),
  },
});
export type FlowSecret = InferEntity<typeof FlowSecretEntity>;

/** The items of an order in one grouped flow: what they share (F32). Each member's row shows the same state. */
export const FlowGroupEntity = defineEntity({
  name: 'FlowGroup',
  tableName: 'flow_group',
  properties: {
    storeId: storeId(),
    groupId: p.string().primary(),
    orderId: p.string(),
    orderNo: p.string(),
    flowKey: p.string(),
    flowVersion: p.integer(),
    flowState: p.json<FlowState>(),
    createdAt: time(),
  },
});
export type FlowGroup = InferEntity<typeof FlowGroupEntity>;

/** The request of an external node: marked before it is sent, so that it is sent once. */
export const FlowCallEntity = defineEntity({
  name: 'FlowCall',
  tableName: 'flow_call',
  properties: {
    storeId: storeId(),
    /** The order item, or the group. */
    ownerId: p.string().primary(),
    call: p.string().primary(),
    nodeId: p.string(),
    idempotencyKey: p.string(),
    sentAt: time(),
    /** Real time, of requests that were sent: they take turns. */
    begunAt: time().nullable(),
    result: p.string().$type<'success' | 'skipped' | 'failed'>().nullable(),
    data: p.json<Readonly<Record<string, unknown>>>().nullable(),
  },
});

/** A request that waits for its turn among its store's, by the real clock. */
export const FlowCallWaitingEntity = defineEntity({
  name: 'FlowCallWaiting',
  tableName: 'flow_call_waiting',
  properties: {
    storeId: storeId(),
    ownerId: p.string().primary(),
    call: p.string().primary(),
    /** Its place. */
    askedAt: time(),
    retryAt: time(),
  },
});

/** Korea's holidays of a year: of all stores. The newest version counts. */
export const HolidayYearEntity = defineEntity({
  name: 'HolidayYear',
  tableName: 'holiday_year',
  properties: {
    year: p.smallint().primary(),
    version: p.integer().primary(),
    days: p.json<Readonly<Record<string, string>>>(),
    createdAt: time(),
  },
});
