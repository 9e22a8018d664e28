/** Answers of external services to the calls of flows (F17, F18). */
import type { Flow } from '../../domain/flows/flow.ts';
import { slowedUntil } from '../../domain/flows/pace.ts';
import { korean, MINUTE } from '../../domain/kernel/time.ts';
import type { Call } from '../../workflows/kernel/messages.ts';
import { callId, pendingCalls } from '../flows/calls.ts';
import { applyDue, keepAnswer } from './advance.ts';
import { movingFlowOf, stateOf, type TransitionContext } from './context.ts';
import type { FlowState } from '../../domain/flows/state.ts';

/** What operators read where the next move has to wait (F44). */
export function slowedNote(state: FlowState): string {
  const until = slowedUntil(state);
  return until === null ? '' : ` Slowed until ${korean(until)}: by itself it moves 30 times in ten minutes and 500 in a day.`;
}

/** A call is over by then, its record included: whoever finds the run gone brings it back for what became of it. */
const OVER_MS = 2 * MINUTE;
/** When a run has something to do: its nearest deadline, and without one the end of its calls. */
export const wakeAtOf = (dueAt: number | null, calls: readonly object[], at: number): number | null =>
  dueAt ?? (calls.length === 0 ? null : at + OVER_MS);

/** The calls that a flow waits for, at the business time `at`; the owner is the item, or the group. */
export const askCalls = (
  flow: Flow,
  { storeId, flowState }: { readonly storeId: string; readonly flowState: FlowState },
  ownerId: string,
  at: number,
) =>
  pendingCalls(flow, flowState).map(({ call, nodeId }): Call<'orderGroup', 'askExternal'> => ({
    id: callId(ownerId, call),
    name: 'askExternal',
    storeId,
    input: { ownerId, nodeId, call, at },
  }));

/**
 * A deadline that passed before the answer goes first: then the answer is late, and dropped. With more due than this transaction takes, or
 * without room for it (F44), the answer waits in its row for its turn.
 */
export async function applyAnswer(context: TransitionContext, ownerId: string, id: string): Promise<void> {
  const call = pendingCalls(movingFlowOf(context), stateOf(context)).find((one) => callId(ownerId, one.call) === id);
  if (!call) return;
  keepAnswer(context, call.call, context.tx.at);
  await applyDue(context);
}
