/**
 * A flow on a clock of its own: `step`, as transitions call it, with deadlines and external calls at their own times. Simulations and
 * replays run on it; they have no rules beside it.
 */
import type { Flow } from '../run/flow.ts';
import { answered, nextOwn, type OwnMove } from '../run/pace.ts';
import { locationOf } from '../run/positions.ts';
import { step } from '../run/step.ts';
import type { Effect, Facts, FlowEvent, FlowState, Refusal, Trace } from '../run/state.ts';

/** An accepted event: what it did, and where the flow stood afterwards. */
export interface Happening {
  readonly event: FlowEvent;
  readonly at: number;
  readonly effects: readonly Effect[];
  readonly trace: readonly Trace[];
  readonly state: FlowState;
}
/** Which bound a rehearsal has reached. */
export type Truncation = 'TIME' | 'HAPPENINGS' | 'SIZE';
/** What a rehearsal may still use. */
export interface Meter {
  /** Asked before more is done: the bound that leaves no room for it. */
  readonly spent: () => Truncation | null;
  /** Counts a happening; the bound that it would pass, and then it does not happen. */
  readonly take: (happening: Happening) => Truncation | null;
}
/** A rehearsal passes so many events, deadlines and answers of external services. */
const MAX_HAPPENINGS = 2000;
export function countHappenings(): Meter {
  let left = MAX_HAPPENINGS;
  return {
    spent: () => (left <= 0 ? 'HAPPENINGS' : null),
    take: () => {
      left--;
      return null;
    },
  };
}
export interface Clockwork {
  readonly flow: Flow;
  readonly meter: Meter;
  /** As they are in this state; null: before the start. */
  readonly factsOf: (state: FlowState | null, event: FlowEvent) => Facts;
  /** How an external service answers. */
  readonly resultOf: (nodeId: string) => 'success' | 'skipped' | 'failed';
  /** It was cut short here: what is due stays due, and nothing happens any more. */
  truncated: Truncation | null;
  at: number;
  state: FlowState | null;
}

const CUT: Refusal = { ok: false, code: 'VALIDATION_FAILED', reason: 'LIMIT_REACHED' };

/** Applies one event now. A refusal changes nothing, and so does what the meter leaves no room for. */
export function happen(clockwork: Clockwork, event: FlowEvent): Happening | Refusal {
  const { flow, at, state, meter } = clockwork;
  clockwork.truncated ??= meter.spent();
  if (clockwork.truncated) return CUT;
  const result = step(flow, state, event, at, clockwork.factsOf(state, event));
  if (!result.ok) return result;
  const { effects, trace } = result;
  const happening = { event, at, effects, trace, state: result.state };
  clockwork.truncated = meter.take(happening);
  if (clockwork.truncated) return CUT;
  clockwork.state = result.state;
  return happening;
}
export const isRefusal = (outcome: Happening | Refusal): outcome is Refusal => 'ok' in outcome;

/**
 * Everything that follows `first` at its time: what is due already, and answers of external services in the order of their calls. As in a
 * run, where an answer takes a while, a deadline that has come by then goes before it.
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

/** The answer to the first call that is awaited still: it has its turn now, or waits for it. */
function answerNext(clockwork: Clockwork, calls: ExternalCall[]): Happening | null {
  for (let next = calls.shift(); next && !clockwork.truncated; next = calls.shift()) {
    const { call } = next;
    const { state, at } = clockwork;
    if (!state?.positions.some((position) => position.call === call)) continue;
    clockwork.state = answered(state, call, at);
    const [happening] = elapseOnce(clockwork, at);
    if (happening) return happening;
  }
  return null;
}

/** Moves the clock to `until`, or to where it is cut short: each deadline at its own time, with all that follows. */
export function elapseUntil(clockwork: Clockwork, until: number): readonly Happening[] {
  const all: Happening[] = [];
  let [first] = elapseOnce(clockwork, until);
  while (first) {
    all.push(...follow(clockwork, first));
    [first] = elapseOnce(clockwork, until);
  }
  if (!clockwork.truncated) clockwork.at = until;
  return all;
}

/** What the flow does next by itself, and everything else that is due at that time. */
function elapseOnce(clockwork: Clockwork, until: number): readonly Happening[] {
  const own = clockwork.state && nextOwn(clockwork.state);
  if (!own || own.at > until) return [];
  const before = clockwork.at;
  clockwork.at = Math.max(clockwork.at, own.at);
  const done = happen(clockwork, eventOf(clockwork, own));
  if (clockwork.truncated) clockwork.at = before;
  return isRefusal(done) ? [] : [done];
}
function eventOf({ flow, state, resultOf }: Clockwork, own: OwnMove): FlowEvent {
  if (own.type === 'elapsed') return { type: 'elapsed' };
  if (own.type === 'slowed') return { type: 'SLOWED', until: own.until };
  const position = state!.positions.find(({ call }) => call === own.call)!;
  return { type: 'result', call: own.call, value: resultOf(locationOf(flow, position).node.id) };
}
