/** Mermaid state diagrams from the code: of flows from their graphs, of state machines by applying every event to every state. */
import { labelOf as nodeLabel } from '../../domain/flows/run/flow.ts';
import type { Edge, Graph, Trigger } from '../../domain/flows/graph/graph.ts';

export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}
const START = '[*]';

/** One arrow for each pair of states with all its labels; without arrows from a state to itself. */
export function diagram(initial: string, arrows: readonly Arrow[], finals: readonly string[]): string {
  const labels = new Map<string, Set<string>>();
  for (const { from, to, label } of arrows) {
    if (from === to) continue;
    const key = `${from} --> ${to}`;
    labels.set(key, (labels.get(key) ?? new Set()).add(label));
  }
  return [
    '```mermaid',
    'stateDiagram-v2',
    `  ${START} --> ${initial}`,
    ...[...labels].map(([key, all]) => `  ${key}: ${[...all].toSorted().join('<br>')}`),
    ...finals.map((final) => `  ${final} --> ${START}`),
    '```',
  ].join('\n');
}

/** All states reachable from the first, with the arrows between their names. */
export function explore<State>(
  initial: State,
  next: (state: State) => readonly { readonly label: string; readonly state: State }[],
  name: (state: State) => string,
  same: (state: State) => string,
): Arrow[] {
  const arrows: Arrow[] = [];
  const seen = new Set([same(initial)]);
  for (const open = [initial]; open.length > 0;) {
    const state = open.pop()!;
    for (const one of next(state)) {
      arrows.push({ from: name(state), to: name(one.state), label: one.label });
      if (seen.has(same(one.state))) continue;
      seen.add(same(one.state));
      open.push(one.state);
    }
  }
  return arrows;
}

/** The diagram of a flow: states with the buyer's label and the public status, edges with their triggers. */
export function flowDiagram({ start, states, edges }: Graph): string {
  const ends = states.filter(({ type }) => type === 'end').map(({ id }) => id);
  const named = states.map((state) => {
    const status = state.type === 'state' ? ` · ${state.status}` : '';
    return `  ${state.id}: ${state.id} · ${nodeLabel(state)}${status}`;
  });
  return diagram(start, edges.map(arrowOf), ends).replace('stateDiagram-v2', ['stateDiagram-v2', ...named].join('\n'));
}
const arrowOf = ({ from, to, on }: Edge): Arrow => ({ from, to, label: labelOf(on) });
const labelOf = (on: Trigger): string => {
  if (on.type === 'elapsed') return `${on.deadline} elapsed`;
  if (on.type === 'event') return on.name;
  if (on.type === 'result') return on.value;
  return `${on.type === 'seller.action' ? 'seller' : 'buyer'}: ${on.key}`;
};
