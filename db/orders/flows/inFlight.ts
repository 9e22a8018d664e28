/** The items that a version of a flow has in flight, and which of them can leave it now (F10). */
import { sharedStates } from '../../../domain/flows/run/move.ts';
import type { Flow } from '../../../domain/flows/run/flow.ts';
import { WAITING_STATUSES } from '../../../domain/flows/graph/graph.ts';
import { type Fragment, fragment } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/tx.ts';
import { type Order, OrderEntity, type OrderItem, OrderItemEntity } from '../entities.ts';
import { type FlowGroup, FlowGroupEntity } from '../../flows/entities.ts';

export interface InFlight {
  readonly flowKey: string;
  readonly version: number;
  /** The flow that they would go to. */
  readonly to: Flow;
}
/** What moves as a whole: an item, or the unfinished items of a group. */
export interface Unit {
  readonly items: readonly OrderItem[];
  readonly group: FlowGroup | null;
  readonly order: Order;
}

/** Unfinished items `i` of the version. */
const ofVersion = ({ storeId }: Tx, { flowKey, version }: InFlight): Fragment =>
  fragment`i.store_id = ${storeId} AND i.flow_key = ${flowKey} AND i.flow_version = ${version}
    AND i.status = ANY (${[...WAITING_STATUSES]}::text[])`;
/** `migrationRefusal` of a state, as SQL. */
const isMovable = ({ to }: InFlight, state: Fragment): Fragment =>
  fragment`jsonb_array_length(${state} -> 'claims') = 0 AND jsonb_array_length(${state} -> 'positions') = 1
    AND ${state} #> '{positions,0,call}' IS NULL AND ${state} #>> '{positions,0,node}' = ANY (${[...sharedStates(to)]}::text[])`;

/** How many can leave, and how many cannot. */
export async function countInFlight(tx: Tx, wanted: InFlight): Promise<{ readonly movable: number; readonly stuck: number }> {
  const state = fragment`coalesce(g.flow_state, i.flow_state)`;
  const [counted] = await tx.sql<{ movable: number; total: number }>`
    SELECT count(*)::integer AS total, count(*) FILTER (WHERE ${isMovable(wanted, state)})::integer AS movable FROM order_item i
      LEFT JOIN flow_group g ON g.store_id = i.store_id AND g.group_id = i.group_id WHERE ${ofVersion(tx, wanted)}`;
  const { movable, total } = counted!;
  return { movable, stuck: total - movable };
}

/**
 * Locks what can leave, `limit` items or one group more. Passed over is what somebody works on, so that nobody waits; a transition locks
 * group, items and order, too.
 */
export const lockPortion = (tx: Tx, wanted: InFlight, limit: number): Promise<readonly Unit[]> =>
  wanted.to.progression === 'ITEM' ? lockItems(tx, wanted, limit) : lockGroups(tx, wanted, limit);

async function lockItems(tx: Tx, wanted: InFlight, limit: number): Promise<readonly Unit[]> {
  const found = await tx.sql<Found>`
    SELECT i.order_item_id, i.order_id FROM order_item i JOIN orders o ON o.store_id = i.store_id AND o.order_id = i.order_id
     WHERE ${ofVersion(tx, wanted)} AND ${isMovable(wanted, fragment`i.flow_state`)} ORDER BY i.order_id, i.order_item_id LIMIT ${limit}
     FOR NO KEY UPDATE OF i, o SKIP LOCKED`;
  const items = await itemsOf(tx, await withinBytes(tx, found));
  const orders = await ordersOf(tx, found);
  return items.map((item) => ({ items: [item], group: null, order: orders.get(item.orderId)! }));
}

async function lockGroups(tx: Tx, wanted: InFlight, limit: number): Promise<readonly Unit[]> {
  const { sql, em, storeId } = tx;
  const free = await sql<{ group_id: string; order_id: string }>`
    SELECT g.group_id, g.order_id FROM flow_group g JOIN orders o ON o.store_id = g.store_id AND o.order_id = g.order_id
     WHERE g.store_id = ${storeId} AND ${isMovable(wanted, fragment`g.flow_state`)}
       AND g.group_id IN (SELECT i.group_id FROM order_item i WHERE ${ofVersion(tx, wanted)})
     ORDER BY g.order_id LIMIT ${limit} FOR NO KEY UPDATE OF g, o SKIP LOCKED`;
  const ids = free.map(({ group_id: id }) => id);
  const found = await sql<Found & { group_id: string; is_whole: boolean }>`
    WITH locked AS (SELECT i.order_item_id, i.order_id, i.group_id FROM order_item i
      WHERE ${ofVersion(tx, wanted)} AND i.group_id = ANY (${ids}::text[]) FOR NO KEY UPDATE SKIP LOCKED)
    SELECT l.*, count(*) OVER (PARTITION BY l.group_id) = (SELECT count(*) FROM order_item i
      WHERE ${ofVersion(tx, wanted)} AND i.group_id = l.group_id) AS is_whole FROM locked l ORDER BY l.order_id, l.order_item_id`;
  const whole = portionOf(
    Map.groupBy(
      found.filter(({ is_whole: isWhole }) => isWhole),
      ({ group_id: id }) => id,
    ),
    limit,
  );
  const items = Map.groupBy(await itemsOf(tx, whole), ({ groupId }) => groupId!);
  const orders = await ordersOf(tx, whole);
  const groups = await em.find(FlowGroupEntity, { storeId, groupId: [...items.keys()] });
  return groups.map((group) => ({ items: items.get(group.groupId)!, group, order: orders.get(group.orderId)! }));
}

/** What the states of a portion may have together, as JSON: as many of its items as that takes, one at least. */
const PORTION_BYTES = 16 * 1024 * 1024;
async function withinBytes({ sql, storeId }: Tx, found: readonly Found[]): Promise<readonly Found[]> {
  const rows = await sql<{ id: string; bytes: number }>`
    SELECT order_item_id AS id, octet_length(flow_state::text) AS bytes FROM order_item
     WHERE store_id = ${storeId} AND order_item_id = ANY(${found.map(({ order_item_id: id }) => id)}::text[])`;
  const bytesOf = new Map(rows.map(({ id, bytes }) => [id, bytes]));
  let sum = 0;
  return found.filter(({ order_item_id: id }, i) => (sum += bytesOf.get(id) ?? 0) <= PORTION_BYTES || i === 0);
}

interface Found {
  readonly order_item_id: string;
  readonly order_id: string;
}
/** The items of whole groups until the limit is reached. */
function portionOf<T>(groups: ReadonlyMap<string, readonly T[]>, limit: number): readonly T[] {
  const taken: T[] = [];
  for (const items of groups.values()) if (taken.length < limit) taken.push(...items);
  return taken;
}
const itemsOf = ({ em, storeId }: Tx, found: readonly Found[]): Promise<OrderItem[]> =>
  em.find(
    OrderItemEntity,
    { storeId, orderItemId: found.map(({ order_item_id: id }) => id) },
    { orderBy: { orderId: 'asc', position: 'asc' } },
  );
async function ordersOf({ em, storeId }: Tx, found: readonly Found[]): Promise<ReadonlyMap<string, Order>> {
  const orders = await em.find(OrderEntity, { storeId, orderId: [...new Set(found.map(({ order_id: id }) => id))] });
  return new Map(orders.map((order) => [order.orderId, order]));
}
