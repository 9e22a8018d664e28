import type { AuditRecord as Found } from '../../db/audit/queries.ts';
import { OUTCOMES, SOURCES } from '../../domain/audit/rules.ts';
import { ACTOR_TYPES } from '../../domain/identity/actors.ts';
import { korean } from '../../domain/kernel/time.ts';
import { closed, Id, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

const AuditActor = closed(
  {
    type: oneOf(ACTOR_TYPES, 'USER: a person; AGENT: an agent; APP: a client; SYSTEM: a deadline, a courier, a buyer'),
    id: Id,
    name: Type.String({ description: 'At that time' }),
  },
  { title: 'AuditActor' },
);
const AuditTarget = closed(
  { type: Type.String({ description: 'PRODUCT, ORDER_ITEM, REFUND, MEMBER …' }), id: nullable(Type.String()) },
  { title: 'AuditTarget' },
);

export const AuditRecord = closed(
  {
    auditId: Id,
    source: oneOf(SOURCES, 'REQUEST: a request and how it ended; DOMAIN: a change, written with it'),
    createdAt: Timestamp,
    actor: AuditActor,
    action: Type.String({ description: 'The operationId, or of a change what it is: ORDER_ITEM_CANCELED' }),
    target: nullable(AuditTarget),
    outcome: oneOf(OUTCOMES),
    statusCode: nullable(Type.Integer()),
    errorCode: nullable(Type.String()),
    requestId: nullable(Type.String({ description: 'meta.requestId; null where nobody requested it' })),
    traceId: nullable(Type.String()),
    idempotencyKey: nullable(Type.String()),
    approvalId: nullable(Type.String()),
    metadata: Type.Object({}, { description: 'changes, approvedBy, onBehalfOf, via, replayed …; of a refund or cancel its amounts' }),
    changesTruncated: Type.Boolean({
      description:
        'Of a list: metadata.changes holds fewer lines than the record (at most 20), or shorter values (at most 2,000 characters)',
    }),
  },
  { title: 'AuditRecord' },
);

export const viewAudit = ({ createdAt, ...record }: Found) => ({ ...record, createdAt: korean(createdAt, 'milliseconds') });
