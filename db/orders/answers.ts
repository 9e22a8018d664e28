/** Answers of external services to the calls of flows (F17, F18). */
import type { Flow } from '../../domain/flows/flow.ts';
import { MINUTE } from '../../domain/kernel/time.ts';
import type { Call } from '../../workflows/kernel/messages.ts';
import { type Answered, callId, pendingCalls, settleCall } from '../flows/calls.ts';
import { advance, applyDue } from './advance.ts';
import { movingFlowOf, stateOf, type TransitionContext } from './context.ts';
import type { FlowState } from '../../domain/flows/state.ts';

/** A call is over by then, its record included: whoever finds the run gone brings it back for what became of it. */
const OVER_MS = 2 * MINUTE;
/** When a run has something to do: its nearest deadline, and without one the end of its calls. */
export const wakeAtOf = (dueAt: number | null, calls: readonly object[], at: number): number | null =>
  dueAt ?? (calls.length === 0 ? null : at + OVER_MS);

const LOST: Answered = { result: 'failed', data: null };

/** The calls that a flow waits for, at the business time `at`; the owner is the item, or the group. */
export const askCalls = (
  flow: Flow,
  flowState: FlowState,
  { storeId, ownerId }: { readonly storeId: string; readonly ownerId: string },
  at: number,
) =>
  pendingCalls(flow, flowState).map(({ call, nodeId }): Call<'orderGroup', 'askExternal'> => ({
    id: callId(ownerId, call),
    name: 'askExternal',
    storeId,
    input: { ownerId, nodeId, call, at },
  }));

/**
 * A deadline that passed before the answer goes first: then the answer is late, and dropped. A request without a stored answer was lost: it
 * has failed, and stays so whatever becomes of it.
 */
export async function applyAnswer(context: TransitionContext, ownerId: string, id: string): Promise<void> {
  const pending = () => pendingCalls(movingFlowOf(context), stateOf(context)).find(({ call }) => callId(ownerId, call) === id);
  if (!pending()) return;
  // With more due than this transaction takes the answer waits in its row: the run asks for it again.
  if (!(await applyDue(context))) return;
  const call = pending();
  if (!call) return;
  const { result: value, data } = (await settleCall(context.tx, ownerId, call.call, LOST)) ?? LOST;
  await advance(context, { type: 'result', call: call.call, value, ...(data && { data }) });
}
