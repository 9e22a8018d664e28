/** Answers of external services to the calls of flows (F17, F18). */
import type { Flow } from '../../domain/flows/flow.ts';
import type { Call } from '../../workflows/kernel/messages.ts';
import { type Answered, callId, pendingCalls, settleCall } from '../flows/calls.ts';
import { flowOf } from '../flows/loaded.ts';
import { advance, applyDue } from './advance.ts';
import { stateOf, type TransitionContext } from './context.ts';
import type { FlowState } from '../../domain/flows/state.ts';

const LOST: Answered = { result: 'failed', data: null };

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
 * A deadline that passed before the answer goes first: then the answer is late, and dropped. A request without a stored answer was lost: it
 * has failed, and stays so whatever becomes of it.
 */
export async function applyAnswer(context: TransitionContext, ownerId: string, id: string): Promise<void> {
  const pending = () => pendingCalls(flowOf(context.item), stateOf(context)).find(({ call }) => callId(ownerId, call) === id);
  if (!pending()) return;
  await applyDue(context);
  const request = pending();
  if (!request) return;
  const { result: value, data } = (await settleCall(context.tx, ownerId, request.call, LOST)) ?? LOST;
  await advance(context, { type: 'result', call: request.call, value, ...(data && { data }) });
}
