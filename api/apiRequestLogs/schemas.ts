import type { ApiRequest } from '../../db/apiRequestLogs/queries.ts';
import { ACTOR_TYPES } from '../../domain/identity/actors.ts';
import { korean } from '../../domain/kernel/time.ts';
import { closed, Count, Id, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

export const Actor = closed(
  {
    type: oneOf(ACTOR_TYPES, 'USER: a person; AGENT: an agent’s API token; APP: a client'),
    id: Id,
    name: Type.String({ description: 'At that time' }),
  },
  { title: 'Actor' },
);

export const ApiRequestRecord = closed(
  {
    requestId: Id,
    createdAt: Timestamp,
    method: Type.String(),
    path: Type.String({ description: 'Without the query, at most 500 characters' }),
    operationId: nullable(Type.String({ description: 'Null for an address or method that there is not' })),
    statusCode: Type.Integer(),
    errorCode: nullable(Type.String()),
    durationMs: Count,
    actor: nullable(Actor),
    ip: nullable(Type.String()),
    userAgent: nullable(Type.String({ description: 'At most 300 characters' })),
  },
  { title: 'ApiRequest' },
);

export const viewApiRequest = ({ createdAt, ...request }: ApiRequest) => ({ ...request, createdAt: korean(createdAt, 'milliseconds') });
