/** On what the steps of an item's flow depend beside what is sent (G51): where each item stands, and in which version of which flow. */
import type { Tx } from '../../db/kernel/tx.ts';

interface Standing {
  readonly orderItemId: string;
  readonly flowState: { readonly key: string };
}
interface Flow {
  readonly id: string;
  readonly flow: string;
}
const flowsOf = ({ sql, storeId }: Tx, ids: readonly string[]): Promise<Flow[]> =>
  sql<Flow>`SELECT order_item_id AS id, flow_key || '@' || flow_version AS flow FROM order_item
    WHERE store_id = ${storeId} AND order_item_id = ANY (${ids}::text[])`;

/** Of an item as it is shown. */
export async function itemContext(before: object, { tx }: { readonly tx: Tx }) {
  const { orderItemId, flowState } = before as Standing;
  const [found] = await flowsOf(tx, [orderItemId]);
  return { flow: found?.flow, state: flowState.key };
}
/** Of an order as it is shown: of each of its items. */
export async function orderContext(before: object, { tx }: { readonly tx: Tx }) {
  const { items } = before as { readonly items: readonly Standing[] };
  const flows = new Map(
    (
      await flowsOf(
        tx,
        items.map(({ orderItemId }) => orderItemId),
      )
    ).map(({ id, flow }) => [id, flow]),
  );
  return { items: items.map(({ orderItemId, flowState }) => ({ orderItemId, flow: flows.get(orderItemId), state: flowState.key })) };
}
