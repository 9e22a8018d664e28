/** Requests of external nodes: marked before they are sent, so that each entry of a node sends one (F17). */
import { placeOf } from '../../domain/flows/positions.ts';
import type { FlowState } from '../../domain/flows/state.ts';
import type { ExternalResult } from '../../domain/orders/messages.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Flow } from '../../domain/flows/flow.ts';

/** The call of an entry: `ask-{owner}-{seq.n}`. */
const PREFIX = 'ask-';
export const callId = (ownerId: string, call: string): string => `${PREFIX}${ownerId}-${call}`;
export const isExternalCall = (id: string): boolean => id.startsWith(PREFIX);

/** The calls that a flow waits for. */
export const pendingCalls = (flow: Flow, { positions, done }: FlowState): readonly { readonly call: string; readonly nodeId: string }[] =>
  done
    ? []
    : positions.flatMap((position) => {
        const { node } = placeOf(flow, position);
        return node.type === 'external' && position.call !== undefined ? [{ call: position.call, nodeId: node.id }] : [];
      });

export interface Answered {
  readonly result: ExternalResult;
  readonly data: Readonly<Record<string, unknown>> | null;
}
/** The stored answer; null: its request was lost, which counts as failed. */
export async function readAnswer({ sql, storeId }: Tx, ownerId: string, call: string): Promise<Answered | null> {
  const [row] = await sql<{ result: ExternalResult | null; data: Answered['data'] }>`
    SELECT result, data FROM flow_call WHERE store_id = ${storeId} AND owner_id = ${ownerId} AND call = ${call}`;
  return row?.result ? { result: row.result, data: row.data } : null;
}
