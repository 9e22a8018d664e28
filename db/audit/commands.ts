import type { Outcome } from '../../domain/audit/rules.ts';
import type { ActorRef } from '../../domain/identity/actors.ts';
import type { Tx } from '../kernel/tx.ts';

/** A management request as it is recorded: no bodies, secrets or buyers' personal data. */
export interface RequestRecord {
  readonly requestId: string;
  /** Without a name, that of the person, client or token is looked up. */
  readonly actor: ActorRef & { readonly name: string | null };
  /** The operationId. */
  readonly action: string;
  /** `id`: null for a creation that failed, and of a bulk. */
  readonly target: { readonly type: string; readonly id: string | null } | null;
  readonly outcome: Outcome;
  readonly statusCode: number;
  readonly errorCode: string | null;
  readonly traceId: string | null;
  readonly idempotencyKey: string | null;
  readonly approvalId: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Ids of requests sort by their time, `req_…`; the record has the same digits, so that a request has one record and one partition. */
export const auditIdOf = (requestId: string): string => `aud_${requestId.replace(/^req_/, '')}`;

/** Records a request; false: it is recorded already, and whoever committed first has told how it ended. */
export async function recordRequest({ sql, storeId, at }: Tx, record: RequestRecord): Promise<boolean> {
  const { requestId, actor, action, target, outcome, statusCode, errorCode, traceId, idempotencyKey, approvalId, metadata } = record;
  const made =
    await sql`INSERT INTO audit_request (store_id, audit_id, created_at, actor_type, actor_id, actor_name, action, target_type, target_id,
      outcome, status_code, error_code, request_id, trace_id, idempotency_key, approval_id, metadata)
    VALUES (${storeId}, ${auditIdOf(requestId)}, ${new Date(at)}, ${actor.type}, ${actor.id},
      coalesce(${actor.name}, actor_name(${actor.type}, ${actor.id}), ${actor.id}), ${action},
      ${target?.type ?? null}, ${target?.id ?? null},
      ${outcome}, ${statusCode}, ${errorCode}, ${requestId}, ${traceId}, ${idempotencyKey}, ${approvalId}, ${JSON.stringify(metadata)})
    ON CONFLICT (store_id, audit_id) DO NOTHING RETURNING 1 AS ok`;
  return made.length > 0;
}
