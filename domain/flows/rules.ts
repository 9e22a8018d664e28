/**
 * The order-flow interpreter: one pure function for commands, deadlines and events (docs/contract.md#flow). Transitions, reads and the
 * API's early refusals call it alike.
 */
import type { PublicStatus } from './status.ts';
import { DAY, duration } from '../kernel/time.ts';
import type { Action, Edge, Graph, Node, PermissionKey, Trigger } from './graph.ts';
import type { Due, Effect, Facts, FlowEvent, FlowState, Position, ReduceCause, Refusal, StepResult, Trace } from './state.ts';

type Refuse = Pick<Refusal, 'code' | 'reason'>;
const refuse = ({ code, reason }: Refuse): Refusal => ({ ok: false, code, reason });
const isRefusal = (result: Draft | Refusal): result is Refusal => 'ok' in result;

/** An unfinished step: the state so far, the effects and the trace that it has produced. */
interface Draft {
  readonly state: FlowState;
  readonly effects: readonly Effect[];
  readonly trace: readonly Trace[];
}

/**
 * Applies one event at the business time `at`. `elapsed` applies everything due by then, nearest first, each at
 * its own time: dispatched at 0 with 7 + 7 days, elapsed at day 20 → delivered on day 7, decided on day 14.
 */
export function step(graph: Graph, state: FlowState | null, event: FlowEvent, at: number, facts: Facts): StepResult {
  const result = perform({ graph, facts, at }, state, event);
  if (isRefusal(result)) return result;
  return { ok: true, ...result, state: { ...result.state, seq: (state?.seq ?? 0) + 1 } };
}

interface Context {
  readonly graph: Graph;
  readonly facts: Facts;
  readonly at: number;
}

function perform(context: Context, state: FlowState | null, event: FlowEvent): Draft | Refusal {
  if (event.type === 'start') return start(context, event.members);
  if (state === null) return refuse({ code: 'STALE', reason: 'STALE' });
  const draft: Draft = { state, effects: [], trace: [] };
  switch (event.type) {
    case 'seller.action':
    case 'buyer.action':
      return pass(context, draft, { type: event.type, key: event.key }, 'ACTION_NOT_AVAILABLE');
    case 'event':
      return pass(context, draft, { type: 'event', name: event.name }, 'FLOW_EVENT_NOT_ACCEPTED');
    case 'elapsed':
      return elapse(context, draft);
    case 'claim.opened':
      return { ...draft, state: openClaim(state, event.claimId, event.member, context.at) };
    case 'claim.closed':
      return { ...draft, state: closeClaim(state, event.claimId, context.at) };
    case 'reduced':
      return reduce(context, draft, event);
    default:
      return event satisfies never;
  }
}

function start(context: Context, members: FlowState['members']): Draft {
  const state: FlowState = { v: 1, seq: 0, members, claims: [], status: 'PAID', positions: [] };
  return enter(context, { state, effects: [], trace: [] }, context.graph.start, []);
}

function pass(context: Context, draft: Draft, on: Trigger, code: Refuse['code']): Draft | Refusal {
  const { state } = draft;
  if (state.done) return refuse({ code, reason: 'FINISHED' });
  if (isPaused(state)) return refuse({ code, reason: 'CLAIM_IN_PROGRESS' });
  const edge = edgeFor(context.graph, state, on);
  return edge && isPossible(state, edge) ? take(context, draft, edge) : refuse({ code, reason: 'NOT_IN_STATE' });
}

/** A deadline that is not armed cannot be extended. */
const isPossible = (state: FlowState, edge: Edge): boolean =>
  (edge.run ?? []).every(
    (run) => run.type !== 'deadline.extend' || state.positions.some((p) => p.due.some(({ key }) => key === run.deadline)),
  );

function elapse(context: Context, draft: Draft): Draft {
  const due = nearest(draft.state);
  if (due === null || due.at > context.at) return draft;
  const { positions } = draft.state;
  const rest = positions.map((p) => ({ ...p, due: p.due.filter((d) => d.key !== due.key) }));
  const fired: Draft = { ...draft, state: { ...draft.state, positions: rest } };
  const edge = edgeFor(context.graph, draft.state, { type: 'elapsed', deadline: due.key });
  return elapse(context, edge ? take({ ...context, at: due.at }, fired, edge) : fired);
}

function take(context: Context, draft: Draft, edge: Edge): Draft {
  const executed = (edge.run ?? []).reduce<Draft>((d, run) => {
    if (run.type !== 'deadline.extend') return { ...d, effects: [...d.effects, { type: run.type, at: context.at }] };
    const by = duration(run.by) ?? 0;
    const extend = (due: Due): Due =>
      due.key !== run.deadline ? due : due.at === null ? { ...due, left: (due.left ?? 0) + by } : { ...due, at: due.at + by };
    const positions = d.state.positions.map((p) => ({ ...p, due: p.due.map(extend) }));
    return { ...d, state: { ...d.state, positions } };
  }, draft);
  const passed = [edge.id];
  if (!edge.internal) return enter(context, executed, edge.to, passed);
  const here = executed.state.positions.map((p) => p.node);
  return { ...executed, trace: [...executed.trace, { at: context.at, edges: passed, from: here, to: here }] };
}

function enter(context: Context, draft: Draft, nodeId: string, passed: readonly string[]): Draft {
  const { graph, at } = context;
  const node = nodeOf(graph, nodeId);
  const was = draft.state;
  const position: Position = { id: was.positions[0]?.id ?? 'p0', node: nodeId, enteredAt: at, due: deadlines(context, node) };
  const status = statusOf(node);
  const from = was.positions.map((p) => p.node);
  const effects: Effect[] = [...draft.effects, { type: 'state', from: from[0] ?? null, to: nodeId, label: node.label, at }];
  if (status !== was.status) effects.push({ type: 'status', from: was.status, to: status, at });
  return {
    state: { ...was, status, positions: [position], ...(node.type === 'end' && { done: node.outcome }) },
    effects,
    trace: [...draft.trace, { at, edges: passed, from, to: [nodeId] }],
  };
}

/** The store's days are read when the deadline is armed: a later change of the setting does not move it (D31). 0 days arm nothing. */
function deadlines({ facts, at }: Context, node: Node): Due[] {
  if (node.type === 'end') return [];
  return (node.deadlines ?? []).flatMap((deadline): Due[] => {
    const after = 'after' in deadline ? (duration(deadline.after) ?? 0) : facts.settings[deadline.setting] * DAY;
    return after > 0 ? [{ key: deadline.key, at: at + after }] : [];
  });
}

/** How an item ends when its last units leave (D11). */
const ENDS = {
  SELLER_CANCEL: { node: 'canceled', label: '취소 완료', status: 'CANCELED', done: 'CANCELED' },
  CLAIM_CANCEL: { node: 'canceled', label: '취소 완료', status: 'CANCELED', done: 'CANCELED' },
  CLAIM_RETURN: { node: 'returned', label: '반품 완료', status: 'RETURNED', done: 'CANCELED' },
  CLAIM_EXCHANGE: { node: 'exchanged', label: '교환 완료', status: 'EXCHANGED', done: 'COMPLETED' },
} as const satisfies Record<ReduceCause, object>;

function reduce(
  context: Context,
  draft: Draft,
  { member: memberId, quantity, cause }: Extract<FlowEvent, { readonly type: 'reduced' }>,
): Draft | Refusal {
  const { state } = draft;
  const member = state.members.find((m) => m.id === memberId);
  if (state.done || !member) return refuse({ code: 'STALE', reason: 'STALE' });
  if (quantity < 1 || quantity > member.activeQuantity) return refuse({ code: 'INVALID_QUANTITY', reason: 'INVALID_QUANTITY' });
  const members = state.members
    .map((m) => (m.id === memberId ? { ...m, activeQuantity: m.activeQuantity - quantity } : m))
    .filter((m) => m.activeQuantity > 0);
  if (members.length > 0) return { ...draft, state: { ...state, members } };
  const positions = state.positions.map((p) => ({ ...p, due: [] }));
  const from = positions[0]?.node ?? null;
  const { node, label, status, done } = ENDS[cause];
  return {
    ...draft,
    state: { ...state, members, positions, status, done },
    effects: [
      { type: 'state', from, to: node, label, at: context.at },
      { type: 'status', from: state.status, to: status, at: context.at },
    ],
  };
}

function openClaim(state: FlowState, claimId: string, member: string, at: number): FlowState {
  const claims = [...state.claims, { id: claimId, member }];
  if (isPaused(state)) return { ...state, claims };
  const pause = (due: Due): Due => (due.at === null ? due : { key: due.key, at: null, left: Math.max(0, due.at - at) });
  return { ...state, claims, positions: state.positions.map((p) => ({ ...p, due: p.due.map(pause) })) };
}

function closeClaim(state: FlowState, claimId: string, at: number): FlowState {
  const claims = state.claims.filter((claim) => claim.id !== claimId);
  if (claims.length > 0 || !isPaused(state)) return { ...state, claims };
  const resume = (due: Due): Due => (due.at === null ? { key: due.key, at: at + (due.left ?? 0) } : due);
  return { ...state, claims, positions: state.positions.map((p) => ({ ...p, due: p.due.map(resume) })) };
}

const isPaused = (state: FlowState) => state.claims.length > 0;

function edgeFor(graph: Graph, state: FlowState, on: Trigger): Edge | undefined {
  const here = new Set(state.positions.map((p) => p.node));
  return graph.edges.find((edge) => here.has(edge.from) && sameTrigger(edge.on, on));
}
function sameTrigger(a: Trigger, b: Trigger): boolean {
  if (a.type === 'elapsed') return b.type === 'elapsed' && a.deadline === b.deadline;
  if (a.type === 'event') return b.type === 'event' && a.name === b.name;
  return a.type === b.type && a.key === b.key;
}

/** A node of a graph by its id; throws for an unknown id, which a valid graph never names. */
export function nodeOf(graph: Graph, nodeId: string): Node {
  const node = graph.states.find((candidate) => candidate.id === nodeId);
  if (!node) throw new Error(`The flow has no node ${nodeId}`);
  return node;
}
const statusOf = (node: Node): PublicStatus =>
  node.type === 'state' ? node.status : node.outcome === 'CANCELED' ? 'CANCELED' : 'PURCHASE_DECIDED';

/** The deadline that falls due first, or null: the run's next timer. */
export function nearest(state: FlowState): { key: string; at: number } | null {
  const armed = state.positions.flatMap((p) => p.due.flatMap(({ key, at }) => (at === null ? [] : [{ key, at }])));
  return armed.reduce<{ key: string; at: number } | null>((least, due) => (least && least.at <= due.at ? least : due), null);
}

/** Whether every current position has this permission: a seller's cancel needs `sellerForcedCancel`. */
export const permits = (graph: Graph, state: FlowState, permission: PermissionKey): boolean =>
  !state.done &&
  state.positions.every((p) => {
    const node = nodeOf(graph, p.node);
    return node.type === 'state' && node.permissions?.[permission] !== undefined;
  });

/** Whether every current position offers a permission now; null: it does. The moment at which its time ends still counts. */
export function permissionRefusal(
  graph: Graph,
  state: FlowState,
  key: PermissionKey,
  at: number,
): 'NOT_IN_STATE' | 'PERIOD_EXPIRED' | null {
  if (!permits(graph, state, key)) return 'NOT_IN_STATE';
  const isOver = state.positions.some(({ node, enteredAt }) => {
    const found = nodeOf(graph, node);
    const permission = found.type === 'state' ? found.permissions?.[key] : undefined;
    return typeof permission === 'object' && at > enteredAt + (duration(permission.within) ?? 0);
  });
  return isOver ? 'PERIOD_EXPIRED' : null;
}

export interface ActionView {
  readonly action: Action;
  readonly reason: Refusal['reason'] | null;
}

/** The actions of `by` at the current position; `reason` says why one is disabled, null when it is enabled. */
export function actions(graph: Graph, state: FlowState, by: 'seller' | 'buyer'): ActionView[] {
  const here = new Set(state.positions.map((p) => p.node));
  const edges = new Map(
    graph.edges.flatMap((edge) =>
      here.has(edge.from) && edge.on.type === `${by}.action` && 'key' in edge.on ? [[edge.on.key, edge]] : [],
    ),
  );
  const reason = state.done ? 'FINISHED' : isPaused(state) ? 'CLAIM_IN_PROGRESS' : null;
  return graph.actions.flatMap((action) => {
    const edge = action.by === by ? edges.get(action.key) : undefined;
    return edge ? [{ action, reason: reason ?? (isPossible(state, edge) ? null : 'NOT_IN_STATE') }] : [];
  });
}

/** States that an item may be set to directly: never an end node, and none while a claim is open (docs/contract.md#flow). */
export function moveTargets(graph: Graph, state: FlowState): string[] {
  if (state.done || isPaused(state)) return [];
  return graph.states.filter((n) => n.type === 'state' && n.id !== state.positions[0]?.node).map((n) => n.id);
}
