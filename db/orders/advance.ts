/** One step of an order item: its flow, its record, its order and its events. */
import { LockMode } from '@mikro-orm/core';
import { nearest } from '../../domain/flows/positions.ts';
import { step } from '../../domain/flows/step.ts';
import type { Effect, FlowEvent } from '../../domain/flows/state.ts';
import type { Command } from '../../workflows/kernel/messages.ts';
import { refused } from '../../domain/orders/rules.ts';
import { progressStatus } from '../../domain/orders/status.ts';
import { beginTracking, isTracked } from '../../domain/orders/tracking.ts';
import type { Tx } from '../kernel/tx.ts';
import { flowOf } from '../flows/loaded.ts';
import { consumeText } from '../runs/text.ts';
import type { Store } from '../stores/entities.ts';
import { emit } from '../webhooks/events.ts';
import { FlowStepEntity, type Order, OrderEntity, type OrderItem } from './entities.ts';
import { eventsOf } from './events.ts';
import { earnPoints } from './points.ts';

export interface TransitionContext {
  readonly tx: Tx;
  /** Locked. */
  readonly item: OrderItem;
  readonly store: Store;
}

/** What leaves an item in a step: what its record in the flow says of it, and the event of a cancel. */
export interface Departed {
  readonly recorded: object;
  readonly canceled: { readonly quantity: number; readonly refundAmount: number; readonly pointRefundAmount: number } | null;
}
const NOTHING_LEFT: Departed = { recorded: {}, canceled: null };
/** Where a step comes from, and what it does besides. */
export interface StepCause {
  readonly command?: Command<'orderItem'>;
  /** The business time of the event; absent: that of the transaction. */
  readonly when?: number;
  /** Takes out the units of a `reduced` event. */
  readonly leave?: (order: Order) => Promise<Departed>;
}

/** Applies an event to the flow, and writes the effects. Refusals of the flow are Faults. */
export async function advance(context: TransitionContext, event: FlowEvent, cause: StepCause = {}): Promise<void> {
  const { tx, item } = context;
  const { command = null, when = tx.at, leave } = cause;
  const { state, effects, trace } = stepFlow(context, event, when);
  if (event.type === 'elapsed' && effects.length === 0) return;
  if (command?.name === 'dispatch') item.dispatch = await dispatchOf(context, command);
  item.flowState = state;
  item.status = state.status;
  await recordEffects(context, command, effects);
  const order = await lockOrder(context);
  const departed = leave ? await leave(order) : NOTHING_LEFT;
  await earnPoints(tx, order, item, effects);
  const { storeId, orderItemId } = item;
  const { seq } = state;
  const recorded = { ...event, actor: command?.actor ?? 'SYSTEM', ...departed.recorded };
  const at = new Date(trace.at(-1)?.at ?? when);
  tx.em.persist(tx.em.create(FlowStepEntity, { storeId, orderItemId, seq, event: recorded, at, trace, effects }));
  await publish(context, order, { event, effects }, departed.canceled);
}

function stepFlow({ item, store: { autoDeliverDays, autoConfirmDays } }: TransitionContext, event: FlowEvent, when: number) {
  const result = step(flowOf(item), item.flowState, event, when, { settings: { autoDeliverDays, autoConfirmDays } });
  if (!result.ok) throw refused(result);
  return result;
}

export const lockOrder = ({ tx, item: { storeId, orderId } }: TransitionContext): Promise<Order> =>
  tx.em.findOneOrFail(OrderEntity, { storeId, orderId }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/** Sets the change time of item and order; the end of the transaction moves it where the feed has to grow (db/kernel/feed.ts). */
export function touch({ tx, item }: TransitionContext, order: Order): void {
  item.lastChangedAt = new Date(tx.at);
  order.lastChangedAt = item.lastChangedAt;
  tx.feed.changed(tx.at, order.orderId, [item.orderItemId]);
}

async function dispatchOf(
  { tx }: TransitionContext,
  { input }: Extract<Command<'orderItem'>, { readonly name: 'dispatch' }>,
): Promise<NonNullable<OrderItem['dispatch']>> {
  return {
    deliveryMethod: input.deliveryMethod,
    carrierCode: input.carrierCode ?? null,
    trackingNumber: await consumeText(tx, input.trackingNumberId),
    dispatchedAt: tx.at,
    deliveredAt: null,
  };
}

/** Applies effects to the item's record: tracking, end of a hold, fulfillment, delivery, date of the automatic decision. */
async function recordEffects(
  { tx, item }: TransitionContext,
  command: Command<'orderItem'> | null,
  effects: readonly Effect[],
): Promise<void> {
  if (effects.some((effect) => effect.type === 'tracking.start') && isTracked(item.dispatch ?? null, item.status))
    item.tracking = beginTracking(tx.at);
  if (item.status !== 'PAID' && item.status !== 'CONFIRMED') item.hold = null;
  const provided = effects.find((effect) => effect.type === 'fulfillment.record');
  if (provided) {
    // The note was passed by its id (X24).
    const note = await consumeText(tx, command?.name === 'fulfill' ? command.input.noteId : undefined);
    item.fulfillment = { status: 'PROVIDED', note, fulfilledAt: provided.at };
  }
  const delivered = effects.find((effect) => effect.type === 'status' && effect.to === 'DELIVERED');
  if (delivered && item.dispatch) item.dispatch = { ...item.dispatch, deliveredAt: delivered.at };
  recordDecisionDate(item, effects);
}

/** The date of the automatic decision: set at delivery, moved by an extension, null while nothing is due (D31, D71). */
function recordDecisionDate(item: OrderItem, effects: readonly Effect[]): void {
  const decided = effects.find((effect) => effect.type === 'status' && effect.to === 'PURCHASE_DECIDED');
  const isDelivered = item.status === 'DELIVERED' || effects.some((effect) => effect.type === 'status' && effect.to === 'DELIVERED');
  if (!isDelivered) return;
  const at = nearest(item.flowState)?.at ?? decided?.at;
  item.autoDecisionAt = at === undefined ? null : new Date(at);
}

/** Updates the order's statuses and emits the events of a step, each with its own time and the order's status at that time. */
async function publish(
  context: TransitionContext,
  order: Order,
  happened: { readonly event: FlowEvent; readonly effects: readonly Effect[] },
  canceled: Departed['canceled'],
): Promise<void> {
  const { tx, item } = context;
  const { storeId, orderId, orderItemId } = item;
  const rows = await tx.sql<{ order_item_id: string; status: OrderItem['status'] }>`
    SELECT order_item_id, status FROM order_item WHERE store_id = ${storeId} AND order_id = ${orderId} ORDER BY position`;
  const items = rows.map(({ order_item_id: id, status }) => ({ id, status: id === orderItemId ? item.status : status }));
  const events = eventsOf(order, item, items, happened);
  const statuses = items.map(({ status }) => status);
  order.representativeStatus = statuses[0] ?? order.representativeStatus;
  order.progressStatus = progressStatus(statuses);
  if (canceled) {
    const { refundAmount, pointRefundAmount, quantity: canceledQuantity } = canceled;
    const { progressStatus: status, testPayment } = order;
    const data = { orderId, orderItemId, canceledQuantity, refundAmount, pointRefundAmount, status, testPayment };
    events.push({ type: 'ORDER.CANCELED', at: tx.at, data });
  }
  touch(context, order);
  await emit(tx, events);
}
