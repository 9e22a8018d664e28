import type { Acting } from '../../domain/identity/actors.ts';
import { universal } from '../../domain/kernel/time.ts';
import type { Tx } from '../kernel/tx.ts';

/** A request that was answered, as it is recorded. Times in milliseconds. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** Real time. */
  readonly receivedAt: number;
  readonly method: string;
  readonly path: string;
  readonly operationId: string | null;
  readonly statusCode: number;
  readonly errorCode: string | null;
  readonly durationMs: number;
  readonly ip: string | null;
  readonly userAgent: string | null;
}
export interface AttributedRequest extends AnsweredRequest {
  /** Business time of the request; null where nobody was authenticated: the store's clock when it is recorded says it. */
  readonly at: number | null;
  readonly actor: Pick<Acting, 'type' | 'id' | 'name'> | null;
}

const rowOf = ({ receivedAt, at, actor, ...request }: AttributedRequest) => ({
  ...request,
  receivedAt: universal(receivedAt),
  at: at === null ? null : universal(at),
  actorType: actor?.type ?? null,
  actorId: actor?.id ?? null,
  actorName: actor?.name ?? null,
});

/**
 * Records requests of this store in one statement, which reads the name of each of their actors once. One that is recorded already is left
 * alone, so that a batch whose commit got lost may be written again.
 */
export async function recordApiRequests({ sql, storeId }: Tx, requests: readonly AttributedRequest[]): Promise<void> {
  await sql`INSERT INTO api_request_log (store_id, request_id, created_at, method, path, operation_id, status_code, status_class,
      error_code, duration_ms, actor_type, actor_id, actor_name, ip, user_agent)
    WITH r AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(requests.map(rowOf))}::jsonb) AS r ("requestId" text, at timestamptz,
        "receivedAt" timestamptz, method text, path text, "operationId" text, "statusCode" smallint, "errorCode" text, "durationMs" integer,
        "actorType" text, "actorId" text, "actorName" text, ip text, "userAgent" text)),
    names AS MATERIALIZED (SELECT type, id, actor_name(type, id) AS name
      FROM (SELECT DISTINCT "actorType" AS type, "actorId" AS id FROM r WHERE "actorId" IS NOT NULL AND "actorName" IS NULL) nameless)
    SELECT s.store_id, r."requestId", coalesce(r.at, r."receivedAt" + s.clock_offset_ms * interval '1 millisecond'), r.method, r.path,
      r."operationId", r."statusCode", r."statusCode" / 100, r."errorCode", r."durationMs", r."actorType", r."actorId",
      coalesce(r."actorName", n.name, r."actorId"), r.ip, r."userAgent"
    FROM r LEFT JOIN names n ON n.type = r."actorType" AND n.id = r."actorId" JOIN store s ON s.store_id = ${storeId}
    ON CONFLICT DO NOTHING`;
}
