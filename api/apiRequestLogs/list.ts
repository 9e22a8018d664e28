import { type ApiRequestFilter, hasApiRequest, listApiRequests } from '../../db/apiRequestLogs/queries.ts';
import { LISTED_MS, METHODS } from '../../domain/apiRequestLogs/rules.ts';
import { invalid } from '../../domain/kernel/errors.ts';
import { log, logOf, logPaging, readCursor } from '../kernel/cursor.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { among, fromTime, moment, named, read, sent, toTime } from '../kernel/query.ts';
import { type Static, Type } from '../kernel/schema.ts';
import { ApiRequestRecord, viewApiRequest } from './schemas.ts';

const NEWEST = 'r';
const ANY_ID = '^[!-~]{1,64}$';
const STATUS = '^[1-5](?:[0-9][0-9]|xx)$';
const matching = (pattern: string) => (text: string) => (new RegExp(pattern).test(text) ? text : undefined);

const Query = Type.Object({
  ...logPaging(NEWEST),
  method: named({ enum: METHODS }, 'A method in capitals'),
  statusCode: named({ pattern: STATUS }, 'A status (404) or a class of them (4xx)'),
  operationId: named({ pattern: ANY_ID }, 'As in the documents'),
  requestId: named({ pattern: ANY_ID }, 'meta.requestId of the answer'),
  actorId: named({ pattern: ANY_ID }, 'actor.id'),
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
  const status = read('statusCode', query.statusCode, matching(STATUS));
  const found = {
    method: read('method', query.method, among(METHODS)),
    statusCode: status?.endsWith('xx') === false ? Number(status) : undefined,
    statusClass: status?.endsWith('xx') === true ? Number(status[0]) : undefined,
    operationId: read('operationId', query.operationId, matching(ANY_ID)),
    requestId: read('requestId', query.requestId, matching(ANY_ID)),
    actorId: read('actorId', query.actorId, matching(ANY_ID)),
    to: read('to', query.to, moment),
  };
  const from = Math.max(at - LISTED_MS, read('from', query.from, moment) ?? 0);
  return { from, after: readCursor(query.cursor, [NEWEST]), limit: query.limit, ...sent(found) };
}
