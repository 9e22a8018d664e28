/** A step of a flow: its state, and the records, orders and events of the items that it moves (docs/contract.md#flow). */
import { effectsOn } from '../../domain/flows/effects.ts';
import { nearest } from '../../domain/flows/positions.ts';
import { step } from '../../domain/flows/step.ts';
import type { Effect, Facts, FlowEvent, FlowState, StepResult } from '../../domain/flows/state.ts';
import type { FlowCommandName } from '../../domain/orders/messages.ts';
import { faultOf } from '../../domain/orders/machine.ts';
import { PLATFORM_FIELDS } from '../../domain/orders/platform.ts';
import { flowFacts } from '../flows/facts.ts';
import { flowOf } from '../flows/loaded.ts';
import { type Departed, itemsOf, lockOrder, stateOf, type TransitionContext } from './context.ts';
import type { Order, OrderItem } from './entities.ts';
import { carryOutEffects } from './carryOut.ts';
import { applyToItem, type Handover } from './itemRecord.ts';
import { earnPoints } from './points.ts';
import { type Changed, publish } from './publish.ts';
import { writeRecord } from './records.ts';

/** Where a step comes from, and what it does besides. */
export interface StepCause {
  /** The command, and who sent it. */
  readonly command?: { readonly name: FlowCommandName; readonly actor: string };
  /** The business time of the event; absent: that of the transaction. */
  readonly when?: number;
  /** Takes out the units of a `reduced` event. */
  readonly leave?: (order: Order) => Promise<Departed>;
  /** What an action hands over: a dispatch, or a provision. */
  readonly handover?: Handover;
  /** What the event is judged with, besides the rows. */
  readonly facts?: Partial<Facts>;
  /** What its record says besides. */
  readonly details?: object;
}

/** Applies what has fallen due by now: a step for each deadline, at its own time, so that each has its record. */
export async function applyDue(context: TransitionContext, until = context.tx.at): Promise<void> {
  for (let due = nearest(stateOf(context)); due !== null && due.at <= until; due = nearest(stateOf(context))) {
    const before = stateOf(context).seq;
    await advance(context, { type: 'elapsed' }, { when: due.at });
    if (stateOf(context).seq === before) return;
  }
}

/** Applies an event to the flow, and writes the effects. Refusals of the flow are Faults. Returns the items that it moved. */
export async function advance(context: TransitionContext, event: FlowEvent, cause: StepCause = {}): Promise<readonly OrderItem[]> {
  const { tx, group } = context;
  const { command = null, when = tx.at } = cause;
  const before = stateOf(context);
  const deadline = event.type === 'elapsed' ? nearest(before)?.key : undefined;
  const { state, effects, trace } = stepFlow(context, event, when, cause);
  const involved = itemsOf(context).filter(({ orderItemId }) => !group || isInvolved(before, event, orderItemId));
  if (group) group.row.flowState = state;
  for (const item of involved) item.flowState = stateFor(item, state);
  const order = await lockOrder(context);
  const changed: Changed[] = [];
  for (const item of involved) changed.push(await change(context, order, item, effectsOn(effects, item.orderItemId), cause));
  const at = trace.at(-1)?.at ?? when;
  const { autoDeliverDays, autoConfirmDays } = context.store;
  const settings = { autoDeliverDays, autoConfirmDays };
  writeRecord(tx, { event, deadline, actor: command?.actor ?? 'SYSTEM', at, state, trace, settings }, changed);
  await publish(tx, order, event, changed);
  return changed.flatMap(({ item, effects: own }) => (own.length > 0 || !group ? [item] : []));
}

/** The members; and the item of a claim that is closed, after whose last units have left. */
const isInvolved = ({ members, claims }: FlowState, event: FlowEvent, itemId: string): boolean =>
  members.some(({ id }) => id === itemId) ||
  (event.type === 'claim.closed' && claims.some(({ id, member }) => id === event.claimId && member === itemId));

/** What the step does to one of its items. The command is that of the context's own item. */
async function change(
  context: TransitionContext,
  order: Order,
  item: OrderItem,
  effects: readonly Effect[],
  cause: StepCause,
): Promise<Changed> {
  const { tx } = context;
  const isOwn = item === context.item;
  applyToItem(tx, item, effects, isOwn ? cause.handover : undefined);
  const { recorded, canceled } = isOwn && cause.leave ? await cause.leave(order) : await carryOutEffects(tx, order, item, effects);
  await earnPoints(tx, order, item, effects);
  return { item, effects, details: { ...cause.details, ...recorded }, canceled };
}

/** A member that has left its group keeps what it left; nothing moves it any more. */
function stateFor({ orderItemId, groupId }: OrderItem, state: FlowState): FlowState {
  if (!groupId || state.members.some(({ id }) => id === orderItemId)) return state;
  const positions = state.positions.filter(({ parent }) => parent === undefined).map((position) => ({ ...position, due: [] }));
  return { ...state, members: [], claims: [], positions, done: state.done ?? 'CANCELED' };
}

type Stepped = Extract<StepResult, { readonly ok: true }>;
function stepFlow(context: TransitionContext, event: FlowEvent, when: number, { command, facts: more }: StepCause): Stepped {
  const { item, store } = context;
  const facts = flowFacts(itemsOf(context), store, { platformFields: PLATFORM_FIELDS, ...more });
  const result = step(flowOf(item), stateOf(context), event, when, facts);
  if (!result.ok) throw faultOf(command ?? null, result);
  return result;
}
