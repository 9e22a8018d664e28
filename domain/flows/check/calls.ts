/** Calls of other flows: there is a published version, it suits, it does not lead back, and all together stay within limits (F35). */
import type { Bundle, CallNode, Graph } from '../graph/graph.ts';
import { flowKeyOf } from './bundle.ts';
import { MAX_BYTES, MAX_EDGES, MAX_NODES } from '../form/schemas.ts';
import type { Report } from './issues.ts';
import type { View } from './view.ts';

/** Subflows in one another, and the nodes of a graph with those of its subflows, as often as they are called. */
const MAX_DEPTH = 5;
const MAX_IN_ALL = 300;

export interface Extent {
  readonly depth: number;
  readonly nodes: number;
}
const progressionOf = ({ requires }: Graph): string => requires?.progression ?? 'ITEM';
const callsIn = ({ states }: Graph): readonly CallNode[] => states.filter((node) => node.type === 'call');

/** Of a published graph, whose calls are pinned to others of its bundle. */
function extentIn(bundle: Bundle, graph: Graph): Extent {
  const inner = callsIn(graph).flatMap(({ flow }) => (bundle[flow] ? [extentIn(bundle, bundle[flow])] : []));
  return sum(graph, inner);
}
const sum = ({ states }: Graph, inner: readonly Extent[]): Extent => ({
  depth: Math.max(0, ...inner.map(({ depth }) => depth + 1)),
  nodes: inner.reduce((total, { nodes }) => total + nodes, states.length),
});

export function checkCalls({ graph, context }: View, { block }: Report): void {
  const inner: Extent[] = [];
  for (const node of callsIn(graph)) {
    const where = { nodeId: node.id, field: 'flow' };
    const key = flowKeyOf(node.flow);
    const { exists, bundle } = context.published(key);
    const main = bundle?.[''];
    if (key === context.key) block('CALL_CYCLE', where, 'A flow does not call itself.');
    else if (!exists) block('CALL_TARGET_MISSING', where, `There is no flow ${key}.`);
    else if (!bundle || !main) block('CALL_TARGET_UNPUBLISHED', where, `The flow ${key} is not published.`);
    else {
      if (Object.keys(bundle).some((pinned) => flowKeyOf(pinned) === context.key))
        block('CALL_CYCLE', where, `The flow ${key} leads back here.`);
      if (progressionOf(main) !== progressionOf(graph))
        block('REQUIRES_INVALID', where, `The flow ${key} has the progression ${progressionOf(main)}, this one ${progressionOf(graph)}.`);
      inner.push(extentIn(bundle, main));
    }
  }
  const { depth, nodes } = sum(graph, inner);
  if (depth > MAX_DEPTH) block('GRAPH_TOO_LARGE', {}, `Subflows are at most ${MAX_DEPTH} deep.`);
  if (nodes > MAX_IN_ALL) block('GRAPH_TOO_LARGE', {}, `With its subflows, a graph has at most ${MAX_IN_ALL} nodes.`);
}

/** Whether the graph by itself is small enough to be looked at further. */
export function isSmallEnough({ states, edges }: Graph, bytes: number, { block }: Report): boolean {
  if (states.length <= MAX_NODES && edges.length <= MAX_EDGES && bytes <= MAX_BYTES) return true;
  block('GRAPH_TOO_LARGE', {}, `A graph has at most ${MAX_NODES} nodes, ${MAX_EDGES} edges and ${MAX_BYTES / 1024} KiB.`);
  return false;
}
