/** A step under way: the state so far, and the effects and the trace that it has produced. It is local to one step. */
import type { Scope } from '../expressions/types.ts';
import { ExpressionError, type ExpressionErrorCode } from '../expressions/errors.ts';
import { MAX_EXPRESSION, MAX_STEP, Meter } from '../expressions/meter.ts';
import type { Flow } from './flow.ts';
import { moving, type Location } from './positions.ts';
import type { Effect, Facts, FlowState, Member, Position, Refusal, StepResult, Trace } from './state.ts';

export interface Draft {
  readonly flow: Flow;
  readonly facts: Facts;
  /** The business time of what happens now; `elapsed` moves it from one deadline to the next. */
  at: number;
  readonly seq: number;
  state: FlowState;
  readonly effects: Effect[];
  readonly trace: Trace[];
  /** What its conditions and deadlines may cost, and what its fees have cost. */
  readonly meter: Meter;
  feesCost: number;
  /** Results of automatic nodes that are still to be followed: [position, result]. */
  readonly results: (readonly [position: string, value: 'joined' | 'timeout' | 'completed' | 'canceled'])[];
  /** Counts new positions and calls, for their ids. */
  made: number;
  /** Branches are being begun: the public status is that of all of them, when the last one has. */
  isBeginning: boolean;
}

export const beginStep = (flow: Flow, state: FlowState, at: number, facts: Facts): Draft => ({
  flow,
  facts,
  at,
  seq: state.seq + 1,
  state,
  effects: [],
  trace: [],
  meter: new Meter(MAX_STEP),
  feesCost: 0,
  results: [],
  made: 0,
  isBeginning: false,
});

export const refuse = (code: Refusal['code'], reason: Refusal['reason']): Refusal => ({ ok: false, code, reason });
/** An id that no other step makes. */
export const nextId = (draft: Draft): string => `${draft.seq}.${draft.made++}`;
export const nodesOf = ({ positions }: FlowState): string[] => positions.map(({ node }) => node);

export function setPosition(draft: Draft, position: Position): void {
  const positions = draft.state.positions.map((p) => (p.id === position.id ? position : p));
  draft.state = { ...draft.state, positions };
}
export function setMembers(draft: Draft, change: (member: Member) => Member): void {
  draft.state = { ...draft.state, members: draft.state.members.map(change) };
}
export const positionOf = (draft: Draft, id: string): Position => draft.state.positions.find((p) => p.id === id)!;

/** The members that an effect is about; in a flow of one item that goes without saying. */
export const whose = ({ flow, state }: Draft): { readonly members?: readonly string[] } =>
  flow.progression === 'ITEM' ? {} : { members: moving(state).map(({ id }) => id) };

const NO_ORDER = { paidAt: 0, totalAmount: 0 };
const NO_HOLIDAYS: ReadonlySet<string> = new Set();

/** What an expression at this place sees. Shared decisions of a group see its first moving member. */
export function scopeAt(
  { state, facts, at }: Pick<Draft, 'state' | 'facts' | 'at'>,
  { enteredAt }: Position,
  memberId: string | undefined = moving(state)[0]?.id,
): Scope {
  const { items = {}, order = NO_ORDER, holidays = NO_HOLIDAYS } = facts;
  const activeQuantity = state.members.find(({ id }) => id === memberId)?.activeQuantity ?? 0;
  const item = items[memberId ?? ''] ?? { quantity: activeQuantity, unitPrice: 0, option: {}, stay: null };
  return { now: at, enteredAt, holidays, inputs: state.inputs ?? {}, item: { ...item, activeQuantity }, order };
}

/** The value of a condition or a deadline of the graph; null, with an alert, when it fails. */
export const evaluate = (draft: Draft, location: Location, source: string): boolean | number | null =>
  valueOf(draft, location, source, { meter: draft.meter });

/** The same of a fee. Each has a meter of its own, so that the last item of a group pays what the first one does. */
export function evaluateFee(draft: Draft, location: Location, source: string, refundable: number): boolean | number | null {
  const meter = new Meter(MAX_EXPRESSION);
  const value = valueOf(draft, location, source, { meter, refundable });
  draft.feesCost += meter.spent;
  return value;
}

function valueOf(
  draft: Draft,
  { graph, node, position }: Location,
  source: string,
  { meter, ...more }: Pick<Scope, 'refundable'> & { readonly meter: Meter },
): boolean | number | null {
  try {
    return graph.expressions.evaluate(source, { ...scopeAt(draft, position), ...more }, meter);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    alert(draft, node.id, error.code);
    return null;
  }
}

/** Once its meter has come to its end every condition of a step fails: that is told once. */
function alert({ effects, at }: Draft, nodeId: string, code: ExpressionErrorCode): void {
  const isReported = code === 'EXPRESSION_TOO_COSTLY' && effects.some((effect) => effect.type === 'alert' && effect.code === code);
  if (!isReported) effects.push({ type: 'alert', nodeId, code, at });
}

/** What a step that has ended is. */
export const stepped = ({ state, seq, effects, trace, meter, feesCost }: Draft): Extract<StepResult, { readonly ok: true }> => ({
  ok: true,
  state: { ...state, seq },
  effects,
  trace,
  cost: meter.spent + feesCost,
});
