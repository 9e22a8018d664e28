/** The deadlines of a position: they are armed at its entry, rest while a claim is open, and can be extended. */
import { DAY, duration, MINUTE } from '../kernel/time.ts';
import { type Draft, evaluate } from './draft.ts';
import type { Deadline } from './graph.ts';
import type { Location } from './positions.ts';
import type { Due, FlowState, Position } from './state.ts';

/** The deadline of a parallel or call node. */
export const TIMEOUT = 'timeout';

/** The store's days are read when the deadline is armed: a later change of the setting does not move it (D31). 0 days arm nothing. */
export function armDeadlines(draft: Draft, location: Location): readonly Due[] {
  const { node } = location;
  if (node.type === 'state') return (node.deadlines ?? []).flatMap((deadline) => arm(draft, location, deadline));
  if ((node.type !== 'parallel' && node.type !== 'call') || node.deadline === undefined) return [];
  return [{ key: TIMEOUT, at: draft.at + (duration(node.deadline) ?? 0) }];
}

/**
 * A time that is past at the entry fires at once, or is skipped; one that cannot be told arms nothing (F39). Where the flow comes back within
 * a minute it fires a minute later: past times never lead round in circles, neither within a moment nor by way of an external service.
 */
function arm(draft: Draft, location: Location, deadline: Deadline): Due[] {
  const { key, after, at: source, setting, ifPast } = deadline;
  if (source !== undefined) {
    const at = evaluate(draft, location, source);
    if (typeof at !== 'number' || (at <= draft.at && ifPast === 'skip')) return [];
    return [{ key, at: at > draft.at ? at : fireAtEntry(draft, location) }];
  }
  const wait = after === undefined ? (setting === undefined ? 0 : draft.facts.settings[setting] * DAY) : (duration(after) ?? 0);
  return wait > 0 ? [{ key, at: draft.at + wait }] : [];
}

function fireAtEntry(draft: Draft, { node, position }: Location): number {
  const state = `${position.flow ?? ''}/${node.id}`;
  const recent = Object.entries(draft.state.firedAtEntry ?? {}).filter(([, at]) => draft.at - at < MINUTE);
  const at = draft.at + (recent.some(([key]) => key === state) ? MINUTE : 0);
  draft.state = { ...draft.state, firedAtEntry: { ...Object.fromEntries(recent), [state]: at } };
  return at;
}

export function extendDeadline(position: Position, deadline: string, by: string): Position {
  const more = duration(by) ?? 0;
  const extend = (due: Due): Due => {
    if (due.key !== deadline) return due;
    return due.at === null ? { ...due, left: (due.left ?? 0) + more } : { ...due, at: due.at + more };
  };
  return { ...position, due: position.due.map(extend) };
}

const withDue = (state: FlowState, change: (due: Due) => Due): FlowState => ({
  ...state,
  positions: state.positions.map((p) => ({ ...p, due: p.due.map(change) })),
});
/** Every deadline keeps the time that is left. */
export const pauseDeadlines = (state: FlowState, at: number): FlowState =>
  withDue(state, (due) => (due.at === null ? due : { key: due.key, at: null, left: Math.max(0, due.at - at) }));
export const resumeDeadlines = (state: FlowState, at: number): FlowState =>
  withDue(state, (due) => (due.at === null ? { key: due.key, at: at + (due.left ?? 0) } : due));
