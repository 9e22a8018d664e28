/** The deadlines of a position: they are armed at its entry, rest while a claim is open, and can be extended. */
import { DAY, duration, MINUTE } from '../../kernel/time.ts';
import { type Draft, evaluate } from './draft.ts';
import type { Deadline } from '../graph/graph.ts';
import type { Location } from './positions.ts';
import type { Due, FlowState, Position } from './state.ts';

/** The deadline of a parallel or call node. */
export const TIMEOUT = 'timeout';

/**
 * The store's days are read when the deadline is armed: a later change of the setting does not move it. 0 days arm nothing. Times
 * that are past at the entry fire at once. Where the flow comes back within a minute they fire a minute later: they never lead round in
 * circles, neither within a moment nor by way of an external service.
 */
export function armDeadlines(draft: Draft, location: Location): readonly Due[] {
  const { node, position } = location;
  if (node.type === 'state') {
    const path = pathOf(draft.state.positions, position);
    const recent = Object.entries(draft.state.firedAtEntry ?? {}).filter(([, at]) => draft.at - at < MINUTE);
    const fireAt = draft.at + (recent.some(([known]) => known === path) ? MINUTE : 0);
    const due = (node.deadlines ?? []).flatMap((deadline) => arm(draft, location, deadline, fireAt));
    if (due.some(({ isPast }) => isPast)) draft.state = { ...draft.state, firedAtEntry: { ...Object.fromEntries(recent), [path]: fireAt } };
    return due.map(({ key, at }) => ({ key, at }));
  }
  if ((node.type !== 'parallel' && node.type !== 'call') || node.deadline === undefined) return [];
  return [{ key: TIMEOUT, at: draft.at + (duration(node.deadline) ?? 0) }];
}

/** Which place of the whole flow a position is at: its node, with the branches and calls that it is inside. */
function pathOf(positions: readonly Position[], { node, branch = '', parent }: Position): string {
  const above = positions.find(({ id }) => id === parent);
  return `${above ? pathOf(positions, above) : ''}/${branch}/${node}`;
}

interface Armed {
  readonly key: string;
  readonly at: number;
  /** It was past at the entry. */
  readonly isPast: boolean;
}
/** One that is past fires at `fireAt`, or is skipped; one that cannot be told arms nothing. */
function arm(draft: Draft, location: Location, { key, after, at: source, setting, ifPast }: Deadline, fireAt: number): Armed[] {
  if (source !== undefined) {
    const at = evaluate(draft, location, source);
    if (typeof at !== 'number') return [];
    if (at > draft.at) return [{ key, at, isPast: false }];
    return ifPast === 'skip' ? [] : [{ key, at: fireAt, isPast: true }];
  }
  const bySetting = setting === undefined ? 0 : draft.facts.settings[setting] * DAY;
  const wait = after === undefined ? bySetting : (duration(after) ?? 0);
  return wait > 0 ? [{ key, at: draft.at + wait, isPast: false }] : [];
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
