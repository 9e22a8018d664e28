/** What a host has kept of an item: the records of its flow, where the flow stands, its claims. */
import type { Tx } from '../../../../db/kernel/tx.ts';
import type { Effect, FlowState, Trace } from '../../../../domain/flows/run/state.ts';
import type { PublicStatus } from '../../../../domain/flows/graph/status.ts';

export interface RanRecord {
  readonly event: { readonly type: string; readonly claimId?: string; readonly call?: string };
  readonly at: number;
  readonly trace: readonly Trace[];
  readonly effects: readonly Effect[];
  /** Of the item, afterwards. */
  readonly status: PublicStatus;
}
export interface RanClaim {
  readonly fee: number;
  /** It was approved as it was filed. */
  readonly isAtOnce: boolean;
}
export interface Ran {
  readonly records: readonly RanRecord[];
  /** Of its group, where it has one. */
  readonly state: FlowState;
  /** No run has anything left to do for it. */
  readonly isOver: boolean;
  readonly claims: ReadonlyMap<string, RanClaim>;
}

/** Where flows stand, by item; those of groups are their groups'. */
export async function readStates({ sql, storeId }: Tx, itemIds: readonly string[]): Promise<ReadonlyMap<string, FlowState>> {
  const rows = await sql<{ id: string; state: FlowState }>`
    SELECT i.order_item_id AS id, coalesce(g.flow_state, i.flow_state) AS state
      FROM order_item i LEFT JOIN flow_group g USING (store_id, group_id)
     WHERE i.store_id = ${storeId} AND i.order_item_id = ANY(${itemIds}::text[])`;
  return new Map(rows.map(({ id, state }) => [id, state]));
}

export async function readRan(tx: Tx, itemIds: readonly string[]): Promise<ReadonlyMap<string, Ran>> {
  const { sql, storeId } = tx;
  const states = await readStates(tx, itemIds);
  const records = await sql<Omit<RanRecord, 'at'> & { readonly id: string; readonly at: Date | string }>`
    SELECT order_item_id AS id, event, at, trace, effects, status FROM flow_step
     WHERE store_id = ${storeId} AND order_item_id = ANY(${itemIds}::text[]) ORDER BY seq`;
  const claims = await sql<{ id: string; claim_id: string; fee: number; is_at_once: boolean }>`
    SELECT order_item_id AS id, claim_id, flow_fee_won::float8 AS fee, EXISTS (
             SELECT 1 FROM claim_step s WHERE s.store_id = c.store_id AND s.claim_id = c.claim_id AND name = 'approve' AND by = 'SYSTEM'
           ) AS is_at_once
      FROM claim c WHERE store_id = ${storeId} AND order_item_id = ANY(${itemIds}::text[])`;
  const open = await sql<{ id: string }>`
    SELECT i.order_item_id AS id FROM order_item i JOIN run r ON r.store_id = i.store_id AND r.entity_id IN (i.order_item_id, i.group_id)
     WHERE i.store_id = ${storeId} AND i.order_item_id = ANY(${itemIds}::text[]) AND r.done_at IS NULL`;
  const unfinished = new Set(open.map(({ id }) => id));
  const recordsOf = Map.groupBy(records, ({ id }) => id);
  const claimsOf = Map.groupBy(claims, ({ id }) => id);
  return new Map(
    itemIds.map((id) => [
      id,
      {
        state: states.get(id)!,
        isOver: !unfinished.has(id),
        records: recordsOf.get(id)!.map(({ at, ...record }) => ({ ...record, at: new Date(at).getTime() })),
        claims: new Map((claimsOf.get(id) ?? []).map(({ claim_id: claimId, fee, is_at_once: isAtOnce }) => [claimId, { fee, isAtOnce }])),
      },
    ]),
  );
}

/** How long the flow waited for external services until each of its records; a simulation answers at once. */
export function waitedBy({ records }: Ran): readonly number[] {
  // A call's id begins with the number of the step that made it.
  const begunAt = (call: string): number => records[Number.parseInt(call) - 1]!.at;
  let waited = 0;
  return records.map(({ event, at }) => (event.type === 'result' ? (waited += at - begunAt(event.call!)) : waited));
}
