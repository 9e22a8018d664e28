/** The order item's transition: commands, deadlines and polls of the courier (docs/architecture.md#truth). */
import { LockMode } from '@mikro-orm/core';
import type { Call, Command, RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import { orderGroupRun } from '../../workflows/kernel/messages.ts';
import { korean } from '../../domain/kernel/time.ts';
import { labelOf } from '../../domain/flows/run/flow.ts';
import { nextOwn } from '../../domain/flows/run/pace.ts';
import { nearest, locationOf } from '../../domain/flows/run/positions.ts';
import { isFinal } from '../../domain/flows/graph/status.ts';
import { checkRecordCommand } from '../../domain/orders/machine.ts';
import { isRecordCommand, type RecordCommand } from '../../domain/orders/messages.ts';
import { beginTracking, isTracked, isUnknown, type Tracking } from '../../domain/orders/tracking.ts';
import { isExternalCall } from '../flows/calls.ts';
import { flowOf } from '../flows/loaded.ts';
import type { Tx } from '../kernel/tx.ts';
import { enqueueWake } from '../runs/commands.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { findStore } from '../stores/queries.ts';
import { consumeText } from '../runs/text.ts';
import { applyDue, isAnyDue } from './flows/advance.ts';
import { applyAnswer, plannedCallsOf, NO_PLANNED_CALLS, slowedNote, turnNote, wakeAtOf } from './flows/answers.ts';
import { carryOutCommand, viewBefore } from './commands.ts';
import { lockOrder, touch, type TransitionContext } from './flows/context.ts';
import { deliver, isDelivered } from './flows/deliver.ts';
import { type OrderItem, OrderItemEntity } from './entities.ts';
import { flowStateOf, loadStates, ruled } from './flows/states.ts';
import { pollId, applyReading, trackingOf } from './tracking.ts';
import { ITEM_LISTING } from './listings.ts';
import { viewItem } from './views.ts';

/** Locks the item, steps its flow, writes item, order, trace and events. Refusals are Faults. Null when there is no such item. */
export async function transitionOrderItem(
  tx: Tx,
  run: RunRef,
  event: RunEvent<'orderItem'>,
): Promise<TransitionResult<'orderItem'> | null> {
  const { em } = tx;
  const { storeId, entityId: orderItemId } = run;
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const [item, store] = await Promise.all([em.findOne(OrderItemEntity, { storeId, orderItemId }, { lockMode }), findStore(tx)]);
  if (!item || !store) return null;
  await loadStates(tx, [item]);
  const context: TransitionContext = { tx, item, store };
  const before = event.type === 'command' ? await viewBefore(context) : null;
  const body = event.type === 'command' ? await handleCommand(context, event.command) : await handleEvent(context, event);
  if (!item.groupId && !isAnyDue(context)) await deliver(context);
  // What moves a group is done by its own run, which locks all its items.
  else if (item.groupId && isDelivered(item)) enqueueWake(tx, orderGroupRun({ ...item, groupId: item.groupId }));
  const views = before && { views: { before, after: viewItem(item), listing: ITEM_LISTING } };
  return { plan: await planOf(tx, item), clock: store.clockOffsetMs, ...(body && { reply: { status: 200, body } }), ...views };
}

async function handleEvent(context: TransitionContext, event: Exclude<RunEvent<'orderItem'>, { type: 'command' }>): Promise<null> {
  const { item, tx } = context;
  if (event.type === 'elapsed' && !item.groupId) await applyDue(context);
  if (event.type !== 'outcome') return null;
  if (isExternalCall(event.callId)) await applyAnswer(context, item.orderItemId, event);
  else applyReading(item, event.callId, event.outcome, tx.at);
  return null;
}

/** Carries out a command and returns its reply. Those that move a group come to its own run. */
async function handleCommand(context: TransitionContext, command: Command<'orderItem'>): Promise<object> {
  if (!isRecordCommand(command)) return carryOutCommand(context, command);
  await changeRecord(context, command);
  return viewItem(context.item);
}

/** Commands that change the record and not the flow: a hold, a corrected tracking number. */
async function changeRecord(context: TransitionContext, command: RecordCommand): Promise<void> {
  const { tx, item } = context;
  const { at } = tx;
  checkRecordCommand(ruled(item), command);
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

/** An item that moves with a group waits for the courier only. */
async function planOf(tx: Tx, item: OrderItem): Promise<TransitionResult<'orderItem'>['plan']> {
  const { at } = tx;
  const own = item.groupId ? null : (nextOwn(flowStateOf(item))?.at ?? null);
  const plannedCalls = item.groupId ? NO_PLANNED_CALLS : await plannedCallsOf(tx, flowOf(item), flowStateOf(item), item.orderItemId);
  const { pollAt, polls, next } = pollsOf(item, own, at);
  const wakeAt = wakeAtOf(own !== null && pollAt !== null ? Math.min(own, pollAt) : (own ?? pollAt), plannedCalls, at);
  const planned = plannedCalls.calls.length === 0 && plannedCalls.waitsUntil === null ? next : {};
  return {
    wakeAt,
    deadline: own,
    calls: [...polls, ...(plannedCalls.calls as readonly Call<'orderItem'>[])],
    ...planned,
    done: isDone(item),
    note: noteOf(item, pollAt) + turnNote(plannedCalls),
    status: item.status,
  };
}
/** The poll of the courier: what is due of it, and what is planned where nothing else falls due before. */
function pollsOf(item: OrderItem, dueAt: number | null, at: number) {
  const tracking = trackingOf(item);
  const pollAt = tracking?.nextAt ?? null;
  const polls = pollAt !== null && pollAt <= at ? [pollOf(item, tracking!, at)] : [];
  const isPollNext = pollAt !== null && pollAt > at && (dueAt === null || pollAt < dueAt);
  const next = isPollNext ? { next: pollOf(item, tracking!, pollAt), isPollOnly: isUnknown(tracking!) } : {};
  return { pollAt, polls, next };
}
const isDone = (item: OrderItem): boolean =>
  isFinal(item.status) && !flowStateOf(item).claims.some(({ member }) => member === item.orderItemId);

const pollOf = (item: OrderItem, tracking: Tracking, at: number): Call<'orderItem', 'pollShipment'> => ({
  id: pollId(item, tracking),
  name: 'pollShipment',
  storeId: item.storeId,
  input: { orderItemId: item.orderItemId, n: tracking.polls, at },
});

function noteOf(item: OrderItem, pollAt: number | null): string {
  const { status } = item;
  const state = flowStateOf(item);
  if (isDone(item)) return `Finished: ${status}.`;
  const flow = flowOf(item);
  const { node } = locationOf(flow, state.positions[0]!);
  // Labels of a store's own flow are text that a person typed.
  const name = item.flowFacts ? node.id : labelOf(node);
  const poll = pollAt === null ? '' : ` Next poll of the courier at ${korean(pollAt)}.`;
  const paused = state.claims.length > 0 ? ' A claim is open: its deadlines rest.' : '';
  if (item.groupId) return `${status} (${name}); moves with its group.${poll}${paused}`;
  const due = nearest(state);
  const slowed = slowedNote(state);
  return due
    ? `${status} (${name}); ${due.key} at ${korean(due.at)}.${slowed}${poll}${paused}`
    : `${status} (${name}); waits for the seller or buyer.${slowed}${poll}${paused}`;
}
