/** Setting a flow to a state directly, and to another version of it. Neither takes an edge. */
import { armDeadlines } from './deadlines.ts';
import { beginStep, type Draft, nodesOf, positionOf, refuse, setPosition, stepped } from './draft.ts';
import { enter, publishStatus, settle } from './enter.ts';
import type { CompiledGraph, Flow } from './flow.ts';
import type { Node } from '../graph/graph.ts';
import { isHeld, locationOf } from './positions.ts';
import { reach } from '../graph/reach.ts';
import { EARLIER } from './room.ts';
import type { Facts, FlowEvent, FlowState, Position, Refusal, RefusalReason, StepResult } from './state.ts';

/** The nodes between parallel nodes and their joins. */
function insideBranches({ graph, nodes, edgesFrom }: CompiledGraph): ReadonlySet<string> {
  const inside = new Set<string>();
  const startsAt = (id: string) => {
    const node = nodes.get(id);
    return node?.type === 'parallel' ? node.branches.map(({ start }) => start) : [];
  };
  const follow = (id: string) => [...startsAt(id), ...(edgesFrom.get(id) ?? []).map(({ to }) => to)];
  for (const { id, join } of graph.states.filter((node) => node.type === 'parallel'))
    for (const one of reach(startsAt(id), (from) => (from === join ? [] : follow(from)))) if (one !== join) inside.add(one);
  return inside;
}

/**
 * Waiting states of the main graph outside parallel regions, but the present one, and none that needs attachments. `member`: of which item,
 * in a group; absent: the only one.
 */
export function moveTargets(flow: Flow, state: FlowState, member?: string): string[] {
  if (moveRefusal(flow, state, member)) return [];
  const inside = insideBranches(flow.main);
  const present = state.positions[0]!.node;
  return flow.main.graph.states.filter((node) => node.id !== present && isTarget(node) && !inside.has(node.id)).map(({ id }) => id);
}
const isTarget = (node: Node): boolean => node.type === 'state' && (node.attachments?.min ?? 0) === 0;

/** Why nothing can be moved now; null: it can. */
function moveRefusal(flow: Flow, state: FlowState, member?: string): RefusalReason | null {
  if (state.done) return 'FINISHED';
  if (isHeld(flow, state, member)) return 'CLAIM_IN_PROGRESS';
  if (state.positions.length > 1) return 'BRANCH_OR_SUBFLOW';
  return locationOf(flow, state.positions[0]!).node.type === 'external' ? 'EXTERNAL_PENDING' : null;
}

export function move(draft: Draft, { to, member }: Extract<FlowEvent, { readonly type: 'move' }>): Refusal | null {
  const { flow, state } = draft;
  const reason = moveRefusal(flow, state, member);
  if (reason) return refuse('FLOW_MOVE_NOT_ALLOWED', reason);
  if (!moveTargets(flow, state, member).includes(to)) return refuse('FLOW_MOVE_NOT_ALLOWED', 'NOT_A_TARGET');
  const from = nodesOf(state);
  const position = state.positions[0]!;
  const { attachments = [], ...rest } = position;
  const { earlierAttachments = [] } = state;
  if (attachments.length > 0) {
    setPosition(draft, rest);
    draft.state = { ...draft.state, earlierAttachments: [...earlierAttachments, ...attachments].slice(-EARLIER) };
  }
  enter(draft, position.id, to);
  settle(draft);
  draft.trace.push({ at: draft.at, edges: [], from, to: nodesOf(draft.state) });
  return null;
}

/** The states that items may keep in a version which they are moved to: those of the main graph outside parallel regions. */
export function sharedStates({ main }: Flow): readonly string[] {
  const inside = insideBranches(main);
  return main.graph.states.filter((node) => node.type === 'state' && !inside.has(node.id)).map(({ id }) => id);
}

/** Why an item stays in its version; null: it can be moved to the other one. */
export function migrationRefusal(from: Flow, to: Flow, state: FlowState): 'PROGRESSION' | 'SKIPPED' | null {
  if (from.progression !== to.progression) return 'PROGRESSION';
  const { node, call } = state.positions[0]!;
  const isMovable = !state.done && state.claims.length === 0 && state.positions.length === 1 && call === undefined;
  return isMovable && sharedStates(to).includes(node) ? null : 'SKIPPED';
}

/** State, inputs, data and attachments stay; deadlines start anew. Throws where `migrationRefusal` has a reason. */
export function migrate(from: Flow, to: Flow, state: FlowState, at: number, facts: Facts): Extract<StepResult, { readonly ok: true }> {
  const reason = migrationRefusal(from, to, state);
  if (reason) throw new Error(`The flow cannot be migrated: ${reason}`);
  const draft = beginStep(to, state, at, facts);
  const { status: _, ...rest } = positionOf(draft, state.positions[0]!.id);
  const position: Position = { ...rest, due: [] };
  setPosition(draft, position);
  setPosition(draft, { ...position, due: armDeadlines(draft, locationOf(to, position)) });
  publishStatus(draft);
  const nodes = nodesOf(state);
  draft.trace.push({ at, edges: [], from: nodes, to: nodes });
  return stepped(draft);
}
