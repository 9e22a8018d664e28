/** A graph as its checks look at it. Of nodes, edges and actions of one id, the first is meant. */
import type { Action, Bundle, Edge, Graph, Node, ParallelNode } from '../graph/graph.ts';
import type { PlatformFields } from '../graph/forms.ts';
import { reach } from '../graph/reach.ts';

export interface CheckContext {
  /** The flow's own key. */
  readonly key: string;
  /** A flow of the store by its key: whether there is one, and its newest published version. */
  readonly published: (flowKey: string) => { readonly exists: boolean; readonly version: number | null; readonly bundle: Bundle | null };
  /** The names of stored connections. */
  readonly secrets: ReadonlySet<string>;
  /** The fields of built-in actions, which declared ones have to suit. */
  readonly platformFields?: PlatformFields;
}
export interface View {
  readonly graph: Graph;
  readonly context: CheckContext;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly actions: ReadonlyMap<string, Action>;
  /** All that leave a node, those that lead nowhere too. */
  readonly edgesFrom: (id: string) => readonly Edge[];
  /** The nodes that follow by an edge that leaves, and the starts of branches. */
  readonly next: (id: string) => readonly string[];
  readonly before: (id: string) => readonly string[];
  /** The nodes of a branch: up to its join, and to nodes that are in no branch at all. */
  readonly branchNodes: (parallel: ParallelNode, start: string) => ReadonlySet<string>;
  /** Empty when there is no start. */
  readonly reachable: ReadonlySet<string>;
}

const byFirst = <T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T> =>
  new Map(items.toReversed().map((item) => [keyOf(item), item]));
const NONE: readonly never[] = [];

export function createView(graph: Graph, context: CheckContext): View {
  const nodes = byFirst(graph.states, ({ id }) => id);
  const from = Map.groupBy(graph.edges, (edge) => edge.from);
  const edgesFrom = (id: string) => from.get(id) ?? NONE;
  const following = new Map<string, string[]>();
  const preceding = new Map<string, string[]>();
  for (const [id, node] of nodes) {
    const starts = node.type === 'parallel' ? node.branches.map(({ start }) => start) : [];
    const targets = edgesFrom(id).flatMap(({ internal, to }) => (internal ? [] : [to]));
    const known = [...new Set([...targets, ...starts])].filter((one) => nodes.has(one));
    following.set(id, known);
    for (const one of known) preceding.set(one, [...(preceding.get(one) ?? []), id]);
  }
  const next = (id: string) => following.get(id) ?? NONE;
  return {
    graph,
    context,
    nodes,
    actions: byFirst(graph.actions, ({ key }) => key),
    edgesFrom,
    next,
    before: (id) => preceding.get(id) ?? NONE,
    branchNodes: branches(graph, nodes, next),
    reachable: nodes.has(graph.start) ? reach([graph.start], next) : new Set(),
  };
}

/** Each branch is followed once. */
function branches(graph: Graph, nodes: View['nodes'], next: View['next']): View['branchNodes'] {
  const known = new Map<string, ReadonlySet<string>>();
  const follow = ({ id: own, join }: ParallelNode, start: string): ReadonlySet<string> => {
    if (start === join || !nodes.has(start)) return new Set();
    const borders = new Set([join, own, graph.start]);
    const inside = new Set(reach([start], (id) => (borders.has(id) ? NONE : next(id))));
    inside.delete(join);
    return inside;
  };
  return (parallel, start) => {
    const key = `${parallel.id} ${start}`;
    const inside = known.get(key) ?? follow(parallel, start);
    known.set(key, inside);
    return inside;
  };
}
