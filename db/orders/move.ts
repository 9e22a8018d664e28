/** The order item's transition: one function for commands, deadlines and looks (architecture.md § The two kinds of truth). */
import { LockMode } from '@mikro-orm/core';
import type { Command, RunEvent, RunRef } from '../../workflows/kernel/obligations.ts';
import { korean } from '../../workflows/kernel/time.ts';
import { graphOf } from '../../workflows/flows/presets/index.ts';
import { nearest, nodeOf, step } from '../../workflows/flows/rules.ts';
import type { Effect, FlowEvent, FlowState } from '../../workflows/flows/state.ts';
import { type DeliveryMethod, refused } from '../../workflows/orders/rules.ts';
import { progressStatus } from '../../workflows/orders/status.ts';
import type { EventType } from '../../workflows/webhooks/rules.ts';
import { type Em, sql } from '../orm.ts';
import type { Moved } from '../runs/store.ts';
import { readStore } from '../stores/store.ts';
import type { Store } from '../stores/entities.ts';
import { emit, type NewEvent } from '../webhooks/events.ts';
import { FlowStepEntity, type Order, OrderEntity, type OrderItem, OrderItemEntity } from './entities.ts';
import { viewItem } from './views.ts';

/** The events that follow a public status, whichever way it was reached. */
const STATUS_EVENT: Readonly<Partial<Record<string, EventType>>> = {
  CONFIRMED: 'ORDER.CONFIRMED',
  DISPATCHED: 'ORDER.DISPATCHED',
  DELIVERED: 'ORDER.DELIVERED',
  PURCHASE_DECIDED: 'ORDER.PURCHASE_DECIDED',
};

/** Locks the item, steps its flow, writes item, order, trace and events. Refusals are INVALID_STATUS. */
export async function moveOrderItem(em: Em, run: RunRef, event: RunEvent, at: number, realNow: number): Promise<Moved | null> {
  const { storeId, runId: orderItemId } = run;
  const item = await em.findOne(OrderItemEntity, { storeId, orderItemId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!item) return null;
  const store = await readStore(em, storeId);
  const wished = event.type === 'command' ? event.command : null;
  const flowEvent = eventOf(event);
  if (flowEvent) await advance({ em, item, store, realNow }, flowEvent, wished, at);
  const owed = owedBy(item);
  return { owed, clock: store.clockOffsetMs, ...(wished && { reply: { status: 200, body: viewItem(item) } }) };
}

const eventOf = (event: RunEvent): FlowEvent | null => {
  if (event.type === 'elapsed') return { type: 'elapsed' };
  if (event.type === 'command') return { type: 'seller.action', key: event.command.name };
  return null;
};

interface Moving {
  readonly em: Em;
  readonly item: OrderItem;
  readonly store: Store;
  readonly realNow: number;
}

async function advance(moving: Moving, event: FlowEvent, wished: Command | null, at: number): Promise<void> {
  const { em, item, store } = moving;
  const before = item.flowState;
  const { autoDeliverDays, autoConfirmDays } = store;
  const result = step(graphOf(item.flowKey, item.flowVersion), before, event, at, { settings: { autoDeliverDays, autoConfirmDays } });
  if (!result.ok) throw refused(result);
  if (result.trace.length === 0 && result.effects.length === 0) return;
  const { state, effects, trace } = result;
  const changedAt = trace.at(-1)?.at ?? at;
  if (wished?.name === 'dispatch') item.dispatch = dispatchOf(wished, at);
  item.flowState = state;
  item.status = state.status;
  item.lastChangedAt = new Date(Math.max(changedAt, item.lastChangedAt.getTime() + 1));
  noteDelivery(item, effects);
  const { storeId, orderItemId } = item;
  em.persist(
    em.create(FlowStepEntity, {
      storeId,
      orderItemId,
      seq: state.seq,
      event: { ...event, actor: wished?.actor ?? 'SYSTEM' },
      at: new Date(changedAt),
      trace,
      effects,
    }),
  );
  await em.flush();
  await tell(moving, effects);
}

const dispatchOf = (wish: Command, at: number): NonNullable<OrderItem['dispatch']> => ({
  deliveryMethod: wish.input['deliveryMethod'] as DeliveryMethod,
  carrierCode: (wish.input['carrierCode'] as string | undefined) ?? null,
  trackingNumber: (wish.input['trackingNumber'] as string | undefined) ?? null,
  dispatchedAt: at,
  deliveredAt: null,
});

/** The automatic decision's date is set at delivery; null when automatic decision is off (D71). */
function noteDelivery(item: OrderItem, effects: readonly Effect[]): void {
  const delivered = effects.find((effect) => effect.type === 'status' && effect.to === 'DELIVERED');
  if (!delivered) return;
  if (item.dispatch) item.dispatch = { ...item.dispatch, deliveredAt: delivered.at };
  const decided = effects.find((effect) => effect.type === 'status' && effect.to === 'PURCHASE_DECIDED');
  const decisionAt = nearest(item.flowState)?.at ?? decided?.at;
  item.autoDecisionAt = decisionAt === undefined ? null : new Date(decisionAt);
}

/** Moves the order along and reports each status that was passed, at its own time and with the order's status then. */
async function tell({ em, item, realNow }: Moving, effects: readonly Effect[]): Promise<void> {
  const changes = effects.filter((effect) => effect.type === 'status');
  if (changes.length === 0) return;
  const { storeId, orderId } = item;
  const order = await em.findOneOrFail(OrderEntity, { storeId, orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const items = await sql<{ order_item_id: string; position: number; status: OrderItem['status'] }>(
    em,
    'SELECT order_item_id, position, status FROM order_item WHERE store_id = ? AND order_id = ? ORDER BY position',
    [storeId, orderId],
  );
  const events: NewEvent[] = changes.flatMap((change) => {
    const status = progressStatus(items.map((i) => (i.order_item_id === item.orderItemId ? change.to : i.status)));
    const type = STATUS_EVENT[change.to];
    return type ? [{ type, at: change.at, data: { orderId, status, testPayment: order.testPayment } }] : [];
  });
  settleOrder(
    order,
    items.map((i) => i.status),
    item.lastChangedAt,
  );
  await emit(em, storeId, events, realNow);
}

function settleOrder(order: Order, statuses: readonly OrderItem['status'][], changedAt: Date): void {
  order.representativeStatus = statuses[0] ?? order.representativeStatus;
  order.progressStatus = progressStatus(statuses);
  if (order.lastChangedAt < changedAt) order.lastChangedAt = changedAt;
}

function owedBy(item: OrderItem): Moved['owed'] {
  const due = nearest(item.flowState);
  return { wakeAt: due?.at ?? null, calls: [], done: item.flowState.done !== undefined, note: noteOf(item, due), status: item.status };
}

function noteOf(item: OrderItem, due: { key: string; at: number } | null): string {
  const state: FlowState = item.flowState;
  if (state.done) return `Finished: ${item.status}.`;
  const node = nodeOf(graphOf(item.flowKey, item.flowVersion), state.positions[0]!.node);
  return due
    ? `${item.status} (${node.label}); ${due.key} at ${korean(due.at)}.`
    : `${item.status} (${node.label}); waits for the seller or buyer.`;
}
