/** Limited actions: a place from which only actions lead on that may be used up is one where a flow may stay for ever. */
import { flowKeyOf } from './bundle.ts';
import type { Edge, Graph } from '../graph/graph.ts';
import { reach } from '../graph/reach.ts';
import { MAX_BRANCHES } from '../form/schemas.ts';
import type { Report } from './issues.ts';
import { createView, type View } from './view.ts';

const keyOn = ({ on }: Edge): string | null => (on.type === 'seller.action' || on.type === 'buyer.action' ? on.key : null);

export function checkLimits(view: View, { block }: Report): void {
  for (const id of stuckNodes(view)) block('CANNOT_FINISH', { nodeId: id }, 'The actions that lead on from here may have been used up.');
  checkRepeatedCalls(view, block);
}

const limitedActions = ({ actions }: Graph): ReadonlySet<string> =>
  new Set(actions.flatMap(({ key, maxUses }) => (maxUses === undefined ? [] : [key])));
const withoutLimited = (graph: Graph) => {
  const limited = limitedActions(graph);
  return (edge: Edge) => !limited.has(keyOn(edge) ?? '');
};

/** Where each action may be used up is found out only if limited actions are needed at all. */
function stuckNodes(view: View): readonly string[] {
  if (stuckAt(view, withoutLimited(view.graph)).length === 0) return [];
  const used = new Map(
    view.graph.actions.flatMap(({ key, maxUses }) => (maxUses === undefined ? [] : [[key, usedUpAt(view, key, maxUses)] as const])),
  );
  return stuckAt(view, (edge) => !used.get(keyOn(edge) ?? '')?.has(edge.from));
}

/** The nodes from which an end is reached, but not by edges that are sure. */
function stuckAt(view: View, isSure: (edge: Edge) => boolean): readonly string[] {
  const { graph, before, reachable, nodes, edgesFrom } = view;
  const ends = graph.states.flatMap(({ id, type }) => (type === 'end' ? [id] : []));
  const leads = (from: string, to: string) =>
    nodes.get(from)?.type === 'parallel' || edgesFrom(from).some((edge) => edge.to === to && !edge.internal && isSure(edge));
  const sure = reach(ends, (id) => before(id).filter((from) => leads(from, id)));
  const finishing = reach(ends, before);
  return [...reachable].filter((id) => finishing.has(id) && !sure.has(id));
}

/** Where an action may have been used as often as it can be: the most uses on any way from the start, and those of branches at its side. */
function usedUpAt(view: View, key: string, maxUses: number): ReadonlySet<string> {
  const { graph, nodes, edgesFrom, next } = view;
  const edges = graph.edges.filter((edge) => keyOn(edge) === key);
  // A way that uses it more often than there are edges goes round in a circle: it may go round once more.
  const max = Math.min(maxUses, edges.length + 1);
  const uses = new Map<string, number>(nodes.has(graph.start) ? [[graph.start, 0]] : []);
  const open = [...uses.keys()];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const taken = edgesFrom(id).flatMap((edge) => (keyOn(edge) === key && nodes.has(edge.to) ? [[edge.to, 1] as const] : []));
    for (const [to, one] of [...taken, ...next(id).map((following) => [following, 0] as const)]) {
      const total = Math.min(max, uses.get(id)! + one);
      if ((uses.get(to) ?? -1) >= total) continue;
      uses.set(to, total);
      open.push(to);
    }
  }
  return new Set([...[...uses].flatMap(([id, count]) => (count >= max ? [id] : [])), ...sharedIn(view, edges)]);
}

/** The nodes of several branches of one parallel node that lead on by the same action. */
function sharedIn(view: View, edges: readonly Edge[]): readonly string[] {
  if (edges.length < 2) return [];
  return view.graph.states.flatMap((node) => {
    if (node.type !== 'parallel') return [];
    const using = node.branches.slice(0, MAX_BRANCHES).map(({ start }) => {
      const inside = view.branchNodes(node, start);
      return edges.flatMap(({ from }) => (inside.has(from) ? [from] : []));
    });
    return using.filter((ids) => ids.length > 0).length > 1 ? using.flat() : [];
  });
}

/** Uses of a subflow's actions count over the whole run: one that needs limited actions is called once. */
function checkRepeatedCalls(view: View, block: Report['block']): void {
  const callers = new Map<string, string>();
  for (const node of view.graph.states) {
    if (node.type !== 'call') continue;
    const key = flowKeyOf(node.flow);
    const { version, bundle } = view.context.published(key);
    const needing = Object.entries(bundle ?? {}).flatMap(([pinned, graph]) =>
      needsLimited(graph, view) ? [pinned || `${key}@${version}`] : [],
    );
    const isAgain =
      needing.some((pinned) => callers.has(pinned)) || (needing.length > 0 && reach(view.next(node.id), view.next).has(node.id));
    if (isAgain) block('CANNOT_FINISH', { nodeId: node.id }, 'This flow needs actions whose uses are limited in all: it is called once.');
    for (const pinned of needing) callers.set(pinned, node.id);
  }
}
const needsLimited = (graph: Graph, { context }: View): boolean =>
  limitedActions(graph).size > 0 && stuckAt(createView(graph, context), withoutLimited(graph)).length > 0;
