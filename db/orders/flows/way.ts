/** The way that an item took through the main graph of its flow, as its records tell. */
import type { Tx } from '../../kernel/tx.ts';
import type { OrderItem } from '../entities.ts';
import { flowStateOf } from './states.ts';

export interface Way {
  readonly edges: ReadonlySet<string>;
  readonly passed: ReadonlySet<string>;
  /** Where it is: in parallel branches, several. */
  readonly present: ReadonlySet<string>;
}

/** Edges and nodes of subflows are among them under their own ids. */
export async function readWay({ sql, storeId }: Tx, item: OrderItem): Promise<Way> {
  const { orderItemId } = item;
  const flowState = flowStateOf(item);
  const rows = await sql<{ kind: 'edges' | 'from' | 'to'; id: string }>`
    SELECT DISTINCT k.kind, e.id FROM flow_step s, jsonb_array_elements(s.trace) AS t (step),
           unnest(ARRAY['edges', 'from', 'to']) AS k (kind), jsonb_array_elements_text(t.step -> k.kind) AS e (id)
     WHERE s.store_id = ${storeId} AND s.order_item_id = ${orderItemId}`;
  const idsOf = (isEdge: boolean) => new Set(rows.filter(({ kind }) => (kind === 'edges') === isEdge).map(({ id }) => id));
  const stands = flowState.members.find(({ id }) => id === orderItemId)?.standsAt;
  const main = flowState.positions.filter(({ flow }) => flow === undefined).map(({ node }) => node);
  return { edges: idsOf(true), passed: idsOf(false), present: new Set(stands ? [stands.node] : main) };
}
