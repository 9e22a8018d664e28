/** What happened to an item, for a replay in another graph: plain data, its records and flows as JSON, which nobody has parsed. */
import type { Truncation } from '../../../domain/flows/rehearse/clockwork.ts';
import type { Facts, Member } from '../../../domain/flows/run/state.ts';
import { OPTIONAL_PLATFORM_FIELDS } from '../../../domain/orders/platform.ts';
import { itemFacts } from '../../flows/facts.ts';
import { readHolidays } from '../../flows/holidays.ts';
import type { FlowRef } from '../../flows/loaded.ts';
import { bundleText } from '../../flows/rehearsed.ts';
import type { Tx } from '../../kernel/tx.ts';
import { readStore } from '../../stores/queries.ts';
import { OrderEntity, type OrderItem, OrderItemEntity } from '../entities.ts';
import { readItem } from '../queries.ts';

export interface StoredRecord {
  readonly runId: string | null;
  readonly at: number;
  /** JSON. */
  readonly event: string;
  readonly trace: string;
  /** Its number among `bundles`. */
  readonly flow: number;
}
export interface RecordedItem {
  readonly orderItemId: string;
  /** Oldest first. */
  readonly records: readonly StoredRecord[];
  /** Why there are no more of them; null: these are all. */
  readonly cut: Truncation | null;
  /** JSON, of the flows in which it ran. */
  readonly bundles: readonly string[];
  readonly members: readonly Member[];
  readonly facts: Facts;
}

/** So many records are read, of so many bytes, in so many versions. */
const MAX_RECORDS = 2000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FLOWS = 10;

/** ORDER_ITEM_NOT_FOUND. */
export async function readRecordedItem(tx: Tx, itemId: string): Promise<RecordedItem> {
  const item = await readItem(tx, itemId);
  const rows = await readRecords(tx, item);
  const refs = new Map(rows.map((row) => [nameOf(row), row]));
  const names = [...refs.keys()].slice(0, MAX_FLOWS);
  const beyond = rows.findIndex((row) => !names.includes(nameOf(row)));
  const fed = beyond < 0 ? rows.slice(0, MAX_RECORDS) : rows.slice(0, Math.min(beyond, MAX_RECORDS));
  const bundles = await inOrder(names, (name) => bundleText(tx, refs.get(name)!));
  const items = await membersOf(tx, item);
  return {
    orderItemId: item.orderItemId,
    records: fed.map(({ runId, at, event, trace, ...ref }) => ({ runId, at: Number(at), event, trace, flow: names.indexOf(nameOf(ref)) })),
    cut: cutAfter(fed.length, rows[0]?.there ?? 0),
    bundles,
    members: items.map(({ orderItemId: id, quantity: activeQuantity }) => ({ id, activeQuantity })),
    facts: await factsOf(tx, item, items),
  };
}
function cutAfter(read: number, all: number): Truncation | null {
  if (read === all) return null;
  return read === MAX_RECORDS ? 'HAPPENINGS' : 'SIZE';
}
const nameOf = ({ flowKey, flowVersion }: FlowRef): string => `${flowKey}@${flowVersion}`;
async function inOrder<T>(names: readonly string[], read: (name: string) => Promise<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for (const name of names) all.push(await read(name));
  return all;
}

interface Row extends FlowRef, Omit<StoredRecord, 'at' | 'flow'> {
  /** Milliseconds; `bigint` comes as text. */
  readonly at: string | number;
  /** How many there are, up to one more than are read. */
  readonly there: number;
}
/** Oldest first, each with the flow of its time, and with what was sent, which a group's record has once. */
const readRecords = ({ sql, storeId }: Tx, { orderItemId, flowKey, flowVersion }: OrderItem): Promise<Row[]> =>
  sql<Row>`SELECT "runId", "flowKey", "flowVersion", at, event, trace, there FROM (
      SELECT *, sum(octet_length(event) + octet_length(trace)) OVER (ORDER BY seq) AS bytes, count(*) OVER ()::integer AS there FROM (
        SELECT s.seq, s.run_id AS "runId", (extract(epoch FROM s.at) * 1000)::bigint AS at, coalesce(w.event, s.event)::text AS event,
            s.trace::text AS trace, coalesce(s.flow_key, ${flowKey}) AS "flowKey", coalesce(s.flow_version, ${flowVersion}) AS "flowVersion"
          FROM flow_step s
          LEFT JOIN flow_step w ON w.store_id = s.store_id AND w.order_item_id = s.event ->> 'valuesOf' AND w.run_id = s.run_id
          WHERE s.store_id = ${storeId} AND s.order_item_id = ${orderItemId} ORDER BY s.seq LIMIT ${MAX_RECORDS + 1}
      ) AS known
    ) AS counted WHERE bytes <= ${MAX_BYTES} ORDER BY seq`;

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
