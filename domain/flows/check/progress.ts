/** Whether everything is reached, and everything finishes. */
import type { Node } from '../graph/graph.ts';
import { resultsOf } from './edges.ts';
import type { Report } from './issues.ts';
import { reach } from '../graph/reach.ts';
import type { View } from './view.ts';

export function checkProgress(view: View, { block }: Report): void {
  const { graph, nodes, reachable } = view;
  if (!nodes.has(graph.start)) return;
  for (const { id } of graph.states) if (!reachable.has(id)) block('NODE_UNREACHABLE', { nodeId: id }, 'It is not reached from the start.');
  const ends = graph.states.flatMap(({ id, type }) => (type === 'end' && reachable.has(id) ? [id] : []));
  if (ends.length === 0) return block('NO_TERMINAL', {}, 'No end is reached from the start.');
  const finishing = reach(ends, view.before);
  for (const node of graph.states)
    if (reachable.has(node.id) && !finishing.has(node.id) && !isReportedAlready(view, node))
      block('CANNOT_FINISH', { nodeId: node.id }, 'No end is reached from here.');
}
/** A node that nothing leaves has a problem of its own. */
const isReportedAlready = ({ next }: View, node: Node): boolean =>
  next(node.id).length === 0 && (node.type === 'state' || resultsOf(node).length > 0);

/** Nodes that pass on by themselves, in a circle. A call waits in its subflow's start. */
export function checkCircles(view: View, { block }: Report): void {
  const isInstant = (id: string) => ['external', 'parallel', 'join'].includes(view.nodes.get(id)!.type);
  const passesTo = (id: string) => view.next(id).filter(isInstant);
  const comesFrom = (id: string) => view.before(id).filter(isInstant);
  const reported = new Set<string>();
  for (const { id } of view.graph.states) {
    if (reported.has(id) || !isInstant(id)) continue;
    const behind = reach(passesTo(id), passesTo);
    if (!behind.has(id)) continue;
    for (const other of behind.intersection(reach([id], comesFrom))) reported.add(other);
    block('AUTO_CYCLE', { nodeId: id }, 'It comes back here without any state that waits.');
  }
}
