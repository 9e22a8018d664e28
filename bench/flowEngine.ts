/** The flow engine on one core, without a system. */
import { checkGraph, type CheckContext, type Checked } from '../domain/flows/check/checkGraph.ts';
import { compileExpressions } from '../domain/flows/expressions/compile.ts';
import type { Scope, Tables } from '../domain/flows/expressions/types.ts';
import type { Edge, Graph, Node } from '../domain/flows/graph/graph.ts';
import { builtInFlow } from '../domain/flows/presets/index.ts';
import { onBuyer, onElapsed, onResult, onSeller } from '../domain/flows/presets/parts.ts';
import type { FlowEvent, FlowState } from '../domain/flows/run/state.ts';
import { step } from '../domain/flows/run/step.ts';
import { DAY } from '../domain/kernel/time.ts';
import { percentile } from './measure.ts';

const ROUNDS = 7;

/** How often a second of a core does it: the median of several rounds of a quarter second, after one that warms up. */
function perSecond(work: () => void): number {
  const round = () => {
    const before = process.cpuUsage();
    let [times, spent] = [0, 0];
    while (spent < 250_000) {
      for (let i = 0; i < 100; i++) work();
      times += 100;
      const { user, system } = process.cpuUsage(before);
      spent = user + system;
    }
    return (times / spent) * 1_000_000;
  };
  round();
  return Math.round(percentile(Array.from({ length: ROUNDS }, round), 0.5));
}

/** The fee of a stay: the longest expression of the presets. */
const weekend = '(dayOfWeek(item.stay.checkIn) in [5, 6] || isHoliday(item.stay.checkIn + duration("24h")))';
const STAY = `now < order.paidAt + duration("24h") && daysUntil(item.stay.checkIn) >= 1 ? 0
  : pct(refundable, lookupStep(inRanges(item.stay.checkIn, peak)
      ? (${weekend} ? peakWeekend : peakWeekday) : (${weekend} ? offWeekend : offWeekday), daysUntil(item.stay.checkIn)))`;
const steps = (...rows: (readonly [days: number, value: number])[]) => rows.map(([days, value]) => ({ days, value }));
const tables: Tables = {
  peak: [
    { from: '07-15', to: '08-24' },
    { from: '12-20', to: '02-20' },
  ],
  peakWeekday: steps([10, 0], [7, 10], [5, 30], [3, 50], [0, 80]),
  peakWeekend: steps([10, 0], [7, 20], [5, 40], [3, 60], [0, 90]),
  offWeekday: steps([2, 0], [1, 10], [0, 20]),
  offWeekend: steps([2, 0], [1, 20], [0, 30]),
};
const scope: Scope = {
  now: Date.parse('2026-07-25T10:00:00+09:00'),
  enteredAt: Date.parse('2026-07-20T10:00:00+09:00'),
  holidays: new Set(['2026-08-17']),
  inputs: {},
  refundable: 100_000,
  claim: { quantity: 1, reason: 'CHANGE_OF_MIND' },
  item: {
    quantity: 1,
    activeQuantity: 1,
    unitPrice: 100_000,
    option: {},
    stay: { checkIn: '2026-07-31', checkOut: '2026-08-01', nights: 1 },
  },
  order: { paidAt: Date.parse('2026-07-20T10:00:00+09:00'), totalAmount: 100_000 },
};

/** The life of an item in a built-in flow: what happens to it and when, from its payment to its decision. */
type Life = readonly (readonly [event: FlowEvent, at: number])[];
const START: FlowEvent = { type: 'start', members: [{ id: 'oit_1', activeQuantity: 3 }] };
const seller = (key: string): FlowEvent => ({ type: 'seller.action', key });
const buyer = (key: string): FlowEvent => ({ type: 'buyer.action', key });
const LIVES: readonly (readonly [flow: 'shipping-standard' | 'manual-standard', life: Life])[] = [
  [
    'shipping-standard',
    [
      [START, 0],
      [seller('confirm'), DAY],
      [seller('dispatch'), 2 * DAY],
      [{ type: 'claim.opened', claimId: 'clm_1', member: 'oit_1' }, 3 * DAY],
      [{ type: 'claim.closed', claimId: 'clm_1' }, 5 * DAY],
      [{ type: 'elapsed' }, 12 * DAY],
      [buyer('extend'), 13 * DAY],
      [{ type: 'elapsed' }, 40 * DAY],
    ],
  ],
  [
    'manual-standard',
    [
      [START, 0],
      [seller('confirm'), DAY],
      [seller('fulfill'), 2 * DAY],
      [buyer('decide'), 3 * DAY],
    ],
  ],
];
/** Lives a life; refuses a step that its flow does not take. */
function live(key: (typeof LIVES)[number][0], life: Life): FlowState {
  const flow = builtInFlow(key, 1)!;
  const facts = { settings: { autoDeliverDays: 7, autoConfirmDays: 7 } };
  let state: FlowState | null = null;
  for (const [event, at] of life) {
    const result = step(flow, state, event, at, facts);
    if (!result.ok) throw new Error(`${key}: ${JSON.stringify(event)} ${result.reason}`);
    state = result.state;
  }
  return state!;
}

/** So many nodes in a row, with three ways out of each, a deadline, a condition and a fee; `call`: the last one but the ends calls it. */
function row(nodes: number, call?: string): Graph {
  const ids = Array.from({ length: nodes - (call === undefined ? 2 : 3) }, (_, i) => `s${i}`);
  const after = call === undefined ? 'done' : 'call';
  const states = ids.map((id, i): Node => ({
    id,
    type: 'state',
    status: i === 0 ? 'PAID' : 'CONFIRMED',
    step: 'SELLER_PROCESSING',
    label: id,
    message: '{{inputs.count}}',
    deadlines: [{ key: 'late', after: 'P3D' }],
    permissions: { cancelRequest: { deduct: 'pct(refundable, lookupStep(peakWeekday, daysUntil(item.stay.checkIn)))' } },
  }));
  const ways = (id: string, next: string): Edge[] => [
    onSeller(id, 'go', next, { when: 'item.activeQuantity > 1 && now < order.paidAt + duration("72h")' }),
    onBuyer(id, 'stop', 'gone'),
    onElapsed(id, 'late', next),
  ];
  const calling = call === undefined ? [] : [onResult('call', 'completed', 'done'), onResult('call', 'canceled', 'gone')];
  return {
    schema: 1,
    start: 's0',
    tables,
    states: [
      ...states,
      ...(call === undefined ? [] : [{ id: 'call', type: 'call' as const, flow: call }]),
      { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
      { id: 'gone', type: 'end', outcome: 'CANCELED', label: 'gone' },
    ],
    actions: [
      { key: 'go', by: 'seller', label: 'go', input: [{ key: 'count', type: 'number', label: 'count', required: true }] },
      { key: 'stop', by: 'buyer', label: 'stop', maxUses: 2 },
    ],
    edges: [...ids.flatMap((id, i) => ways(id, ids[i + 1] ?? after)), ...calling],
  };
}
/** 300 nodes, as many as there may be in all: 200 in the graph, 100 in the flow that it calls. */
function checkLargest(): Checked {
  const published: CheckContext['published'] = (key) =>
    key === 'inner' ? { exists: true, version: 1, bundle: { '': row(100) } } : { exists: false, version: null, bundle: null };
  return checkGraph(row(200, 'inner'), { key: 'bench', published, secrets: new Set() });
}

/** Prints how often a second of a core does each. */
export function flowEngine(print: (text: string) => void): number {
  const compiled = compileExpressions(tables, {});
  const { publishable, blocking } = checkLargest();
  if (!publishable) throw new Error(JSON.stringify(blocking.slice(0, 3)));
  const measured: readonly (readonly [what: string, work: () => void, times?: number])[] = [
    ['the fee of a stay, evaluated', () => compiled.evaluate(STAY, scope)],
    ['the fee of a stay, read and checked with its graph', () => compileExpressions(tables, {}).check(STAY, 'int')],
    ...LIVES.map(([key, life]) => [`${key}, a step`, () => live(key, life), life.length] as const),
    ['300 nodes, checked for a publish', checkLargest],
  ];
  print(`\n${'on one core'.padEnd(56)} per second`);
  for (const [what, work, times = 1] of measured) print(`${what.padEnd(56)} ${String(perSecond(work) * times).padStart(10)}`);
  return 0;
}
