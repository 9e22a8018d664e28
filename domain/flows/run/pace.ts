/**
 * The pace of what a run does by itself: deadlines and answers of external services (F44). Transitions, simulations and replays ask here
 * when the next one comes. What people do is never slowed.
 */
import { DAY, MINUTE } from '../../kernel/time.ts';
import type { FlowState } from './state.ts';
import { nearest } from './positions.ts';

/** So many moves within so many business milliseconds. */
const LIMITS = [
  { max: 30, within: 10 * MINUTE },
  { max: 500, within: DAY },
] as const;
const MAX_MOVES = 500;

/** The business time from which there is room for another move. */
export function roomAt({ moves = [] }: FlowState): number {
  return Math.max(...LIMITS.map(({ max, within }) => (moves.at(-max) ?? -Infinity) + within));
}

/** When the nearest deadline passes: at its own time, or later where there is no room before; Infinity: none is armed. */
export const elapsesAt = (state: FlowState): number => Math.max(nearest(state)?.at ?? Infinity, roomAt(state));

/** With one move more; whatever was slowed goes on. */
export function withMove(state: FlowState, at: number): FlowState {
  const { slowedUntil: _, moves = [], ...rest } = state;
  return { ...rest, moves: [...moves.filter((earlier) => earlier > at - DAY), at].slice(-MAX_MOVES) };
}

/** What a run does next by itself, and when. */
export type OwnMove =
  | { readonly type: 'elapsed'; readonly at: number }
  /** The answer to this call has come. */
  | { readonly type: 'answered'; readonly at: number; readonly call: string }
  /** It is due at `at` and has no room before `until`: told once, in a record of its own. */
  | { readonly type: 'slowed'; readonly at: number; readonly until: number };

/** The deadline or the answer that comes first, a deadline before an answer of its time; null: the run waits for others. */
export function nextOwn(state: FlowState): OwnMove | null {
  const move = firstOf(state);
  if (!move) return null;
  const room = roomAt(state);
  if (room <= move.at) return move;
  return state.slowedUntil === room ? { ...move, at: room } : { type: 'slowed', at: move.at, until: room };
}

function firstOf(state: FlowState): Exclude<OwnMove, { readonly type: 'slowed' }> | null {
  const due = nearest(state);
  const answer = firstAnswer(state);
  if (due && !(answer && answer.at < due.at)) return { type: 'elapsed', at: due.at };
  return answer;
}
function firstAnswer({ positions, done }: FlowState): Extract<OwnMove, { readonly type: 'answered' }> | null {
  if (done) return null;
  let first: Extract<OwnMove, { readonly type: 'answered' }> | null = null;
  for (const { call, answeredAt } of positions)
    if (call !== undefined && answeredAt !== undefined && (!first || answeredAt < first.at))
      first = { type: 'answered', at: answeredAt, call };
  return first;
}

/** The answer to a call has come: it waits for its turn. */
export const answered = (state: FlowState, call: string, at: number): FlowState => ({
  ...state,
  positions: state.positions.map((position) =>
    position.call === call && position.answeredAt === undefined ? { ...position, answeredAt: at } : position,
  ),
});

/** Until when the next move is slowed; null: it is not. Items of a group show their group's. */
export function slowedUntil(state: FlowState): number | null {
  const { slowedUntil: until } = state;
  return until !== undefined && (firstOf(state)?.at ?? Infinity) < until ? until : null;
}
