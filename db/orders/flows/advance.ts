/** A step of a flow: its state, and the records, orders and events of the items that it moves (docs/contract.md#flow). */
import { effectsOn } from '../../../domain/flows/run/effects.ts';
import { isHandedOver } from '../../../domain/flows/run/handover.ts';
import { answered, nextOwn } from '../../../domain/flows/run/pace.ts';
import { moving, nearest } from '../../../domain/flows/run/positions.ts';
import { step } from '../../../domain/flows/run/step.ts';
import type { Effect, Facts, FlowEvent, FlowState, StepResult } from '../../../domain/flows/run/state.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import type { FlowCommandName } from '../../../domain/orders/messages.ts';
import { faultOf } from '../../../domain/orders/machine.ts';
import { PLATFORM_FIELDS } from '../../../domain/orders/platform.ts';
import { leaveQueue } from '../../flows/turns.ts';
import { setOrigin } from '../../kernel/tx.ts';
import { type EffectResults, factsOf, itemsOf, lockOrder, movingFlowOf, stateOf, type TransitionContext } from './context.ts';
import type { Order, OrderItem } from '../entities.ts';
import { carryOutEffects } from './carryOut.ts';
import { isShippedItem } from './claimable.ts';
import { applyToItem, type Handover } from './itemRecord.ts';
import { LOST, settleCall } from '../../flows/calls.ts';
import { earnPoints } from '../points.ts';
import { type Changed, publish } from './publish.ts';
import { writeRecord } from './records.ts';
import { setState, storedOf } from './states.ts';
import { recordStep } from './steps.ts';

/** Where a step comes from, and what it does besides. */
export interface StepCause {
  /** The command, and who sent it. */
  readonly command?: { readonly name: FlowCommandName; readonly actor: string };
  /** The business time of the event; absent: that of the transaction. */
  readonly when?: number;
  /** Takes out the units of a `reduced` event. */
  readonly depart?: (order: Order) => Promise<EffectResults>;
  /** What an action hands over of each item that moves: a dispatch, or a provision. */
  readonly handover?: Handover;
  /** What the event is judged with, besides the rows. */
  readonly facts?: Partial<Facts>;
  /** What its record says besides. */
  readonly details?: object;
}

/** So many deadlines pass in one transaction: after an outage there may be many, and each has its record. The run goes on with the next. */
const MAX_STEPS = 50;

/**
 * Applies what has fallen due by now: a step for each deadline and each answer, at its own time, so that each has its record. False: more
 * is due than one transaction takes.
 */
export async function applyDue(context: TransitionContext): Promise<boolean> {
  for (let left = MAX_STEPS; left > 0 && isAnyDue(context); left--) await moveByItself(context);
  return !isAnyDue(context);
}
export const isAnyDue = (context: TransitionContext): boolean => (nextOwn(stateOf(context))?.at ?? Infinity) <= context.tx.at;

/** A deadline, an answer, or the record that the next of them has to wait. */
async function moveByItself(context: TransitionContext): Promise<void> {
  const own = nextOwn(stateOf(context))!;
  const { at: when } = own;
  if (own.type === 'elapsed') await advance(context, { type: 'elapsed' }, { when });
  else if (own.type === 'slowed') await advance(context, { type: 'SLOWED', until: own.until }, { when });
  else await advance(context, await answerTo(context, own.call), { when });
}

/** The answer to a call has come: it is applied in its turn, which may be later. */
export function storeAnswer(context: TransitionContext, call: string, at: number): void {
  storeState(context, context.group ? [] : [context.item], answered(stateOf(context), call, at));
}

/** What the request was answered. */
async function answerTo({ tx, item, group }: TransitionContext, call: string): Promise<FlowEvent> {
  const { result: value, data } = (await settleCall(tx, group?.row.groupId ?? item.orderItemId, call, LOST)) ?? LOST;
  return { type: 'result', call, value, ...(data && { data }) };
}

/** The same before something that may come only after it: TEMPORARILY_UNAVAILABLE where the run has to do more of it first. */
export async function applyAllDue(context: TransitionContext): Promise<void> {
  const { tx } = context;
  if (!isAnyDue(context)) return;
  // Nobody has sent a deadline: it is SYSTEM's (G43).
  await setOrigin(tx, tx.at, undefined);
  if (!(await applyDue(context))) throw new Fault('TEMPORARILY_UNAVAILABLE');
  await tx.em.flush();
  await setOrigin(tx, tx.at, tx.origin);
}

/**
 * Applies an event to the flow, and writes the effects. Refusals of the flow are Faults. Returns the items that it moved, whether or not it
 * has effects: all but those that stand still.
 */
export async function advance(context: TransitionContext, event: FlowEvent, cause: StepCause = {}): Promise<readonly OrderItem[]> {
  const { tx, group } = context;
  const { command = null, when = tx.at } = cause;
  const before = stateOf(context);
  const deadline = event.type === 'elapsed' ? nearest(before)?.key : undefined;
  const result = stepFlow(context, event, when, cause);
  const { state, effects, trace } = result;
  const involved = itemsOf(context).filter(({ orderItemId }) => !group || isInvolved(before, event, orderItemId));
  storeState(context, involved, state);
  const order = await lockOrder(context);
  const moved = involved.filter((item) => item === context.item || moving(before).some(({ id }) => id === item.orderItemId));
  const changed: Changed[] = [];
  for (const item of involved) {
    const own = effectsOn(effects, item.orderItemId);
    applyToItem(tx, item, own, moved.includes(item) ? handoverTo(item, cause) : undefined);
    changed.push(await change(context, order, item, own, cause));
  }
  await leaveTurns(context, before, state);
  const at = trace.at(-1)?.at ?? when;
  const { autoDeliverDays, autoConfirmDays } = context.store;
  const settings = { autoDeliverDays, autoConfirmDays };
  writeRecord(tx, { event, deadline, actor: command?.actor ?? 'SYSTEM', at, state, trace, settings }, changed);
  await publish(tx, order, event, changed);
  await recordStep(context, { event, before, result, moved });
  return moved;
}

/** The members; and the item of a claim that is closed, after whose last units have left. */
const isInvolved = ({ members, claims }: FlowState, event: FlowEvent, itemId: string): boolean =>
  members.some(({ id }) => id === itemId) ||
  (event.type === 'claim.closed' && claims.some(({ id, member }) => id === event.claimId && member === itemId));

/** What the step does for one of its items besides its own record. Units leave the context's own item. */
async function change(
  context: TransitionContext,
  order: Order,
  item: OrderItem,
  effects: readonly Effect[],
  cause: StepCause,
): Promise<Changed> {
  const { tx } = context;
  const { recorded, canceled } =
    cause.depart && item === context.item ? await cause.depart(order) : await carryOutEffects(tx, order, item, effects);
  await earnPoints(tx, order, item, effects);
  return { item, effects, details: { ...cause.details, ...recorded }, canceled };
}

/** A group's dispatch is that of its shipped items, its provision that of the others; an item by itself was judged before. */
const handoverTo = (item: OrderItem, { handover }: StepCause): Handover | undefined =>
  handover && isHandedOver(handover.type, isShippedItem(item)) ? handover : undefined;

function storeState({ group }: TransitionContext, involved: readonly OrderItem[], state: FlowState): void {
  if (group) group.row.flowState = state;
  for (const item of group?.items ?? []) setState(item, state);
  for (const item of involved) item.storedState = storedOf(item, state);
}

/** Calls that the flow no longer waits for take no turn. */
async function leaveTurns({ tx, item, group }: TransitionContext, before: FlowState, state: FlowState): Promise<void> {
  const calls = callsOf(before).filter((call) => !callsOf(state).includes(call));
  if (calls.length > 0) await leaveQueue(tx, group?.row.groupId ?? item.orderItemId, calls);
}
const callsOf = ({ positions }: FlowState): readonly string[] => positions.flatMap(({ call }) => call ?? []);

type Stepped = Extract<StepResult, { readonly ok: true }>;
function stepFlow(context: TransitionContext, event: FlowEvent, when: number, { command, facts: more }: StepCause): Stepped {
  const facts = factsOf(context, { platformFields: PLATFORM_FIELDS, ...more });
  const result = step(movingFlowOf(context), stateOf(context), event, when, facts);
  if (!result.ok) throw faultOf(command ?? null, result);
  return result;
}
