/**
 * On what the steps of an item's flow depend beside what is sent: where each item stands, in which version of which flow, and what
 * was put in by buyers, sellers and services, which guards and requests read. That may be personal data, so there is only a digest of it.
 */
import type { Tx } from '../../db/kernel/tx.ts';

interface Standing {
  readonly orderItemId: string;
  readonly flowState: { readonly key: string };
}
interface Flow {
  readonly id: string;
  readonly flow: string;
  readonly contents: string;
}
const flowsOf = ({ sql, storeId }: Tx, ids: readonly string[]): Promise<Flow[]> =>
  sql<Flow>`SELECT i.order_item_id AS id, i.flow_key || '@' || i.flow_version AS flow,
      encode(sha256(convert_to(jsonb_build_array(s.state -> 'inputs', s.state -> 'data', s.state -> 'earlierAttachments',
        jsonb_path_query_array(s.state, '$.positions[*].node'), jsonb_path_query_array(s.state, '$.positions[*].attachments'),
        jsonb_path_query_array(i.flow_state, '$.positions[*].node'))::text, 'UTF8')), 'hex') AS contents
    FROM order_item i LEFT JOIN flow_group g ON g.store_id = i.store_id AND g.group_id = i.group_id
      CROSS JOIN LATERAL (SELECT coalesce(g.flow_state, i.flow_state) AS state) s
    WHERE i.store_id = ${storeId} AND i.order_item_id = ANY (${ids}::text[])`;

/** Of an item as it is shown. */
export async function itemContext(before: object, { tx }: { readonly tx: Tx }) {
  const { orderItemId, flowState } = before as Standing;
  const [found] = await flowsOf(tx, [orderItemId]);
  return { flow: found?.flow, state: flowState.key, contents: found?.contents };
}
/** Of an order as it is shown: of each of its items. */
export async function orderContext(before: object, { tx }: { readonly tx: Tx }) {
  const { items } = before as { readonly items: readonly Standing[] };
  const ids = items.map(({ orderItemId }) => orderItemId);
  const flows = new Map((await flowsOf(tx, ids)).map(({ id, ...found }) => [id, found]));
  return { items: items.map(({ orderItemId, flowState }) => ({ orderItemId, state: flowState.key, ...flows.get(orderItemId) })) };
}
