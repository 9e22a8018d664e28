/**
 * A flow on a clock of its own: `step`, as transitions call it, with deadlines and external calls at their own times. Simulations and
 * replays run on it; they have no rules beside it.
 */
import type { Flow } from './flow.ts';
import { answered, nextOwn, type OwnMove } from './pace.ts';
import { locationOf } from './positions.ts';
import { step } from './step.ts';
import type { Effect, Facts, FlowEvent, FlowState, Refusal, Trace } from './state.ts';

/** An accepted event: what it did, and where the flow stood afterwards. */
export interface Happening {
  readonly event: FlowEvent;
  readonly at: number;
  readonly effects: readonly Effect[];
  readonly trace: readonly Trace[];
  readonly state: FlowState;
}
export interface Clockwork {
  readonly flow: Flow;
  /** As they are in this state; null: before the start. */
  readonly factsOf: (state: FlowState | null, event: FlowEvent) => Facts;
  /** How an external service answers. */
  readonly resultOf: (nodeId: string) => 'success' | 'skipped' | 'failed';
  /** How many more happenings it takes part in. What is due after them stays due, and it is cut short. */
  room: number;
  isCut: boolean;
  at: number;
  state: FlowState | null;
}

/** Applies one event now. A refusal changes nothing. */
export function happen(clockwork: Clockwork, event: FlowEvent): Happening | Refusal {
  const { flow, at, state } = clockwork;
  const result = step(flow, state, event, at, clockwork.factsOf(state, event));
  if (!result.ok) return result;
  clockwork.state = result.state;
  clockwork.room--;
  const { effects, trace } = result;
  return { event, at, effects, trace, state: result.state };
}
export const isRefusal = (outcome: Happening | Refusal): outcome is Refusal => 'ok' in outcome;

/**
 * Everything that follows `first` at its time: what is due already, and answers of external services in the order of their calls. As in a run,
 * where an answer takes a while, a deadline that has come by then goes before it.
 */
export function follow(clockwork: Clockwork, first: Happening): readonly Happening[] {
  const all = [first];
  const calls = [...callsOf(first)];
  for (;;) {
    const next = elapseOnce(clockwork, clockwork.at)[0] ?? answerNext(clockwork, calls);
    if (!next) return all;
    all.push(next);
    calls.push(...callsOf(next));
  }
}
type ExternalCall = Extract<Effect, { readonly type: 'external.call' }>;
const callsOf = ({ effects }: Happening): readonly ExternalCall[] => effects.filter((effect) => effect.type === 'external.call');

/** The answer to the first call that is awaited still: it has its turn now, or waits for it (F44). */
function answerNext(clockwork: Clockwork, calls: ExternalCall[]): Happening | null {
  for (let next = calls.shift(); next; next = calls.shift()) {
    const { call } = next;
    const { state, at } = clockwork;
    if (!state?.positions.some((position) => position.call === call)) continue;
    clockwork.state = answered(state, call, at);
    const [happening] = elapseOnce(clockwork, at);
    if (happening) return happening;
  }
  return null;
}

/** Moves the clock to `until`: each deadline at its own time, with all that follows. */
export function elapseUntil(clockwork: Clockwork, until: number): readonly Happening[] {
  const all: Happening[] = [];
  for (let [first] = elapseOnce(clockwork, until); first; [first] = elapseOnce(clockwork, until)) all.push(...follow(clockwork, first));
  clockwork.at = until;
  return all;
}

/** Asked when there is more to do. */
function hasRoom(clockwork: Clockwork): boolean {
  if (clockwork.room <= 0) clockwork.isCut = true;
  return clockwork.room > 0;
}

/** What the flow does next by itself, and everything else that is due at that time. */
function elapseOnce(clockwork: Clockwork, until: number): readonly Happening[] {
  const own = clockwork.state && nextOwn(clockwork.state);
  if (!own || own.at > until || !hasRoom(clockwork)) return [];
  clockwork.at = Math.max(clockwork.at, own.at);
  const done = happen(clockwork, eventOf(clockwork, own));
  return isRefusal(done) ? [] : [done];
}
function eventOf({ flow, state, resultOf }: Clockwork, own: OwnMove): FlowEvent {
  if (own.type === 'elapsed') return { type: 'elapsed' };
  if (own.type === 'slowed') return { type: 'SLOWED', until: own.until };
  const position = state!.positions.find(({ call }) => call === own.call)!;
  return { type: 'result', call: own.call, value: resultOf(locationOf(flow, position).node.id) };
}
