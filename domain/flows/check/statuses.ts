/**
 * Edges on which the public status falls. Joins, parallel and call nodes have none of their own: they take that with which they are
 * entered.
 */
import type { Edge, Node } from '../graph/graph.ts';
import { PROGRESS, type PublicStatus } from '../graph/status.ts';
import { flowKeyOf } from './bundle.ts';
import type { Report } from './issues.ts';
import { reach } from '../graph/reach.ts';
import { MAX_BRANCHES } from '../form/schemas.ts';
import type { View } from './view.ts';

interface Span {
  readonly low: number;
  readonly high: number;
}
const DONE = PROGRESS.PURCHASE_DECIDED;
const rank = (status: string): number => (Object.hasOwn(PROGRESS, status) ? PROGRESS[status as PublicStatus] : DONE);

export function checkFalls(view: View, { warn }: Report): void {
  const spans = spansOf(view);
  const insideOf = insides(view);
  for (const edge of view.graph.edges) {
    const before = highestWithin(view, edge, spans, insideOf);
    const after = lowestAt(view, edge.to, spans);
    if (!edge.internal && before !== undefined && after !== undefined && after < before)
      warn('STATUS_BACKWARDS', { edgeId: edge.id }, 'The public status may fall here.');
  }
}

/** Which statuses a node may be entered with, or has. */
function spansOf(view: View): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  const open = view.graph.states.flatMap((node) => (ownRank(node) === null ? [] : [node.id]));
  for (const id of open) spans.set(id, { low: ownRank(view.nodes.get(id)!)!, high: ownRank(view.nodes.get(id)!)! });
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const { low, high } = spans.get(id)!;
    for (const next of view.next(id)) {
      const node = view.nodes.get(next)!;
      if (ownRank(node) !== null) continue;
      const known = spans.get(next) ?? { low: Infinity, high: -Infinity };
      const wider = { low: Math.min(known.low, low), high: Math.max(known.high, high, calledRank(view, node)) };
      if (wider.low === known.low && wider.high === known.high) continue;
      spans.set(next, wider);
      open.push(next);
    }
  }
  return spans;
}
function ownRank(node: Node): number | null {
  if (node.type === 'end') return DONE;
  return node.type === 'state' || node.type === 'external' ? rank(node.status) : null;
}

/** The most advanced status inside a called flow, which it keeps at its end. */
function calledRank({ context }: View, node: Node): number {
  if (node.type !== 'call') return -Infinity;
  const graphs = Object.values(context.published(flowKeyOf(node.flow)).bundle ?? {});
  const ranks = graphs.flatMap(({ states }) => states.map((inner) => (inner.type === 'end' ? -Infinity : (ownRank(inner) ?? -Infinity))));
  return Math.max(-Infinity, ...ranks);
}

/** The most advanced status where the edge is taken: of a parallel node, that of its branches. */
function highestWithin(
  { nodes }: View,
  { from }: Edge,
  spans: ReadonlyMap<string, Span>,
  insideOf: ReadonlyMap<string, ReadonlySet<string>>,
): number | undefined {
  if (nodes.get(from)?.type !== 'parallel') return spans.get(from)?.high;
  return Math.max(...[from, ...insideOf.get(from)!].map((id) => spans.get(id)?.high ?? -Infinity));
}
const insides = ({ nodes, branchNodes }: View): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    [...nodes.values()].flatMap((node) =>
      node.type === 'parallel'
        ? [[node.id, new Set(node.branches.slice(0, MAX_BRANCHES).flatMap(({ start }) => [...branchNodes(node, start)]))] as const]
        : [],
    ),
  );

/** The least advanced status right after a node is entered: of a parallel node, that of its branches' starts. */
function lowestAt({ nodes }: View, id: string, spans: ReadonlyMap<string, Span>): number | undefined {
  const begins = (one: string) => {
    const node = nodes.get(one);
    return node?.type === 'parallel' ? node.branches.map(({ start }) => start) : [];
  };
  return Math.min(...[...reach([id], begins)].map((one) => spans.get(one)?.low ?? Infinity));
}
