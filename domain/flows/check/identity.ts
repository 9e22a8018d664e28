/** Ids that are there twice, the start, and what the flow asks of orders. */
import type { Report } from './issues.ts';
import type { View } from './view.ts';

/** Those that are there a second time. */
export function repeated<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const isAgain = seen.has(keyOf(item));
    seen.add(keyOf(item));
    return isAgain;
  });
}

export function checkIdentity({ graph }: View, { block }: Report): void {
  for (const { id } of repeated(graph.states, (node) => node.id)) block('NODE_DUPLICATE', { nodeId: id }, 'Two nodes have this id.');
  for (const { id } of repeated(graph.edges, (edge) => edge.id)) block('EDGE_DUPLICATE', { edgeId: id }, 'Two edges have this id.');
  for (const { key } of repeated(graph.actions, (action) => action.key))
    block('ACTION_DUPLICATE', { actionKey: key }, 'Two actions have this key.');
}

export function checkStart({ graph, nodes }: View, { block }: Report): void {
  const start = nodes.get(graph.start);
  if (start?.type === 'state' && start.status === 'PAID') return;
  block('START_INVALID', { nodeId: start?.id ?? null, field: 'start' }, 'A flow starts in a state with the status PAID.');
}

const PROGRESSIONS: ReadonlySet<string> = new Set(['ITEM', 'ORDER_GROUP']);
const GROUP_CLAIMS: ReadonlySet<string> = new Set(['PAUSE', 'CONTINUE']);
export function checkRequires({ graph }: View, { block }: Report): void {
  const { progression = 'ITEM', groupClaim } = graph.requires ?? {};
  if (!PROGRESSIONS.has(progression))
    block('REQUIRES_INVALID', { field: 'requires.progression' }, 'The progression is ITEM or ORDER_GROUP.');
  if (groupClaim === undefined) return;
  if (!GROUP_CLAIMS.has(groupClaim))
    block('REQUIRES_INVALID', { field: 'requires.groupClaim' }, 'A claim in a group lets it PAUSE or CONTINUE.');
  else if (progression !== 'ORDER_GROUP')
    block('REQUIRES_INVALID', { field: 'requires.groupClaim' }, 'groupClaim is for ORDER_GROUP only.');
}
