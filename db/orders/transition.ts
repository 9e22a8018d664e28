/** The order item's transition: one function for commands, deadlines, looks at the courier and claims (architecture.md § The two kinds of truth). */
import { LockMode } from '@mikro-orm/core';
import type { Call, Command, RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import { korean } from '../../domain/kernel/time.ts';
import { graphOf } from '../../domain/flows/presets/index.ts';
import { nearest, nodeOf } from '../../domain/flows/rules.ts';
import type { FlowEvent, FlowState } from '../../domain/flows/state.ts';
import { isBuyerCommand, isRecordCommand, type RecordCommand } from '../../workflows/orders/contract.ts';
import { checkHandover, checkRecord } from '../../domain/orders/rules.ts';
import { beginTracking, deliveredAt, isTracked, isUnknown, type Tracking } from '../../domain/orders/tracking.ts';
import type { Em } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { readStore } from '../stores/queries.ts';
import { takeText } from '../runs/text.ts';
import { advance, lockOrder, type TransitionContext, touch } from './advance.ts';
import { quantityOf } from './cancel.ts';
import { type OrderItem, OrderItemEntity } from './entities.ts';
import { lookId, takeReading, trackingOf } from './tracking.ts';
import { viewBuyerItem, viewItem } from './views.ts';

/** Locks the item, steps its flow, writes item, order, trace and events. Refusals are INVALID_STATUS. */
export async function transitionOrderItem(
  em: Em,
  run: RunRef,
  event: RunEvent,
  at: number,
  realNow: number,
): Promise<TransitionResult | null> {
  const { storeId, entityId: orderItemId } = run;
  const item = await em.findOne(OrderItemEntity, { storeId, orderItemId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!item) return null;
  const store = await readStore(em, storeId);
  const context: TransitionContext = { em, item, store, at, realNow };
  const body = event.type === 'command' ? await handleCommand(context, event.command) : await handleEvent(context, event);
  await deliver(context);
  return { plan: planOf(item, at), clock: store.clockOffsetMs, ...(body && { reply: { status: 200, body } }) };
}

/** Carries out a wish and answers what its caller is told: the item, or what a cancel gives back. */
async function handleCommand(context: TransitionContext, command: Command): Promise<object> {
  const { item } = context;
  if (isRecordCommand(command.name)) {
    await change(context, command.name, command);
    return viewItem(item);
  }
  const told = await advance(context, eventOf(command, item), command);
  return told ?? (isBuyerCommand(command.name) ? viewBuyerItem(item) : viewItem(item));
}

async function handleEvent(context: TransitionContext, event: Exclude<RunEvent, { type: 'command' }>): Promise<null> {
  if (event.type === 'elapsed') await advance(context, { type: 'elapsed' }, null);
  if (event.type === 'outcome') takeReading(context.item, event.callId, event.outcome, context.at);
  return null;
}

/** What a wish means to the item's flow. A cancel is no action of the flow: it takes units away, whatever the flow says. */
function eventOf(command: Command, item: OrderItem): FlowEvent {
  const { name: key } = command;
  if (key === 'cancel') {
    const quantity = quantityOf(item, command);
    return { type: 'reduced', member: item.orderItemId, quantity, cause: 'SELLER_CANCEL', refId: command.requestId };
  }
  checkHandover(item.fulfillmentSnapshot, key);
  return { type: isBuyerCommand(key) ? 'buyer.action' : 'seller.action', key };
}

/** What changes the record and leaves the flow where it is: a hold, a corrected tracking number. */
async function change(context: TransitionContext, wish: RecordCommand, { input }: Command): Promise<void> {
  const { em, item, at } = context;
  checkRecord(wish, item.status, item.dispatch ?? null);
  if (wish === 'hold') {
    const reason = (await takeText(em, item.storeId, input['reasonId'])) ?? '';
    item.hold = { reason, expectedDispatchDate: String(input['expectedDispatchDate']), heldAt: at };
  } else {
    const trackingNumber = await takeText(em, item.storeId, input['trackingNumberId']);
    item.dispatch = { ...item.dispatch!, carrierCode: String(input['carrierCode']), trackingNumber };
    item.tracking = isTracked(item.dispatch, item.status) ? beginTracking(at, item.tracking ?? null) : (item.tracking ?? null);
    item.trackingReading = null;
  }
  await touch(context, await lockOrder(context));
}

/**
 * What the courier has delivered is delivered, when the courier says; an open claim holds that up until it is closed.
 * What only a corrected number reveals counts from the correction: the buyer has all the days to decide in.
 */
async function deliver(context: TransitionContext): Promise<void> {
  const { item, at } = context;
  const tracking = trackingOf(item);
  const reported = tracking && deliveredAt(tracking);
  if (!tracking || reported === null || item.flowState.claims.length > 0) return;
  const since = Math.max(tracking.since, item.flowState.positions[0]!.enteredAt);
  await advance(context, { type: 'event', name: 'courier.delivered' }, null, Math.min(at, Math.max(reported, since)));
}

function planOf(item: OrderItem, at: number): TransitionResult['plan'] {
  const due = nearest(item.flowState);
  const tracking = trackingOf(item);
  const lookAt = tracking?.nextAt ?? null;
  const wakeAt = due && lookAt !== null ? Math.min(due.at, lookAt) : (due?.at ?? lookAt);
  const calls = lookAt !== null && lookAt <= at ? [pollOf(item, tracking!, at)] : [];
  const isLookNext = lookAt !== null && lookAt > at && (due === null || lookAt < due.at);
  const next = isLookNext ? { next: pollOf(item, tracking!, lookAt), isPollOnly: isUnknown(tracking!) } : {};
  return { wakeAt, calls, ...next, done: item.flowState.done !== undefined, note: noteOf(item, due, lookAt), status: item.status };
}

const pollOf = (item: OrderItem, tracking: Tracking, at: number): Call => ({
  id: lookId(item, tracking),
  name: 'track',
  storeId: item.storeId,
  input: { orderItemId: item.orderItemId, n: tracking.asked, at },
});

function noteOf(item: OrderItem, due: { key: string; at: number } | null, lookAt: number | null): string {
  const state: FlowState = item.flowState;
  if (state.done) return `Finished: ${item.status}.`;
  const node = nodeOf(graphOf(item.flowKey, item.flowVersion), state.positions[0]!.node);
  const look = lookAt === null ? '' : ` Next look at the courier at ${korean(lookAt)}.`;
  const paused = state.claims.length > 0 ? ' A claim is open: its deadlines rest.' : '';
  return due
    ? `${item.status} (${node.label}); ${due.key} at ${korean(due.at)}.${look}${paused}`
    : `${item.status} (${node.label}); waits for the seller or buyer.${look}${paused}`;
}
