/** Reads of flows for items that run in them. */
import type { Tx } from '../kernel/tx.ts';
import type { FlowRef } from './loaded.ts';

/** A flow as an item shows it: its versions, newest first. */
export interface FlowHead {
  readonly flowId: string;
  readonly name: string;
  readonly versions: readonly number[];
}
export async function readFlowHead({ sql, storeId }: Tx, { flowKey }: FlowRef): Promise<FlowHead> {
  const [row] = await sql<{ flow_id: string; name: string; versions: number[] }>`
    SELECT f.flow_id, f.name, array_agg(v.version ORDER BY v.version DESC) AS versions FROM commerce_flow f
      JOIN flow_version v USING (store_id, flow_id) WHERE f.store_id = ${storeId} AND f.key = ${flowKey} GROUP BY f.flow_id, f.name`;
  if (!row) throw new Error(`No flow ${flowKey}`);
  return { flowId: row.flow_id, name: row.name, versions: row.versions };
}
