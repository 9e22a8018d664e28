/**
 * Where items stand in their flows. An item that moves by itself has its state in its row. What the members of a group share is in the
 * group's row once; theirs tell where they stand, and no input, data block or attachment.
 */
import type { Flow } from '../../../domain/flows/run/flow.ts';
import type { FlowState } from '../../../domain/flows/run/state.ts';
import { flowOf, loadFlows } from '../../flows/loaded.ts';
import type { Tx } from '../../kernel/tx.ts';
import type { OrderItem } from '../entities.ts';

/** The states of loaded rows that are read from elsewhere: of members those of their groups. */
const states = new WeakMap<OrderItem, FlowState>();
/** `state`: the group's, or that of a row that was read without its own. Null: forget it. */
export function setState(item: OrderItem, state: FlowState | null): void {
  if (state) states.set(item, state);
  else states.delete(item);
}

/**
 * The flow's state at an item for which `loadStates` was called, or which moves by itself. One that has left its group stays where it left.
 */
export function flowStateOf(item: OrderItem): FlowState {
  const { orderItemId, groupId, storedState: own } = item;
  const state = states.get(item);
  if (!groupId) return state ?? own;
  if (!state) throw new Error(`The group of ${orderItemId} was not loaded`);
  const hasLeft = !state.members.some(({ id }) => id === orderItemId);
  return hasLeft ? { ...valuesOf(state), ...own } : state;
}

/** What its row keeps of the state after a step. */
export function storedOf({ orderItemId, groupId }: Pick<OrderItem, 'orderItemId' | 'groupId'>, state: FlowState): FlowState {
  if (!groupId) return state;
  const { v, seq, status, done } = state;
  const isOwn = ({ id, member }: { readonly id: string; readonly member?: string }) => (member ?? id) === orderItemId;
  const members = state.members.filter(isOwn);
  const hasLeft = members.length === 0;
  // A member that has left its group keeps what it left; nothing moves it any more.
  const present = hasLeft ? state.positions.filter(({ parent }) => parent === undefined) : state.positions;
  const positions = present.map((position) => {
    const { attachments: _, ...bare } = position;
    return hasLeft ? { ...bare, due: [] } : bare;
  });
  const ending = hasLeft ? (done ?? 'CANCELED') : done;
  return { v, seq, status, members, claims: state.claims.filter(isOwn), positions, ...(ending && { done: ending }) };
}

/** What was sent to a flow, and how often. */
const valuesOf = ({ inputs, buyerKeys, data, earlierAttachments }: FlowState): Partial<FlowState> => ({
  ...(inputs && { inputs }),
  ...(buyerKeys && { buyerKeys }),
  ...(data && { data }),
  ...(earlierAttachments && { earlierAttachments }),
});

/** Reads the flows of these items, and the states that they share: one of each group. */
export async function loadStates(tx: Tx, items: readonly OrderItem[]): Promise<void> {
  await loadFlows(tx, items);
  const groupIds = [...new Set(items.flatMap(({ groupId }) => groupId ?? []))];
  if (groupIds.length === 0) return;
  const { sql, storeId } = tx;
  const rows = await sql<{ id: string; state: FlowState }>`
    SELECT group_id AS id, flow_state AS state FROM flow_group WHERE store_id = ${storeId} AND group_id = ANY(${groupIds}::text[])`;
  const found = new Map(rows.map(({ id, state }) => [id, state]));
  for (const item of items) setState(item, (item.groupId && found.get(item.groupId)) || null);
}

/** An item as the rules take it. */
export const ruled = (item: OrderItem): OrderItem & { readonly flow: Flow; readonly flowState: FlowState } => ({
  ...item,
  flow: flowOf(item),
  flowState: flowStateOf(item),
});

/** A state that has more than so many bytes as JSON is read by itself. */
const SMALL_BYTES = 16 * 1024;
interface Read {
  readonly id: string;
  /** Null: it is large. */
  readonly state: FlowState | null;
}
/**
 * Views of items that were read without their states, in their order. Large states are read one at a time, so that a list of the largest
 * takes no more memory than one of them, and what is shown.
 */
export async function viewEach<V>(tx: Tx, items: readonly OrderItem[], view: (item: OrderItem) => V | Promise<V>): Promise<readonly V[]> {
  await loadFlows(tx, items);
  const byOwner = Map.groupBy(items, ({ groupId, orderItemId }) => groupId ?? orderItemId);
  const found = await readStates(tx, [...new Set([...byOwner.keys(), ...items.map(({ orderItemId }) => orderItemId)])]);
  const whole = async (id: string): Promise<FlowState> => found.get(id) ?? (await readState(tx, id));
  const views = new Map<OrderItem, V>();
  for (const [ownerId, owned] of byOwner) {
    const state = await whole(ownerId);
    for (const item of owned) {
      const stored = item.groupId ? await whole(item.orderItemId) : state;
      setState(item, state);
      views.set(item, await view(Object.assign(item, { storedState: stored })));
      setState(item, null);
      Object.assign(item, { storedState: undefined });
    }
  }
  return items.map((item) => views.get(item)!);
}
/** Those that are small; null for the others. */
async function readStates({ sql, storeId }: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, FlowState | null>> {
  const rows = await sql<Read>`
    SELECT o.id, CASE WHEN octet_length(o.flow_state::text) <= ${SMALL_BYTES} THEN o.flow_state END AS state FROM (
      SELECT order_item_id AS id, flow_state FROM order_item WHERE store_id = ${storeId} AND order_item_id = ANY(${[...ids]}::text[])
      UNION ALL SELECT group_id, flow_state FROM flow_group WHERE store_id = ${storeId} AND group_id = ANY(${[...ids]}::text[])) o`;
  return new Map(rows.map(({ id, state }) => [id, state]));
}
async function readState({ sql, storeId }: Tx, id: string): Promise<FlowState> {
  const [row] = await sql<{ state: FlowState }>`
    SELECT flow_state AS state FROM order_item WHERE store_id = ${storeId} AND order_item_id = ${id}
     UNION ALL SELECT flow_state FROM flow_group WHERE store_id = ${storeId} AND group_id = ${id}`;
  return row!.state;
}
