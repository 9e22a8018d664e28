/** When a flow decides by itself, as buyers are told. */
import { edgesOn } from './enter.ts';
import type { Flow } from './flow.ts';
import type { Deadline } from '../graph/graph.ts';
import { type Location, locationOf } from './positions.ts';
import type { FlowState } from './state.ts';

/** The nearest deadline that leads to a COMPLETED end of the main graph, or that is the store's days of decision; none that is hidden. */
export function decisionAt(flow: Flow, { positions }: FlowState): number | null {
  const times = positions.flatMap((position) => {
    const location = locationOf(flow, position);
    const { node } = location;
    const deciding = node.type === 'state' ? (node.deadlines ?? []).filter((deadline) => decides(flow, location, deadline)) : [];
    const keys = new Set(deciding.map(({ key }) => key));
    return position.due.flatMap(({ key, at }) => (at !== null && keys.has(key) ? [at] : []));
  });
  return times.length === 0 ? null : Math.min(...times);
}

function decides({ main }: Flow, location: Location, { key, setting, hidden }: Deadline): boolean {
  if (hidden) return false;
  if (setting === 'autoConfirmDays') return true;
  if (location.graph !== main) return false;
  const targets = edgesOn(location, { type: 'elapsed', deadline: key }).map(({ to }) => main.nodes.get(to));
  return targets.some((node) => node?.type === 'end' && node.outcome === 'COMPLETED');
}
