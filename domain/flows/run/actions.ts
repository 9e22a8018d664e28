/** The actions that a flow offers now, and the built-in ones among them. */
import { edgesOn, isPossible } from './enter.ts';
import type { Flow } from './flow.ts';
import type { Action, PlatformAction } from '../graph/graph.ts';
import { isUsedUp } from './act.ts';
import { isHeld, leaves } from './positions.ts';
import type { FlowState, RefusalReason } from './state.ts';

export interface ActionView {
  readonly action: Action;
  /** Why it is disabled; null: it is enabled. Conditions are judged when it is sent (F25). */
  readonly reason: RefusalReason | null;
}

/** The actions of `by` at the running positions, each once; `member`: who would act, in a group. */
export function actions(flow: Flow, state: FlowState, by: 'seller' | 'buyer', member?: string): ActionView[] {
  const blocked = blockedReason(flow, state, member);
  const views = new Map<string, ActionView>();
  for (const location of leaves(flow, state))
    for (const action of location.graph.graph.actions) {
      if (action.by !== by || views.get(action.key)?.reason === null) continue;
      const edges = edgesOn(location, { type: `${by}.action`, key: action.key });
      if (edges.length === 0) continue;
      const possibleReason = () => (edges.some((edge) => isPossible(location, edge)) ? null : 'NOT_IN_STATE');
      const own = isUsedUp(state, location, action) ? 'LIMIT_REACHED' : possibleReason();
      views.set(action.key, { action, reason: blocked ?? own });
    }
  return [...views.values()];
}
function blockedReason(flow: Flow, state: FlowState, member?: string): RefusalReason | null {
  if (state.done) return 'FINISHED';
  return isHeld(flow, state, member) ? 'CLAIM_IN_PROGRESS' : null;
}

/** The action that is a built-in endpoint now for `member`, whatever its key; undefined where the state has none. */
export function platformAction(flow: Flow, state: FlowState, platform: PlatformAction, member: string): Action | undefined {
  const by = platform === 'decide' || platform === 'extend' ? 'buyer' : 'seller';
  const found = actions(flow, state, by, member).filter(({ action }) => action.platform === platform);
  return (found.find(({ reason }) => reason === null) ?? found[0])?.action;
}
