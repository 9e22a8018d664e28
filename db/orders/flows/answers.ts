/** Answers of external services to the calls of flows (F18). */
import type { Flow } from '../../../domain/flows/run/flow.ts';
import { slowedUntil } from '../../../domain/flows/run/pace.ts';
import { korean, MINUTE } from '../../../domain/kernel/time.ts';
import type { Call } from '../../../workflows/kernel/messages.ts';
import { callId, LOST, pendingCalls, settleCall } from '../../flows/calls.ts';
import { readWaiting } from '../../flows/turns.ts';
import type { Tx } from '../../kernel/tx.ts';
import { applyDue, storeAnswer } from './advance.ts';
import { movingFlowOf, stateOf, type TransitionContext } from './context.ts';
import { callNext } from './externalCalls.ts';
import type { FlowState } from '../../../domain/flows/run/state.ts';

/** What operators read where the next move has to wait. */
export function slowedNote(state: FlowState): string {
  const until = slowedUntil(state);
  return until === null ? '' : ` Slowed until ${korean(until)}: by itself it moves 30 times in ten minutes and 500 in a day.`;
}

/** A call is over by then, its record included: whoever finds the run gone brings it back for what became of it. */
const OVER_MS = 2 * MINUTE;
/** When a run has something to do: its nearest deadline, or the turn of a call; without one the end of its calls. */
export function wakeAtOf(dueAt: number | null, { calls, waitsUntil }: PlannedCalls, at: number): number | null {
  if (waitsUntil !== null) return Math.min(dueAt ?? Infinity, waitsUntil);
  return dueAt ?? (calls.length === 0 ? null : at + OVER_MS);
}

/** What a flow asks of external services now. */
export interface PlannedCalls {
  /** To be made now. */
  readonly calls: readonly Call<'orderGroup', 'askExternal'>[];
  /** The business time at which a call that waits for its turn asks again; null: none waits. */
  readonly waitsUntil: number | null;
}
export const NO_PLANNED_CALLS: PlannedCalls = { calls: [], waitsUntil: null };

export const turnNote = ({ waitsUntil }: PlannedCalls): string =>
  waitsUntil === null ? '' : ` A request waits for its turn; it asks again at ${korean(waitsUntil)}.`;

/** The owner is the item, or the group. */
export async function plannedCallsOf(tx: Tx, flow: Flow, flowState: FlowState, ownerId: string): Promise<PlannedCalls> {
  const { storeId, at, realNow } = tx;
  const pending = pendingCalls(flow, flowState);
  if (pending.length === 0) return NO_PLANNED_CALLS;
  const waiting = await readWaiting(tx, ownerId);
  const retryAt = (call: string): number => waiting.get(call) ?? 0;
  const later = pending.filter(({ call }) => retryAt(call) > realNow);
  const calls = pending
    .filter((one) => !later.includes(one))
    .map(({ call, nodeId }) => ({
      id: callId(ownerId, call),
      name: 'askExternal' as const,
      storeId,
      input: { ownerId, nodeId, call, at },
    }));
  return { calls, waitsUntil: later.length === 0 ? null : at + Math.min(...later.map(({ call }) => retryAt(call))) - realNow };
}

interface Answer {
  readonly callId: string;
  readonly outcome: { readonly result: string };
}
/**
 * A request that was not made asks again at its turn. An answer frees the turn of the next one at once; it is applied in its own turn,
 * which may be later. A deadline that passed before goes first: then the answer is late, and dropped.
 */
export async function applyAnswer(context: TransitionContext, ownerId: string, { callId: id, outcome }: Answer): Promise<void> {
  if (outcome.result === 'waiting') return;
  const call = pendingCalls(movingFlowOf(context), stateOf(context)).find((one) => callId(ownerId, one.call) === id);
  if (!call) return;
  const { tx } = context;
  await settleCall(tx, ownerId, call.call, LOST);
  await callNext(tx);
  storeAnswer(context, call.call, tx.at);
  await applyDue(context);
}
