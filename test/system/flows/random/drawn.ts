/** Random flows as a store publishes them: keys of their own, permissions, and external nodes whose answers are known. */
import fc from 'fast-check';
import type { Action, Edge, ExternalNode, Graph, Node, Permission, Permissions, StateNode } from '../../../../domain/flows/graph/graph.ts';
import type { Simulation } from '../../../../domain/flows/rehearse/simulate.ts';
import { type PublishableFlow, publishableFlows } from '../../../units/flows/arbitraries.ts';
import { Pen } from '../../../units/flows/pen.ts';

/** The connections of external nodes: one that answers, and one that the store does not have. */
export const CONNECTION = 'service';
const NO_CONNECTION = 'absent';
type Results = Simulation['results'];

export interface DrawnFlow {
  /** Those that are called before those that call them; the last one is the one to run. */
  readonly flows: readonly { readonly key: string; readonly graph: Graph }[];
  /** How external services answer, by node. */
  readonly results: Results;
}

/** Flows from a seed. Their path tells an external service what to answer: `/success`, `/failed`. */
export const drawFlows = (seed: number, count: number): readonly DrawnFlow[] =>
  fc.sample(publishableFlows, { seed, numRuns: count }).map((flow, i) => drawn(flow, `r${i}`, new Pen(seed + i)));

function drawn({ flows }: PublishableFlow, prefix: string, pen: Pen): DrawnFlow {
  const results: Record<string, Results[string]> = {};
  const external = (node: ExternalNode): ExternalNode => {
    const result = (results[node.id] ??= pen.pick(['success', 'failed', 'skipped']));
    return { ...node, secret: result === 'skipped' ? NO_CONNECTION : CONNECTION, path: `/${result}` };
  };
  const node = (one: Node): Node => {
    if (one.type === 'call') return { ...one, flow: `${prefix}-${one.flow}` };
    if (one.type === 'external') return external(one);
    return one.type === 'state' ? { ...one, ...permissions(pen, one) } : one;
  };
  const action = (one: Action): Action => (one.maxUses === undefined ? one : { ...one, maxUses: pen.count(1, 2) });
  const own = flows.map(({ key, graph }) => ({
    key: `${prefix}-${key}`,
    graph: { ...graph, states: graph.states.map(node), actions: graph.actions.map(action) },
  }));
  return { flows: Object.keys(results).length === 0 ? own : own.map(apart()), results };
}

/** A cancel before it is on its way, a return afterwards. */
function permissions(pen: Pen, { status }: StateNode): { readonly permissions?: Permissions } {
  if (pen.chance(40)) return {};
  const key =
    status === 'PAID' || status === 'CONFIRMED' ? pen.pick(['buyerCancel', 'cancelRequest', 'cancelRequest'] as const) : 'returnRequest';
  return {
    permissions: { [key]: pen.pick<true | Permission>([true, true, { within: 'P4D' }, { fee: { type: 'ratio', percent: 12.5 } }]) },
  };
}

/**
 * Answers of external services take a moment, and move by it whatever is counted from them. So that nothing else falls due within that
 * moment, durations differ by minutes.
 */
function apart(): (flow: DrawnFlow['flows'][number]) => DrawnFlow['flows'][number] {
  let minutes = 0;
  const longer = (duration: string): string => `${duration}T${++minutes}M`;
  const node = (one: Node): Node => {
    if ((one.type === 'parallel' || one.type === 'call') && one.deadline) return { ...one, deadline: longer(one.deadline) };
    if (one.type !== 'state' || !one.deadlines) return one;
    return { ...one, deadlines: one.deadlines.map((due) => (due.after ? { ...due, after: longer(due.after) } : due)) };
  };
  const edge = (one: Edge): Edge =>
    one.run ? { ...one, run: one.run.map((run) => (run.type === 'deadline.extend' ? { ...run, by: longer(run.by) } : run)) } : one;
  return ({ key, graph }) => ({ key, graph: { ...graph, states: graph.states.map(node), edges: graph.edges.map(edge) } });
}
