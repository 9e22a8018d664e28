/** The transition of a group: the items of an order that move together in one flow (F32). Lock order: group, its items, order. */
import { LockMode } from '@mikro-orm/core';
import { labelOf } from '../../domain/flows/run/flow.ts';
import { isOver } from '../../domain/flows/run/members.ts';
import { nextOwn } from '../../domain/flows/run/pace.ts';
import { nearest, locationOf } from '../../domain/flows/run/positions.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { korean } from '../../domain/kernel/time.ts';
import type { Command, RunEvent, RunRef } from '../../workflows/kernel/messages.ts';
import { orderItemRun } from '../../workflows/kernel/messages.ts';
import { type FlowGroup, FlowGroupEntity } from '../flows/entities.ts';
import { flowOf, loadFlows } from '../flows/loaded.ts';
import type { Tx } from '../kernel/tx.ts';
import { enqueueWake } from '../runs/commands.ts';
import type { TransitionResult } from '../runs/transition.ts';
import { findStore, readStore } from '../stores/queries.ts';
import { applyDue, isAnyDue } from './flows/advance.ts';
import { applyAnswer, plannedCallsOf, slowedNote, turnNote, wakeAtOf } from './flows/answers.ts';
import { carryOutCommand, viewBefore } from './commands.ts';
import type { TransitionContext } from './flows/context.ts';
import { deliver } from './flows/deliver.ts';
import { type OrderItem, OrderItemEntity } from './entities.ts';
import { setState } from './flows/states.ts';
import { ITEM_LISTING } from './listings.ts';
import { viewItem } from './views.ts';

/** A group with its items, locked; null when there is none. */
async function lockGroup(tx: Tx, groupId: string): Promise<{ readonly row: FlowGroup; readonly items: readonly OrderItem[] } | null> {
  const { em, storeId } = tx;
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const row = await em.findOne(FlowGroupEntity, { storeId, groupId }, { lockMode });
  if (!row) return null;
  const items = await em.find(OrderItemEntity, { storeId, groupId }, { lockMode, orderBy: { position: 'asc' } });
  await loadFlows(tx, [row, ...items]);
  for (const item of items) setState(item, row.flowState);
  return { row, items };
}

/** Locks an item; one that moves with a group after its group, with all its items. ORDER_ITEM_NOT_FOUND. */
export async function lockMoving(tx: Tx, orderItemId: string): Promise<TransitionContext> {
  const { em, storeId } = tx;
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const alone = await em.findOne(OrderItemEntity, { storeId, orderItemId, groupId: null }, { lockMode });
  if (!alone) return lockMember(tx, orderItemId);
  await loadFlows(tx, [alone]);
  return { tx, item: alone, store: await readStore(tx) };
}

async function lockMember(tx: Tx, orderItemId: string): Promise<TransitionContext> {
  const [known] = await tx.sql<{ group_id: string }>`
    SELECT group_id FROM order_item WHERE store_id = ${tx.storeId} AND order_item_id = ${orderItemId}`;
  const group = known ? await lockGroup(tx, known.group_id) : null;
  const item = group?.items.find((one) => one.orderItemId === orderItemId);
  if (!group || !item) throw new Fault('ORDER_ITEM_NOT_FOUND');
  return { tx, item, store: await readStore(tx), group };
}

export async function transitionOrderGroup(
  tx: Tx,
  { entityId: groupId }: RunRef,
  event: RunEvent<'orderGroup'>,
): Promise<TransitionResult<'orderGroup'> | null> {
  const [group, store] = [await lockGroup(tx, groupId), await findStore(tx)];
  if (!group || !store) return null;
  const { items } = group;
  const statuses = items.map(({ status }) => status);
  const context: TransitionContext = { tx, store, group, item: event.type === 'command' ? itemOf(items, event.command) : items[0]! };
  const before = event.type === 'command' ? await viewBefore(context) : null;
  if (event.type === 'elapsed') await applyDue(context);
  if (event.type === 'outcome') await applyAnswer(context, groupId, event);
  const body = event.type === 'command' ? await carryOutCommand(context, event.command) : null;
  if (!isAnyDue(context)) for (const item of items) await deliver({ ...context, item });
  // Their own runs poll couriers, and end.
  for (const [i, item] of items.entries()) if (item.status !== statuses[i]) enqueueWake(tx, orderItemRun(item));
  const views = before && { views: { before, after: viewItem(context.item), listing: ITEM_LISTING } };
  return { plan: await planOf(tx, group.row, items), clock: store.clockOffsetMs, ...(body && { reply: { status: 200, body } }), ...views };
}

function itemOf(items: readonly OrderItem[], { input: { orderItemId } }: Command<'orderGroup'>): OrderItem {
  const item = items.find((one) => one.orderItemId === orderItemId);
  if (!item) throw new Fault('ORDER_ITEM_NOT_FOUND');
  return item;
}

async function planOf(tx: Tx, group: FlowGroup, items: readonly OrderItem[]): Promise<TransitionResult<'orderGroup'>['plan']> {
  const { flowState: state, groupId } = group;
  const own = nextOwn(state)?.at ?? null;
  const plannedCalls = await plannedCallsOf(tx, flowOf(group), state, groupId);
  return {
    wakeAt: wakeAtOf(own, plannedCalls, tx.at),
    deadline: own,
    calls: plannedCalls.calls,
    done: isOver(state),
    note: noteOf(group, items) + turnNote(plannedCalls),
    status: state.status,
  };
}

function noteOf(group: FlowGroup, items: readonly OrderItem[]): string {
  const { flowState: state } = group;
  const due = nearest(state);
  const what = `${state.members.length} of ${items.length} items`;
  if (isOver(state)) return `Finished: ${state.status}.`;
  const { node } = locationOf(flowOf(group), state.positions[0]!);
  const name = items[0]!.flowFacts ? node.id : labelOf(node);
  const wait = due ? `${due.key} at ${korean(due.at)}` : 'waits for the seller or buyer';
  const claims = state.claims.length > 0 ? ` ${state.claims.length} claims are open.` : '';
  return `${what}: ${state.status} (${name}); ${wait}.${slowedNote(state)}${claims}`;
}
