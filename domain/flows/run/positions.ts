/** Where a flow stands: its positions, their nodes and statuses, and its members. */
import { type CompiledGraph, type Flow, nodeIn } from './flow.ts';
import type { Node } from '../graph/graph.ts';
import type { FlowState, Member, Position } from './state.ts';
import { leastAdvanced, type PublicStatus } from '../graph/status.ts';

export interface Location {
  readonly position: Position;
  readonly graph: CompiledGraph;
  readonly node: Node;
}
export function locationOf(flow: Flow, position: Position): Location {
  const graph = flow.compiled(position.flow);
  return { position, graph, node: nodeIn(graph, position.node) };
}

/** The positions that run: those without others below them, and not in a join already. */
export const leavesOf = (positions: readonly Position[]): readonly Position[] =>
  positions.length === 1 ? positions : positions.filter((p) => !p.arrived && !positions.some(({ parent }) => parent === p.id));
export const leaves = (flow: Flow, { positions }: FlowState): readonly Location[] =>
  leavesOf(positions).map((position) => locationOf(flow, position));

/** The public status of a node that is entered; of one that has none, the one before. */
export function statusAt(node: Node, before: PublicStatus): PublicStatus {
  if (node.type === 'state' || node.type === 'external') return node.status;
  if (node.type !== 'end') return before;
  return node.outcome === 'CANCELED' ? 'CANCELED' : 'PURCHASE_DECIDED';
}
/** States that were stored before positions had a status of their own have one position, in a state or an end. */
export const statusOfPosition = (flow: Flow, position: Position): PublicStatus =>
  position.status ?? statusAt(locationOf(flow, position).node, 'PAID');
/** The least advanced running position. */
export const statusOf = (flow: Flow, positions: readonly Position[], before: PublicStatus): PublicStatus =>
  leastAdvanced(leavesOf(positions).map((position) => statusOfPosition(flow, position))) ?? before;

/** Whether claims of members stop the whole flow: always, but in a group that goes on without them. */
export const goesOn = ({ progression, groupClaim }: Flow): boolean => progression === 'ORDER_GROUP' && groupClaim === 'CONTINUE';
export const isPaused = (flow: Flow, state: FlowState): boolean => state.claims.length > 0 && !goesOn(flow);
/** Whether an open claim keeps this member from acting. */
export const isHeld = (flow: Flow, state: FlowState, memberId?: string): boolean =>
  isPaused(flow, state) || state.claims.some(({ member }) => member === (memberId ?? state.members[0]?.id));

/** The members that move with the flow: all but those that stand still. */
export const moving = ({ members }: FlowState): readonly Member[] => members.filter(({ standsAt }) => standsAt === undefined);
/** The deadline that falls due first, or null: the run's next timer. */
export function nearest({ positions }: FlowState): { readonly key: string; readonly at: number; readonly position: string } | null {
  let earliest: { key: string; at: number; position: string } | null = null;
  for (const { id, due } of positions)
    for (const { key, at } of due) if (at !== null && (earliest === null || at < earliest.at)) earliest = { key, at, position: id };
  return earliest;
}
