/** Random flows that may be published: sequences of states, parallel regions, calls and external services, with all that edges can have. */
import fc from 'fast-check';
import { bundleOf } from '../../../domain/flows/check/bundle.ts';
import { type CheckContext, checkGraph } from '../../../domain/flows/check/checkGraph.ts';
import type { Bundle, Graph } from '../../../domain/flows/graph/graph.ts';
import { buildGraph, type Extra, type Recipe, type Segment } from './building.ts';

const guard: fc.Arbitrary<string> = fc.constantFrom(
  'item.quantity > 1',
  'item.activeQuantity == item.quantity',
  'has(item.inputs.choice) && item.inputs.choice == "A"',
  'now > order.paidAt + duration("48h")',
  // It fails at run time where one was bought: then it does not hold.
  'item.unitPrice / (item.quantity - 1) > 0',
);
const maybe: fc.Arbitrary<string | null> = fc.option(guard, { freq: 2 });
const run = fc.constantFrom(
  'refund',
  'deduct',
  'stock.restore',
  'stock.capture',
  'notify',
  'tracking.start',
  'fulfillment.record',
  'extend',
);
const extra: fc.Arbitrary<Extra> = fc.record({
  on: fc.constantFrom('seller', 'buyer', 'event', 'at', 'setting'),
  to: fc.constantFrom('next', 'stay', 'again', 'back'),
  when: maybe,
  run: fc.uniqueArray(run, { maxLength: 2, selector: (name) => (name === 'deduct' ? 'refund' : name) }),
  maxUses: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }),
  hasForm: fc.boolean(),
});
const state: fc.Arbitrary<Segment> = fc.record({
  kind: fc.constant('state' as const),
  status: fc.constantFrom('PAID', 'CONFIRMED', 'DISPATCHED', 'DELIVERED'),
  exit: fc.constantFrom('time', 'seller', 'both'),
  extras: fc.array(extra, { maxLength: 3 }),
  isCancelable: fc.boolean(),
  needsFiles: fc.boolean(),
});
const external: fc.Arbitrary<Segment> = fc.record({
  kind: fc.constant('external' as const),
  status: fc.constantFrom('PAID', 'CONFIRMED', 'DISPATCHED', 'DELIVERED'),
  when: maybe,
});
const call = (flows: number): fc.Arbitrary<Segment>[] =>
  flows === 0 ? [] : [fc.record({ kind: fc.constant('call' as const), flow: fc.nat(flows - 1), hasDeadline: fc.boolean() })];
const sequence = (flows: number, depth: number, minLength: number): fc.Arbitrary<readonly Segment[]> =>
  fc.array(fc.oneof({ arbitrary: state, weight: 3 }, external, ...call(flows), ...(depth > 0 ? [parallel(flows, depth - 1)] : [])), {
    minLength,
    maxLength: 3,
  });
const parallel = (flows: number, depth: number): fc.Arbitrary<Segment> =>
  fc.record({
    kind: fc.constant('parallel' as const),
    branches: fc.array(sequence(flows, depth, 0), { minLength: 2, maxLength: 3 }),
    hasDeadline: fc.boolean(),
  });
const recipe = (flows: number): fc.Arbitrary<Recipe> => fc.record({ first: state, rest: sequence(flows, 2, 1) }) as fc.Arbitrary<Recipe>;

/** Flows by their keys, those that are called before those that call them; the last one is the one to run. */
export interface PublishableFlow {
  readonly flows: readonly { readonly key: string; readonly graph: Graph }[];
  readonly graph: Graph;
  readonly bundle: Bundle;
}
const KEYS = ['random-sub', 'random-middle', 'random-main'];
const requires = fc.constantFrom(
  { progression: 'ITEM' } as const,
  { progression: 'ORDER_GROUP', groupClaim: 'PAUSE' } as const,
  { progression: 'ORDER_GROUP', groupClaim: 'CONTINUE' } as const,
);

/** Every state of them is left by time or by an unlimited action of the seller, so that everything can end. */
export const publishableFlows: fc.Arbitrary<PublishableFlow> = fc
  .integer({ min: 0, max: 2 })
  .chain((callees) => fc.tuple(requires, ...Array.from({ length: callees + 1 }, (_, i) => recipe(i))))
  .map(([wanted, ...recipes]) => {
    const keys = KEYS.slice(-recipes.length);
    const flows = recipes.map((one, i) => ({ key: keys[i]!, graph: { ...buildGraph(keys[i]!, one, keys.slice(0, i)), requires: wanted } }));
    return { flows, ...published(flows) };
  })
  // Calls of calls multiply: one in some thousands has more nodes than a graph may have with its subflows.
  .filter(({ flows }) => flows.every(({ key, graph }) => isSmall(graph, contextOf(flows, key))));
const isSmall = (graph: Graph, context: CheckContext): boolean =>
  checkGraph(graph, context).blocking.every(({ code }) => code !== 'GRAPH_TOO_LARGE');

/** The context of a flow, where those before it are published as version 1. */
export function contextOf(flows: PublishableFlow['flows'], key: string): CheckContext {
  const bundles = new Map<string, Bundle>();
  const context: CheckContext = {
    key,
    published: (flowKey) => {
      const bundle = bundles.get(flowKey) ?? null;
      return { exists: bundle !== null, version: bundle && 1, bundle };
    },
    secrets: new Set(['service']),
  };
  for (const flow of flows) {
    if (flow.key === key) break;
    bundles.set(flow.key, bundleOf(flow.graph, context).bundle);
  }
  return context;
}
function published(flows: PublishableFlow['flows']): { readonly graph: Graph; readonly bundle: Bundle } {
  const last = flows.at(-1)!;
  return bundleOf(last.graph, contextOf(flows, last.key));
}
