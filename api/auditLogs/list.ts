import { createHash } from 'node:crypto';
import { type AuditFilter, listAudit } from '../../db/audit/queries.ts';
import { OUTCOMES, SOURCES } from '../../domain/audit/rules.ts';
import { ACTOR_TYPES } from '../../domain/identity/actors.ts';
import { invalid } from '../../domain/kernel/errors.ts';
import { log, logOf, logPaging, readCursor } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, amongAll, fromTime, matching, named, read, toTime } from '../declare/parameters.ts';
import { type Static, Type } from '../declare/schema.ts';
import { AuditRecord, viewAudit } from './schemas.ts';

const NEWEST = 'a';
const text = matching('^[!-~]{1,100}$');

const Query = Type.Object({
  ...logPaging(NEWEST),
  source: named(among(SOURCES), 'REQUEST or DOMAIN'),
  actorType: named(amongAll(ACTOR_TYPES), 'Any of these, separated by commas'),
  actorId: named(text, 'actor.id'),
  action: named(text, 'An operationId, or what a change is'),
  targetType: named(text, 'target.type'),
  targetId: named(text, 'target.id'),
  outcome: named(amongAll(OUTCOMES), 'Any of these, separated by commas'),
  requestId: named(text, 'meta.requestId of the answer'),
  approvalId: named(text, 'Of an approval request, its decision and its execution'),
  from: fromTime(),
  to: toTime(),
});

export const list = endpoint({
  id: 'auditLogs.list',
  route: 'GET /v1/audit-logs',
  summary: 'List who changed what and how it ended, newest first: requests of a year, refunds and cancels of all time',
  access: 'store',
  scopes: ['audit:r'],
  change: 'none',
  isLarge: true,
  query: Query,
  data: logOf(AuditRecord),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query, storeId }) => {
  const filter = filterOf(query);
  const mark = markOf(storeId, filter);
  const { limit } = query;
  const found = await listAudit(tx, { ...filter, after: positionOf(query.cursor, mark), limit: limit + 1 });
  return log(found, limit, viewAudit, ({ createdAt, auditId }) => ({ order: NEWEST, at: createdAt, id: `${auditId}_${mark}` }));
});

type Filter = Omit<AuditFilter, 'after' | 'limit'>;

function filterOf(query: Static<typeof Query>): Filter {
  const { actorType: actorTypes, outcome: outcomes, ...exact } = read(Query, query);
  return { ...exact, ...(actorTypes && { actorTypes }), ...(outcomes && { outcomes }) };
}

/** The mark of a store's list with these filters. A cursor has it, so that it leads nowhere else: no secret, and no authority. */
const markOf = (storeId: string, filter: Filter): string =>
  createHash('sha256')
    .update(JSON.stringify([storeId, filter]))
    .digest('hex')
    .slice(0, 16);

/** The position that a cursor names; VALIDATION_FAILED for one of another store, list or filter (G41). */
function positionOf(cursor: string | undefined, mark: string): AuditFilter['after'] {
  const position = readCursor(cursor, [NEWEST]);
  if (!position) return null;
  const [, id, its] = /^(aud_[0-9A-Za-z]+)_([0-9a-f]{16})$/.exec(position.id) ?? [];
  if (id === undefined || its !== mark) throw invalid('cursor', 'INVALID', 'This is no cursor of this list.');
  return { at: position.at, id };
}
