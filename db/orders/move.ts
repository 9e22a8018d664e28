/** The order item's transition: one function for commands, deadlines and looks (architecture.md § The two kinds of truth). */
import { LockMode } from '@mikro-orm/core';
import type { Command, RunEvent, RunRef } from '../../workflows/kernel/obligations.ts';
import { korean } from '../../workflows/kernel/time.ts';
import { graphOf } from '../../workflows/flows/presets/index.ts';
import { nearest, nodeOf, step } from '../../workflows/flows/rules.ts';
import type { Effect, FlowEvent, FlowState } from '../../workflows/flows/state.ts';
import { checkHandover, type DeliveryMethod, refused } from '../../workflows/orders/rules.ts';
import { progressStatus } from '../../workflows/orders/status.ts';
import { type Em, sql } from '../orm.ts';
import type { Moved } from '../runs/store.ts';
import { readStore } from '../stores/store.ts';
import type { Store } from '../stores/entities.ts';
import { takeText } from '../runs/text.ts';
import { emit } from '../webhooks/events.ts';
import { type Canceled, cancelItem, quantityOf } from './cancel.ts';
import { FlowStepEntity, type Order, OrderEntity, type OrderItem, OrderItemEntity } from './entities.ts';
import { eventsOf } from './events.ts';
import { viewItem } from './views.ts';

/** Locks the item, steps its flow, writes item, order, trace and events. Refusals are INVALID_STATUS. */
export async function moveOrderItem(em: Em, run: RunRef, event: RunEvent, at: number, realNow: number): Promise<Moved | null> {
  const { storeId, runId: orderItemId } = run;
  const item = await em.findOne(OrderItemEntity, { storeId, orderItemId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!item) return null;
  const store = await readStore(em, storeId);
  const wished = event.type === 'command' ? event.command : null;
  const flowEvent = eventOf(event, item);
  const body = flowEvent ? await advance({ em, item, store, realNow }, flowEvent, wished, at) : null;
  const owed = owedBy(item);
  return { owed, clock: store.clockOffsetMs, ...(wished && { reply: { status: 200, body: body ?? viewItem(item) } }) };
}

/** What the event means to the item's flow. A cancel is no action of the flow: it takes units away, whatever the flow says. */
function eventOf(event: RunEvent, item: OrderItem): FlowEvent | null {
  if (event.type === 'elapsed') return { type: 'elapsed' };
  if (event.type !== 'command') return null;
  const { command } = event;
  if (command.name !== 'cancel') {
    checkHandover(item.fulfillmentSnapshot, command.name);
    return { type: 'seller.action', key: command.name };
  }
  return {
    type: 'reduced',
    member: item.orderItemId,
    quantity: quantityOf(item, command),
    cause: 'SELLER_CANCEL',
    refId: command.requestId,
  };
}

interface Moving {
  readonly em: Em;
  readonly item: OrderItem;
  readonly store: Store;
  readonly realNow: number;
}

/** Steps the flow, writes what follows, and answers what a command is told besides the item. */
async function advance(moving: Moving, event: FlowEvent, wished: Command | null, at: number): Promise<object | null> {
  const { em, item, store } = moving;
  const before = item.flowState;
  const { autoDeliverDays, autoConfirmDays } = store;
  const result = step(graphOf(item.flowKey, item.flowVersion), before, event, at, { settings: { autoDeliverDays, autoConfirmDays } });
  if (!result.ok) throw refused(result);
  if (event.type === 'elapsed' && result.effects.length === 0) return null;
  const { state, effects, trace } = result;
  const changedAt = trace.at(-1)?.at ?? at;
  if (wished?.name === 'dispatch') item.dispatch = dispatchOf(wished, at);
  item.flowState = state;
  item.status = state.status;
  item.lastChangedAt = new Date(Math.max(changedAt, item.lastChangedAt.getTime() + 1));
  noteDelivery(item, effects);
  await noteProvision(moving, wished, effects);
  const { storeId, orderItemId, orderId } = item;
  const order = effects.length > 0 || event.type === 'reduced' ? await lockOrder(em, storeId, orderId) : null;
  const canceled =
    event.type === 'reduced' ? await cancelItem({ em, item, order: order!, at, realNow: moving.realNow }, wished!, event.quantity) : null;
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
  if (order) await tell(moving, order, effects, canceled, at);
  return canceled;
}

const lockOrder = (em: Em, storeId: string, orderId: string): Promise<Order> =>
  em.findOneOrFail(OrderEntity, { storeId, orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/** The record of a provision, with the note that was kept out of Temporal. */
async function noteProvision({ em, item }: Moving, wished: Command | null, effects: readonly Effect[]): Promise<void> {
  const provided = effects.find((effect) => effect.type === 'fulfillment.record');
  if (!provided) return;
  const text = await takeText(em, item.storeId, wished?.input['noteId']);
  item.fulfillment = { status: 'PROVIDED', note: text, fulfilledAt: provided.at };
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

/** Moves the order along and reports what happened, each thing at its own time and with the order's status then. */
async function tell(
  { em, item, realNow }: Moving,
  order: Order,
  effects: readonly Effect[],
  canceled: Canceled | null,
  at: number,
): Promise<void> {
  const { storeId, orderId, orderItemId } = item;
  const items = await sql<{ order_item_id: string; status: OrderItem['status'] }>(
    em,
    'SELECT order_item_id, status FROM order_item WHERE store_id = ? AND order_id = ? ORDER BY position',
    [storeId, orderId],
  );
  const events = eventsOf(
    order,
    item,
    items.map(({ order_item_id: id, status }) => ({ id, status })),
    effects,
  );
  settleOrder(
    order,
    items.map((i) => i.status),
    item.lastChangedAt,
  );
  if (canceled) {
    const { refundAmount, pointRefundAmount, quantity: canceledQuantity } = canceled;
    const { progressStatus: status, testPayment } = order;
    events.push({
      type: 'ORDER.CANCELED',
      at,
      data: { orderId, orderItemId, canceledQuantity, refundAmount, pointRefundAmount, status, testPayment },
    });
  }
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
