/** Requests of external nodes: marked before they are sent, so that each entry of a node sends one (F17). */
import { locationOf } from '../../domain/flows/run/positions.ts';
import type { FlowState } from '../../domain/flows/run/state.ts';
import type { ExternalResult } from '../../domain/orders/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Flow } from '../../domain/flows/run/flow.ts';

/** The call of an entry: `ask-{owner}-{seq.n}`. */
const PREFIX = 'ask-';
export const callId = (ownerId: string, call: string): string => `${PREFIX}${ownerId}-${call}`;
export const isExternalCall = (id: string): boolean => id.startsWith(PREFIX);

/** The calls that a flow waits for; those whose answer has come are none. */
export const pendingCalls = (flow: Flow, { positions, done }: FlowState): readonly { readonly call: string; readonly nodeId: string }[] =>
  done
    ? []
    : positions.flatMap((position) => {
        const { node } = locationOf(flow, position);
        return node.type === 'external' && position.call !== undefined && position.answeredAt === undefined
          ? [{ call: position.call, nodeId: node.id }]
          : [];
      });

export interface CallAnswer {
  readonly result: ExternalResult;
  readonly data: Readonly<Record<string, unknown>> | null;
}
/** A request without a stored answer was lost: it has failed, and stays so whatever becomes of it. */
export const LOST: CallAnswer = { result: 'failed', data: null };

/** The stored answer; null: its request was not begun, or is in flight. */
export async function readAnswer({ sql, storeId }: Tx, ownerId: string, call: string): Promise<CallAnswer | null> {
  const [row] = await sql<{ result: ExternalResult | null; data: CallAnswer['data'] }>`
    SELECT result, data FROM flow_call WHERE store_id = ${storeId} AND owner_id = ${ownerId} AND call = ${call}`;
  return row?.result ? { result: row.result, data: row.data } : null;
}

interface CallBeginning {
  readonly ownerId: string;
  readonly call: string;
  readonly nodeId: string;
  readonly idempotencyKey: string;
  /** Where nothing is sent. */
  readonly result: ExternalResult | null;
}
/** Marks a request as begun; false: it was begun before, and is not sent again. */
export async function beginCall(
  { sql, storeId, at, realNow }: Tx,
  { ownerId, call, nodeId, idempotencyKey, result }: CallBeginning,
): Promise<boolean> {
  const rows = await sql`
    INSERT INTO flow_call (store_id, owner_id, call, node_id, idempotency_key, sent_at, begun_at, result)
    VALUES (${storeId}, ${ownerId}, ${call}, ${nodeId}, ${idempotencyKey}, ${new Date(at)}, ${result ? null : new Date(realNow)}, ${result})
    ON CONFLICT DO NOTHING RETURNING 1 AS ok`;
  return rows.length > 0;
}

/** Stores the answer of a begun request, unless one is stored; returns the stored one, or null where none was begun. */
export async function settleCall(tx: Tx, ownerId: string, call: string, { result, data }: CallAnswer): Promise<CallAnswer | null> {
  const { sql, storeId } = tx;
  await sql`
    UPDATE flow_call SET result = ${result}, data = ${data && JSON.stringify(data)}
     WHERE store_id = ${storeId} AND owner_id = ${ownerId} AND call = ${call} AND result IS NULL`;
  return readAnswer(tx, ownerId, call);
}
