/**
 * Items as lists load them (D90): what a flow has gathered is cut where it is stored, so that a page of the largest items costs a process
 * little. They are not managed: nothing that is left out is ever written.
 */
import { type FilterQuery, type FindOptions, raw } from '@mikro-orm/core';
import type { FlowState } from '../../domain/flows/run/state.ts';
import type { ClaimSummary } from '../../domain/claims/rules.ts';
import { dateOf } from '../../domain/kernel/time.ts';
import { loadFlows } from '../flows/loaded.ts';
import { type Fragment, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { type OrderItem, OrderItemEntity } from './entities.ts';
import { setState } from './flows/states.ts';

export interface ListedItem {
  readonly item: OrderItem;
  /** Its flow has gathered more than a list loads: its messages cannot be told here. */
  readonly isCut: boolean;
  readonly isMemoCut: boolean;
}
/** The most bytes of a flow's state that a list loads whole, and of its data blocks. */
const STATE_BYTES = 8192;
/** The most characters of a seller's memo that a list loads. */
const MEMO_LENGTH = 1000;
/** How many claims of an item a list shows: the newest. */
const CLAIMS = 5;

const LISTED = { exclude: ['storedState', 'sellerMemo', 'claims', 'tracking', 'trackingReading'], disableIdentityMap: true } as const;
type Options = Pick<FindOptions<OrderItem>, 'orderBy' | 'limit' | 'offset'>;

/** In two statements, and one for flows that are not kept. */
export async function findListed(tx: Tx, where: FilterQuery<OrderItem>, options: Options): Promise<ListedItem[]> {
  const items = (await tx.em.find(OrderItemEntity, where, { ...options, ...LISTED })) as OrderItem[];
  return withStates(tx, items, await readStates<StateRow>(tx, items));
}

/** What a list tells of an item's order. */
export interface OrderFacts {
  /** How many items it has. */
  readonly itemCount: number;
  readonly approvedAt: Date | null;
}
interface OfOrder {
  readonly item_count: number;
  readonly completed_at: string | null;
}
/** The first items of these orders, of each as many as of any other or all that it has, `max` in all; in as many statements. */
export async function findFirst(
  tx: Tx,
  orderIds: readonly string[],
  max: number,
): Promise<{ readonly items: readonly ListedItem[]; readonly facts: ReadonlyMap<string, OrderFacts> }> {
  const { em, storeId } = tx;
  // o0: MikroORM's alias of the listed table.
  const isFirst = raw(
    `o0.order_item_id in (select i.order_item_id from order_item i where i.store_id = ?
       and i.order_id in (select jsonb_array_elements_text(?::jsonb))
       order by row_number() over (partition by i.order_id order by i.position), i.order_id limit ?)`,
    [storeId, JSON.stringify(orderIds), max],
  );
  const where = { storeId, orderId: { $in: [...orderIds] }, [isFirst]: true };
  const items = (await em.find(OrderItemEntity, where, { orderBy: { position: 'asc' }, ...LISTED })) as OrderItem[];
  const ofOrder = fragment`, p.completed_at,
      (SELECT count(*)::int FROM order_item n WHERE n.store_id = i.store_id AND n.order_id = i.order_id) AS item_count`;
  const payment = fragment`JOIN orders o ON o.store_id = i.store_id AND o.order_id = i.order_id
      LEFT JOIN payment p ON p.store_id = o.store_id AND p.payment_id = o.payment_id`;
  const rows = await readStates<StateRow & OfOrder>(tx, items, ofOrder, payment);
  const facts = items.map(({ orderId, orderItemId }): [string, OrderFacts] => {
    const { item_count: itemCount, completed_at: completedAt } = rows.get(orderItemId)!;
    return [orderId, { itemCount, approvedAt: dateOf(completedAt) }];
  });
  return { items: await withStates(tx, items, rows), facts: new Map(facts) };
}

async function withStates(tx: Tx, items: readonly OrderItem[], states: ReadonlyMap<string, StateRow>): Promise<ListedItem[]> {
  const listed = items.map((item) => {
    const { state, shared, claims, memo, is_cut: isCut, is_memo_cut: isMemoCut } = states.get(item.orderItemId)!;
    const read = Object.assign(item, { storedState: state, claims, sellerMemo: memo });
    setState(read, shared);
    return { item: read, isCut, isMemoCut };
  });
  await loadFlows(tx, items);
  return listed;
}

const NOTHING = fragment``;
interface StateRow {
  readonly order_item_id: string;
  readonly state: FlowState;
  /** Of the group that it moves with. */
  readonly shared: FlowState | null;
  readonly claims: readonly ClaimSummary[];
  readonly memo: string | null;
  readonly is_memo_cut: boolean;
  readonly is_cut: boolean;
}
const isLarge = (state: Fragment): Fragment => fragment`coalesce(octet_length(${state}::text), 0) > ${STATE_BYTES}`;
/** Without inputs and attachments where a state is larger than a list loads, and then without data blocks that alone are. */
const cutState = (state: Fragment): Fragment => fragment`CASE WHEN ${isLarge(state)} THEN jsonb_set(
        ${state} - 'inputs' - 'earlierAttachments' - CASE WHEN ${isLarge(fragment`(${state} -> 'data')`)} THEN 'data' ELSE '' END,
        '{positions}', (SELECT coalesce(jsonb_agg(position - 'attachments' ORDER BY n), '[]')
           FROM jsonb_array_elements(${state} -> 'positions') WITH ORDINALITY AS given (position, n)))
      ELSE ${state} END`;
const [OWN, SHARED] = [fragment`i.flow_state`, fragment`g.flow_state`];
async function readStates<R extends StateRow>(
  { sql, storeId }: Tx,
  items: readonly OrderItem[],
  columns = NOTHING,
  tables = NOTHING,
): Promise<ReadonlyMap<string, R>> {
  if (items.length === 0) return new Map();
  const rows = await sql<R>`
    SELECT i.order_item_id, ${isLarge(OWN)} OR ${isLarge(SHARED)} AS is_cut, ${cutState(OWN)} AS state, ${cutState(SHARED)} AS shared,
      shortened_value(to_jsonb(i.seller_memo), ${MEMO_LENGTH}) AS memo,
      coalesce(length(i.seller_memo) > ${MEMO_LENGTH}, false) AS is_memo_cut,
      jsonb_path_query_array(i.claims, ${`$[last - ${CLAIMS - 1} to last]`}::jsonpath) AS claims ${columns}
    FROM order_item i LEFT JOIN flow_group g ON g.store_id = i.store_id AND g.group_id = i.group_id ${tables}
    WHERE i.store_id = ${storeId} AND i.order_item_id = ANY (${items.map(({ orderItemId }) => orderItemId)}::text[])`;
  return new Map(rows.map((row) => [row.order_item_id, row]));
}
