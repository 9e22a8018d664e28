/** What happened to an item, for a replay in another graph (F14). */
import type { Flow } from '../../domain/flows/flow.ts';
import { type Divergence, type FlowRecord, replay } from '../../domain/flows/replay.ts';
import type { Facts } from '../../domain/flows/state.ts';
import { OPTIONAL_PLATFORM_FIELDS } from '../../domain/orders/platform.ts';
import type { Tx } from '../kernel/tx.ts';
import { OrderEntity, type OrderItem, OrderItemEntity } from './entities.ts';
import { readItem } from './queries.ts';
import { readStore } from '../stores/queries.ts';
import { itemFacts } from '../flows/facts.ts';
import { readHolidays } from '../flows/holidays.ts';
import { flowOf, type FlowRef, loadFlows } from '../flows/loaded.ts';

interface Row extends FlowRef, Omit<FlowRecord, 'at' | 'flow' | 'event'> {
  readonly at: Date | string;
  readonly event: RecordedEvent;
}
export interface RecordedEvent {
  readonly type: string;
  readonly settings?: Facts['settings'];
  readonly [field: string]: unknown;
}
export interface ReplayedItem {
  readonly orderItemId: string;
  readonly records: number;
  readonly diverged: (Divergence & { readonly runId: string | null; readonly event: RecordedEvent }) | null;
}

/** Feeds the item's records to a flow. ORDER_ITEM_NOT_FOUND. */
export async function replayItem(tx: Tx, flow: Flow, itemId: string): Promise<ReplayedItem> {
  const item = await readItem(tx, itemId);
  const { orderItemId } = item;
  const rows = await readRecords(tx, item);
  await loadFlows(tx, rows);
  const records = rows.map((row) => ({ ...row, at: new Date(row.at).getTime(), flow: flowOf(row) }));
  const items = await membersOf(tx, item);
  const members = items.map(({ orderItemId: id, quantity: activeQuantity }) => ({ id, activeQuantity }));
  const divergence = replay(flow, { records, members, facts: await factsOf(tx, item, items) });
  if (!divergence) return { orderItemId, records: rows.length, diverged: null };
  const { runId, event } = rows[divergence.record - 1]!;
  return { orderItemId, records: rows.length, diverged: { ...divergence, runId, event } };
}

/** Oldest first, each with the flow of its time, and with what was sent, which a group's record has once. */
const readRecords = ({ sql, storeId }: Tx, { orderItemId, flowKey, flowVersion }: OrderItem): Promise<Row[]> =>
  sql<Row>`SELECT s.run_id AS "runId", coalesce(w.event, s.event) AS event, s.at, s.trace, coalesce(s.flow_key, ${flowKey}) AS "flowKey",
      coalesce(s.flow_version, ${flowVersion}) AS "flowVersion"
    FROM flow_step s LEFT JOIN flow_step w ON w.store_id = s.store_id AND w.order_item_id = s.event ->> 'valuesOf' AND w.run_id = s.run_id
   WHERE s.store_id = ${storeId} AND s.order_item_id = ${orderItemId} ORDER BY s.seq`;

/** All that began together. */
async function membersOf({ em, storeId }: Tx, item: OrderItem): Promise<readonly OrderItem[]> {
  const { groupId } = item;
  return groupId ? em.find(OrderItemEntity, { storeId, groupId }, { orderBy: { position: 'asc' } }) : [item];
}

/** An item of a default flow is judged as it would be in a flow with expressions. */
async function factsOf(tx: Tx, { storeId, orderId }: OrderItem, items: readonly OrderItem[]): Promise<Facts> {
  const { orderedAt, totalWon: totalAmount } = await tx.em.findOneOrFail(OrderEntity, { storeId, orderId });
  const { autoDeliverDays, autoConfirmDays } = await readStore(tx);
  return {
    settings: { autoDeliverDays, autoConfirmDays },
    holidays: await readHolidays(tx),
    order: { paidAt: orderedAt.getTime(), totalAmount },
    items: Object.fromEntries(items.map((item) => [item.orderItemId, itemFacts(item)])),
    platformFields: OPTIONAL_PLATFORM_FIELDS,
  };
}
