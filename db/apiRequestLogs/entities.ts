import { defineEntity, p } from '@mikro-orm/core';
import type { ActorType } from '../../domain/identity/actors.ts';
import { storeId, time } from '../kernel/columns.ts';

export const ApiRequestLogEntity = defineEntity({
  name: 'ApiRequestLog',
  tableName: 'api_request_log',
  properties: {
    storeId: storeId(),
    /** Sorts by the real time of the request; its day is the partition. */
    requestId: p.string().primary(),
    /** Business time of the request. */
    createdAt: time(),
    method: p.string(),
    path: p.string(),
    operationId: p.string().nullable(),
    statusCode: p.smallint(),
    /** The first digit of `statusCode`. */
    statusClass: p.smallint(),
    errorCode: p.string().nullable(),
    durationMs: p.integer(),
    actorType: p.string().$type<ActorType>().nullable(),
    actorId: p.string().nullable(),
    actorName: p.string().nullable(),
    ip: p.string().nullable(),
    userAgent: p.string().nullable(),
  },
});
