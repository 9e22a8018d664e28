/** Records fed to a graph: its own accept all of them, another one parts where it differs. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileFlow, type Flow } from '../../../domain/flows/run/flow.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { builtInFlow } from '../../../domain/flows/presets/index.ts';
import { type FlowRecord, type Recorded, replay } from '../../../domain/flows/rehearse/replay.ts';
import { simulate, type SimulatedStep, type Simulation } from '../../../domain/flows/rehearse/simulate.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { flows, results, scripts, simulation } from './randomGraphs.ts';
import { Host } from './host.ts';

/** What a run writes of a scenario. */
function recordsOf(flow: Flow, scenario: Simulation): Recorded & { readonly records: readonly FlowRecord[] } {
  const happenings = simulate(flow, scenario).flatMap((answer) => answer.happenings);
  const records = happenings.map(({ event, at, trace }, i): FlowRecord => ({
    runId: `flr_${i}`,
    event: event.type === 'start' ? { type: 'start' } : Object.assign({ actor: 'SYSTEM' }, event),
    at: trace.at(-1)?.at ?? at,
    trace,
    flow,
  }));
  const facts = new Host(flow, scenario).factsOf(null);
  return { records, members: [{ id: 'item', activeQuantity: scenario.item.quantity }], facts };
}

test.each(['ITEM', 'ORDER_GROUP'] as const)('a flow goes the way of its own records (%s)', (progression) => {
  fc.assert(
    fc.property(flows(progression), scripts, results, (flow, steps, answered) => {
      expect(replay(flow, recordsOf(flow, simulation(steps, { results: answered }))).divergence).toBeNull();
    }),
    { numRuns: Number(process.env['FLOW_GRAPHS'] ?? 60) },
  );
});

const shipping = builtInFlow('shipping-standard', 1)!;
const act = (key: string): SimulatedStep => ({ event: { type: 'seller.action', key } });
const parcel: readonly SimulatedStep[] = [{ event: { type: 'start' } }, act('confirm'), act('dispatch'), { advance: 20 * DAY }];
const settings = { autoDeliverDays: 7, autoConfirmDays: 7 };
const changed = (change: (graph: Graph) => Graph): Flow => compileFlow({ '': change(shipping.main.graph) });

test('one that lacks an action parts at its record, with the refusal', () => {
  const flow = changed((graph) => ({ ...graph, edges: graph.edges.filter(({ id }) => id !== 'preparing:dispatch') }));
  expect(replay(flow, recordsOf(shipping, simulation(parcel, { settings }))).divergence).toEqual({
    record: 3,
    recorded: { edges: ['preparing:dispatch'], to: ['shipping'] },
    replayed: { edges: [], to: ['preparing'], code: 'ACTION_NOT_AVAILABLE', reason: 'NOT_IN_STATE' },
  });
});

test('one with an earlier deadline parts at the first record after it', () => {
  const flow = changed((graph) => ({
    ...graph,
    states: graph.states.map(
      (node) => (node.id === 'preparing' ? { ...node, deadlines: [{ key: 'soon', after: 'P1D' }] } : node) as typeof node,
    ),
    edges: [...graph.edges, { id: 'soon', from: 'preparing', to: 'paid', on: { type: 'elapsed', deadline: 'soon' } }],
  }));
  const steps = [parcel[0]!, act('confirm'), { advance: 3 * DAY }, act('dispatch')];
  expect(replay(flow, recordsOf(shipping, simulation(steps, { settings }))).divergence).toMatchObject({
    record: 3,
    replayed: { edges: ['soon'], to: ['paid'], reason: 'NOT_IN_STATE' },
  });
});

test('one with a later deadline parts where the record elapsed', () => {
  const recorded = recordsOf(shipping, simulation(parcel, { settings }));
  const later = { ...recorded, facts: { settings: { autoDeliverDays: 9, autoConfirmDays: 7 } } };
  expect(replay(shipping, later).divergence).toMatchObject({
    record: 4,
    recorded: { edges: ['shipping:@autoDeliver'] },
    replayed: { edges: [] },
  });
});

test('what was armed with other settings of the store is armed with them again', () => {
  const recorded = recordsOf(shipping, simulation(parcel, { settings }));
  const records = recorded.records.map((record) => ({ ...record, event: { ...record.event, settings } }));
  const later = { ...recorded, records, facts: { settings: { autoDeliverDays: 9, autoConfirmDays: 9 } } };
  expect(replay(shipping, later).divergence).toBeNull();
});
