/** Taking edges and entering nodes: where a flow goes, and which effects that has. */
import { armDeadlines, extendDeadline } from './deadlines.ts';
import { type Draft, evaluate, nextId, nodesOf, positionOf, setPosition, whose } from './draft.ts';
import { runExecutions } from './executions.ts';
import { labelOf, nodeIn } from './flow.ts';
import type { Edge, Node, ParallelNode, Trigger } from '../graph/graph.ts';
import { moving, type Location, locationOf, statusAt, statusOf, statusOfPosition } from './positions.ts';
import { EARLIER } from './room.ts';
import type { Position } from './state.ts';
import { isBefore } from '../graph/status.ts';

/** A flow that passes more edges in one step stops there, and goes on with the next one. */
const MAX_EDGES = 500;

export const sameTrigger = (a: Trigger, b: Trigger): boolean => {
  if (a.type === 'elapsed') return b.type === 'elapsed' && a.deadline === b.deadline;
  if (a.type === 'event') return b.type === 'event' && a.name === b.name;
  if (a.type === 'result') return b.type === 'result' && a.value === b.value;
  return a.type === b.type && a.key === (b as { key: string }).key;
};
export const edgesOn = ({ graph, node }: Location, on: Trigger): readonly Edge[] =>
  (graph.edgesFrom.get(node.id) ?? []).filter((edge) => sameTrigger(edge.on, on));
/** The first edge whose condition holds; one that fails does not (F39). */
export const passable = (draft: Draft, location: Location, edges: readonly Edge[]): Edge | undefined =>
  edges.find(({ when }) => when === undefined || evaluate(draft, location, when) === true);

export const hasRoom = ({ trace }: Draft): boolean => trace.length < MAX_EDGES;

/** Takes an edge, and whatever follows by itself. */
export function take(draft: Draft, location: Location, edge: Edge, attachments: readonly string[] = []): void {
  pass(draft, location, edge, attachments);
  settle(draft);
}

/** Follows the results of automatic nodes until every position waits. */
export function settle(draft: Draft): void {
  for (let next = draft.results.shift(); next; next = draft.results.shift()) {
    const [id, value] = next;
    const position = draft.state.positions.find((p) => p.id === id);
    if (!position) continue;
    const at = locationOf(draft.flow, position);
    const follows = passable(draft, at, edgesOn(at, { type: 'result', value }));
    if (follows) pass(draft, at, follows, []);
    else draft.effects.push({ type: 'alert', nodeId: at.node.id, code: 'RESULT_UNCONNECTED', at: draft.at });
  }
}

function pass(draft: Draft, location: Location, edge: Edge, attachments: readonly string[]): void {
  const from = nodesOf(draft.state);
  const { id } = location.position;
  runExecutions(draft, location, edge.run ?? [], (key, by) => setPosition(draft, extendDeadline(positionOf(draft, id), key, by)));
  if (!edge.internal) {
    dropBelow(draft, id);
    leave(draft, id);
    enter(draft, id, edge.to, attachments);
  }
  draft.trace.push({ at: draft.at, edges: [edge.id], from, to: nodesOf(draft.state) });
}

/** Drops what runs below a parallel or call node; answers to its calls are late from now on (F36). */
export function dropBelow(draft: Draft, id: string): void {
  const { positions } = draft.state;
  if (!positions.some(({ parent }) => parent === id)) return;
  const below = new Set([id]);
  for (const { id: own, parent } of positions) if (parent !== undefined && below.has(parent)) below.add(own);
  for (const own of below) if (own !== id) leave(draft, own);
  draft.state = { ...draft.state, positions: draft.state.positions.filter((p) => p.id === id || !below.has(p.id)) };
}

/** What a position was entered with becomes earlier attachments. */
function leave(draft: Draft, id: string): void {
  const { attachments = [], ...rest } = positionOf(draft, id);
  if (attachments.length === 0) return;
  const { earlierAttachments = [] } = draft.state;
  draft.state = { ...draft.state, earlierAttachments: [...earlierAttachments, ...attachments].slice(-EARLIER) };
  setPosition(draft, rest);
}

/** What a position keeps wherever it goes: its graph, and the branch or subflow that it is. */
const belongs = ({ flow, parent, branch, floor }: Position): Pick<Position, 'flow' | 'parent' | 'branch' | 'floor'> => ({
  ...(flow !== undefined && { flow }),
  ...(parent !== undefined && { parent }),
  ...(branch !== undefined && { branch }),
  ...(floor !== undefined && { floor }),
});

/**
 * A position that was before somewhere else, at a node: a subflow's end keeps the status, and none falls below the one that it began with.
 */
function positionAt(draft: Draft, before: Position, node: Node, attachments: readonly string[]): Position {
  const { id, parent, floor } = before;
  const was = statusOfPosition(draft.flow, before);
  const reached = parent !== undefined && node.type === 'end' ? was : statusAt(node, was);
  return {
    id,
    node: node.id,
    enteredAt: draft.at,
    due: [],
    ...belongs(before),
    status: floor !== undefined && isBefore(reached, floor) ? floor : reached,
    ...(node.type === 'join' && parent !== undefined && { arrived: true as const }),
    ...(node.type === 'external' && { call: nextId(draft) }),
    ...(attachments.length > 0 && { attachments }),
  };
}

/** Puts a position at a node: deadlines, statuses, effects, and what is below it. */
export function enter(draft: Draft, id: string, nodeId: string, attachments: readonly string[] = []): void {
  const before = positionOf(draft, id);
  const node = nodeIn(draft.flow.compiled(before.flow), nodeId);
  const position = positionAt(draft, before, node, attachments);
  setPosition(draft, position);
  const due = armDeadlines(draft, locationOf(draft.flow, position));
  if (due.length > 0) setPosition(draft, { ...position, due });
  draft.effects.push({
    type: 'state',
    from: before.node === '' ? null : before.node,
    to: nodeId,
    label: labelOf(node),
    at: draft.at,
    ...whose(draft),
  });
  if (position.parent === undefined && node.type === 'end') end(draft, node.outcome);
  publishStatus(draft);
  enterBelow(draft, node, position);
}

/** The end of the main graph. What remains of its members is canceled where it is CANCELED. */
function end(draft: Draft, outcome: 'COMPLETED' | 'CANCELED'): void {
  draft.state = { ...draft.state, done: outcome };
  if (outcome === 'CANCELED')
    cancelMembers(
      draft,
      moving(draft.state).map(({ id }) => id),
    );
}
/** They leave as a seller cancels them; each is refunded once. */
export function cancelMembers(draft: Draft, ids: readonly string[]): void {
  const { members } = draft.state;
  const leavers = members
    .filter(({ id }) => ids.includes(id))
    .map(({ id, settled = false, restored = false }) => ({ id, settled, restored }));
  draft.effects.push({ type: 'cancel', leavers, at: draft.at });
}

/** Tells of a new public status: the least advanced of what runs. */
export function publishStatus(draft: Draft): void {
  if (draft.isBeginning) return;
  const { status: from, positions, done } = draft.state;
  const atEnd = done === 'CANCELED' ? 'CANCELED' : 'PURCHASE_DECIDED';
  const to = done ? atEnd : statusOf(draft.flow, positions, from);
  if (to === from) return;
  draft.effects.push({ type: 'status', from, to, at: draft.at, ...whose(draft) });
  draft.state = { ...draft.state, status: to };
}

function enterBelow(draft: Draft, node: Node, position: Position): void {
  switch (node.type) {
    case 'state':
      return;
    case 'external':
      return void draft.effects.push({ type: 'external.call', nodeId: node.id, call: position.call!, at: draft.at, ...whose(draft) });
    case 'parallel':
      return beginBranches(draft, node, position);
    case 'call':
      return begin(draft, position, { flow: node.flow, node: draft.flow.compiled(node.flow).graph.start });
    case 'join':
      return arrive(draft, position);
    case 'end':
      if (position.parent !== undefined) returnTo(draft, position.parent, node.outcome);
      return;
    default:
      return node satisfies never;
  }
}

/** The public status is told when all have begun. */
function beginBranches(draft: Draft, { branches }: ParallelNode, position: Position): void {
  const { isBeginning } = draft;
  draft.isBeginning = true;
  for (const { key, start } of branches) begin(draft, position, { branch: key, node: start });
  draft.isBeginning = isBeginning;
  publishStatus(draft);
}

interface Beginning {
  readonly node: string;
  readonly branch?: string;
  /** The flow that a call node begins; a branch runs in the graph of its parallel node. */
  readonly flow?: string;
}
function begin(draft: Draft, parent: Position, { node, branch, flow }: Beginning): void {
  const { id, flow: around } = parent;
  const status = statusOfPosition(draft.flow, parent);
  const graph = flow ?? around;
  const floor = flow === undefined ? parent.floor : status;
  const position: Position = {
    id: nextId(draft),
    node: parent.node,
    enteredAt: draft.at,
    due: [],
    parent: id,
    status,
    ...(graph !== undefined && { flow: graph }),
    ...(branch !== undefined && { branch }),
    ...(floor !== undefined && { floor }),
  };
  draft.state = { ...draft.state, positions: [...draft.state.positions, position] };
  enter(draft, position.id, node);
}

/** A branch has reached the join: the last one takes the parallel node's position there. The others' statuses no longer count. */
function arrive(draft: Draft, position: Position): void {
  const { parent: parentId } = position;
  if (parentId === undefined) return;
  const parent = positionOf(draft, parentId);
  const { node } = locationOf(draft.flow, parent);
  const branches = draft.state.positions.filter((p) => p.parent === parentId);
  if (node.type !== 'parallel' || branches.length < node.branches.length || !branches.every(({ arrived }) => arrived)) return;
  const status = statusOfPosition(draft.flow, position);
  dropBelow(draft, parentId);
  setPosition(draft, { ...parent, node: position.node, enteredAt: draft.at, due: [], status });
  draft.results.push([parentId, 'joined']);
}

/** A subflow has ended: its call node goes on. */
function returnTo(draft: Draft, parentId: string, outcome: 'COMPLETED' | 'CANCELED'): void {
  const inner = draft.state.positions.filter(({ parent }) => parent === parentId);
  const status = inner.map((p) => statusOfPosition(draft.flow, p)).at(-1);
  dropBelow(draft, parentId);
  const parent = positionOf(draft, parentId);
  setPosition(draft, { ...parent, due: [], ...(status !== undefined && { status }) });
  draft.results.push([parentId, outcome === 'CANCELED' ? 'canceled' : 'completed']);
}

/** Whether an internal edge can do what it does: a deadline that is not armed cannot be extended. */
export const isPossible = ({ position }: Location, edge: Edge): boolean =>
  (edge.run ?? []).every((run) => run.type !== 'deadline.extend' || position.due.some(({ key }) => key === run.deadline));
