import { type ApiRequestFilter, hasApiRequest, listApiRequests } from '../../db/apiRequestLogs/queries.ts';
import { LISTED_MS, METHODS } from '../../domain/apiRequestLogs/rules.ts';
import { invalid } from '../../domain/kernel/errors.ts';
import { log, logOf, logPaging, readCursor } from '../declare/cursor.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, fromTime, matching, named, read, toTime } from '../declare/parameters.ts';
import { type Static, Type } from '../declare/schema.ts';
import { ApiRequestRecord, viewApiRequest } from './schemas.ts';

const NEWEST = 'r';
const anyId = matching('^[!-~]{1,64}$');
const statusCode = matching('^[1-5](?:[0-9][0-9]|xx)$');

const Query = Type.Object({
  ...logPaging(NEWEST),
  method: named(among(METHODS), 'A method in capitals'),
  statusCode: named(statusCode, 'A status (404) or a class of them (4xx)'),
  operationId: named(anyId, 'As in the documents'),
  requestId: named(anyId, 'meta.requestId of the answer'),
  actorId: named(anyId, 'actor.id'),
  from: fromTime(),
  to: toTime(),
});

export const list = endpoint({
  id: 'apiRequestLogs.list',
  route: 'GET /v1/api-request-logs',
  summary: 'List the management requests of the last seven days, newest first',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  change: 'none',
  query: Query,
  data: logOf(ApiRequestRecord),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query, at }) => {
  const filter = filterOf(query, at);
  const { after, limit } = filter;
  if (after && !(await hasApiRequest(tx, after))) throw invalid('cursor', 'INVALID', 'This is no cursor of this list.');
  const found = await listApiRequests(tx, { ...filter, limit: limit + 1 });
  return log(found, limit, viewApiRequest, ({ createdAt, requestId }) => ({ order: NEWEST, at: createdAt, id: requestId }));
});

function filterOf(query: Static<typeof Query>, at: number): ApiRequestFilter {
  const { statusCode: status, from = 0, ...exact } = read(Query, query);
  const isClass = status?.endsWith('xx') === true;
  return {
    ...exact,
    ...(status !== undefined && (isClass ? { statusClass: Number(status[0]) } : { statusCode: Number(status) })),
    from: Math.max(at - LISTED_MS, from),
    after: readCursor(query.cursor, [NEWEST]),
    limit: query.limit,
  };
}
