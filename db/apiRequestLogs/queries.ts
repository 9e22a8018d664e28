import type { Actor, ActorType } from '../../domain/identity/actors.ts';
import type { Method } from '../../domain/apiRequestLogs/rules.ts';
import { msOf } from '../../domain/kernel/time.ts';
import { allOf, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { AnsweredRequest } from './commands.ts';

export interface ApiRequest extends Omit<AnsweredRequest, 'receivedAt'> {
  /** Business time, in milliseconds. */
  readonly createdAt: number;
  readonly actor: Actor | null;
}
/** Where a list is read on: behind this request. */
export interface Position {
  readonly at: number;
  readonly id: string;
}
export interface ApiRequestFilter {
  readonly method?: Method;
  readonly statusCode?: number;
  /** 4: 400 to 499. */
  readonly statusClass?: number;
  readonly operationId?: string;
  readonly requestId?: string;
  readonly actorId?: string;
  /** Business times; from inclusive, to exclusive. */
  readonly from: number;
  readonly to?: number;
  readonly after: Position | null;
  readonly limit: number;
}

interface Row {
  readonly request_id: string;
  readonly created_at: string;
  readonly method: string;
  readonly path: string;
  readonly operation_id: string | null;
  readonly status_code: number;
  readonly error_code: string | null;
  readonly duration_ms: number;
  readonly actor_type: ActorType | null;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
}

/** Requests of the store, newest first. */
export async function listApiRequests({ sql, storeId }: Tx, filter: ApiRequestFilter): Promise<ApiRequest[]> {
  const { method, statusCode, statusClass, operationId, requestId, actorId, from, to, after, limit } = filter;
  const where = allOf([
    fragment`store_id = ${storeId} AND created_at >= ${new Date(from)}`,
    to !== undefined && fragment`created_at < ${new Date(to)}`,
    method !== undefined && fragment`method = ${method}`,
    statusCode !== undefined && fragment`status_code = ${statusCode}`,
    statusClass !== undefined && fragment`status_class = ${statusClass}`,
    operationId !== undefined && fragment`operation_id = ${operationId}`,
    requestId !== undefined && fragment`request_id = ${requestId}`,
    actorId !== undefined && fragment`actor_id = ${actorId}`,
    after !== null && fragment`(created_at, request_id) < (${new Date(after.at)}, ${after.id})`,
  ]);
  const rows = await sql<Row>`SELECT * FROM api_request_log WHERE ${where} ORDER BY created_at DESC, request_id DESC LIMIT ${limit}`;
  return rows.map(requestOf);
}

/** Whether the store has this request: a position is one of its own list. */
export async function hasApiRequest({ sql, storeId }: Tx, { at, id }: Position): Promise<boolean> {
  const rows = await sql`SELECT 1 AS ok FROM api_request_log
    WHERE store_id = ${storeId} AND request_id = ${id} AND created_at = ${new Date(at)}`;
  return rows.length > 0;
}

const requestOf = (row: Row): ApiRequest => ({
  requestId: row.request_id,
  createdAt: msOf(row.created_at),
  method: row.method,
  path: row.path,
  operationId: row.operation_id,
  statusCode: row.status_code,
  errorCode: row.error_code,
  durationMs: row.duration_ms,
  actor: row.actor_type === null ? null : { type: row.actor_type, id: row.actor_id!, name: row.actor_name! },
  ip: row.ip,
  userAgent: row.user_agent,
});
