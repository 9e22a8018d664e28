/** The order item's transition: commands, deadlines and polls of the courier (docs/architecture.md#truth). */
import { LockMode } from '@mikro-orm/core';
import type { Call, Command, RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import { korean } from '../../domain/kernel/time.ts';
import { labelOf } from '../../domain/flows/flow.ts';
import { nearest, placeOf } from '../../domain/flows/positions.ts';
import type { FlowEvent, FlowState } from '../../domain/flows/state.ts';
import { checkRecordCommand, flowEventOf } from '../../domain/orders/machine.ts';
import { isBuyerCommand, isRecordCommand, type RecordCommand } from '../../domain/orders/messages.ts';
import { beginTracking, deliveredAt, isTracked, isUnknown, type Tracking } from '../../domain/orders/tracking.ts';
import type { Tx } from '../kernel/tx.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { findStore } from '../stores/queries.ts';
import { flowOf, loadFlows, withFlow } from '../flows/loaded.ts';
import { consumeText } from '../runs/text.ts';
import { advance } from './advance.ts';
import { type Departed, lockOrder, type TransitionContext, touch } from './context.ts';
import { auditedCancel, type Canceled, cancelItem } from './cancel.ts';
import { type Order, type OrderItem, OrderItemEntity } from './entities.ts';
import { pollId, applyReading, trackingOf } from './tracking.ts';
import { ITEM_LISTING, viewBuyerItem, viewItem } from './views.ts';

/** Locks the item, steps its flow, writes item, order, trace and events. Refusals are Faults. Null when there is no such item. */
export async function transitionOrderItem(
  tx: Tx,
  run: RunRef,
  event: RunEvent<'orderItem'>,
): Promise<TransitionResult<'orderItem'> | null> {
  const { em, at } = tx;
  const { storeId, entityId: orderItemId } = run;
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const [item, store] = await Promise.all([em.findOne(OrderItemEntity, { storeId, orderItemId }, { lockMode }), findStore(tx)]);
  if (!item || !store) return null;
  await loadFlows(tx, [item]);
  const context: TransitionContext = { tx, item, store };
  const before = event.type === 'command' ? viewItem(item) : null;
  const body = event.type === 'command' ? await handleCommand(context, event.command) : await handleEvent(context, event);
  await deliver(context);
  const views = before && { views: { before, after: viewItem(item), listing: ITEM_LISTING } };
  return { plan: planOf(item, at), clock: store.clockOffsetMs, ...(body && { reply: { status: 200, body } }), ...views };
}

/** Carries out a command and returns its reply: the item, or the amounts of a cancel. */
async function handleCommand(context: TransitionContext, command: Command<'orderItem'>): Promise<object> {
  const { item } = context;
  if (isRecordCommand(command)) {
    await changeRecord(context, command);
    return viewItem(item);
  }
  const event = flowEventOf(withFlow(item), command, command.requestId);
  if (event.type === 'reduced' && command.name === 'cancel') return cancel(context, command, event);
  await advance(context, event, { command });
  return isBuyerCommand(command.name) ? viewBuyerItem(item, context.tx.at) : viewItem(item);
}

/** A seller's cancel; its record in the flow is what the audit log reads. */
async function cancel(
  context: TransitionContext,
  command: Extract<Command<'orderItem'>, { readonly name: 'cancel' }>,
  event: Extract<FlowEvent, { readonly type: 'reduced' }>,
): Promise<Canceled> {
  const { tx, item } = context;
  let canceled: Canceled | undefined;
  const leave = async (order: Order): Promise<Departed> => {
    canceled = await cancelItem({ tx, item, order }, command.input, event.quantity);
    return { recorded: auditedCancel(command.input, canceled), canceled };
  };
  await advance(context, event, { command, leave });
  return canceled!;
}

async function handleEvent(context: TransitionContext, event: Exclude<RunEvent<'orderItem'>, { type: 'command' }>): Promise<null> {
  if (event.type === 'elapsed') await advance(context, { type: 'elapsed' });
  if (event.type === 'outcome') applyReading(context.item, event.callId, event.outcome, context.tx.at);
  return null;
}

/** Commands that change the record and not the flow: a hold, a corrected tracking number. */
async function changeRecord(context: TransitionContext, command: RecordCommand): Promise<void> {
  const { tx, item } = context;
  const { at } = tx;
  checkRecordCommand(withFlow(item), command);
  if (command.name === 'hold') {
    const reason = (await consumeText(tx, command.input.reasonId)) ?? '';
    item.hold = { reason, expectedDispatchDate: command.input.expectedDispatchDate, heldAt: at };
  } else {
    const trackingNumber = await consumeText(tx, command.input.trackingNumberId);
    item.dispatch = { ...item.dispatch!, carrierCode: command.input.carrierCode, trackingNumber };
    item.tracking = isTracked(item.dispatch, item.status) ? beginTracking(at, item.tracking ?? null) : (item.tracking ?? null);
    item.trackingReading = null;
  }
  touch(context, await lockOrder(context));
}

/**
 * Moves the item to DELIVERED when the courier reports it, at the reported time; while a claim is open, this waits. A delivery that only a
 * corrected number revealed counts from the correction, so that the buyer has all days to decide.
 */
async function deliver(context: TransitionContext): Promise<void> {
  const { item, tx } = context;
  const tracking = trackingOf(item);
  const reported = tracking && deliveredAt(tracking);
  if (!tracking || reported === null || item.flowState.claims.length > 0) return;
  const since = Math.max(tracking.since, item.flowState.positions[0]!.enteredAt);
  const when = Math.min(tx.at, Math.max(reported, since));
  await advance(context, { type: 'event', name: 'courier.delivered' }, { when });
}

function planOf(item: OrderItem, at: number): TransitionResult<'orderItem'>['plan'] {
  const due = nearest(item.flowState);
  const tracking = trackingOf(item);
  const pollAt = tracking?.nextAt ?? null;
  const wakeAt = due && pollAt !== null ? Math.min(due.at, pollAt) : (due?.at ?? pollAt);
  const calls = pollAt !== null && pollAt <= at ? [pollOf(item, tracking!, at)] : [];
  const isPollNext = pollAt !== null && pollAt > at && (due === null || pollAt < due.at);
  const next = isPollNext ? { next: pollOf(item, tracking!, pollAt), isPollOnly: isUnknown(tracking!) } : {};
  return { wakeAt, calls, ...next, done: item.flowState.done !== undefined, note: noteOf(item, due, pollAt), status: item.status };
}

const pollOf = (item: OrderItem, tracking: Tracking, at: number): Call<'orderItem'> => ({
  id: pollId(item, tracking),
  name: 'pollShipment',
  storeId: item.storeId,
  input: { orderItemId: item.orderItemId, n: tracking.polls, at },
});

function noteOf(item: OrderItem, due: { key: string; at: number } | null, pollAt: number | null): string {
  const state: FlowState = item.flowState;
  if (state.done) return `Finished: ${item.status}.`;
  const { node } = placeOf(flowOf(item), state.positions[0]!);
  const poll = pollAt === null ? '' : ` Next poll of the courier at ${korean(pollAt)}.`;
  const paused = state.claims.length > 0 ? ' A claim is open: its deadlines rest.' : '';
  return due
    ? `${item.status} (${labelOf(node)}); ${due.key} at ${korean(due.at)}.${poll}${paused}`
    : `${item.status} (${labelOf(node)}); waits for the seller or buyer.${poll}${paused}`;
}
