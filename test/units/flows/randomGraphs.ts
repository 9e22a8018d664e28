/** Random flows as sellers might draw them, and random scenarios for them. */
import fc from 'fast-check';
import { compileFlow, type Flow } from '../../../domain/flows/run/flow.ts';
import type {
  Action,
  Bundle,
  Deadline,
  Edge,
  Execution,
  Graph,
  Node,
  Permission,
  Permissions,
  Progression,
  Trigger,
  WaitingStatus,
} from '../../../domain/flows/graph/graph.ts';
import { PERMISSIONS, WAITING_STATUSES } from '../../../domain/flows/graph/graph.ts';
import type { SimulatedEvent, SimulatedStep, Simulation } from '../../../domain/flows/rehearse/simulate.ts';
import { DAY, HOUR } from '../../../domain/kernel/time.ts';
import { Pen } from './pen.ts';

const AFTER = ['PT20H', 'P1D', 'P3D', 'P7D', 'P30D'];
const AT = ['enteredAt + duration("36h")', 'order.paidAt + duration("24h")', 'atTime(item.stay.checkIn, "15:00")', 'item.inputs.wanted'];
const GUARDS = ['item.activeQuantity > 1', 'has(item.inputs.count) && item.inputs.count > 2', 'now < order.paidAt + duration("72h")'];
const DEDUCTS = ['pct(refundable, 10)', 'pct(refundable, lookupStep(fee, daysUntil(item.stay.checkIn)))', '1 / (item.activeQuantity - 1)'];
export const KEYS = ['go', 'back', 'hold', 'ask', 'agree'] as const;
const EVENTS = ['custom.ready', 'custom.called', 'courier.delivered'] as const;

/** What a part of a graph needs to know of its whole. */
interface Sketch {
  readonly pen: Pen;
  readonly nodes: Node[];
  readonly edges: Edge[];
  /** Where an edge may lead from the outside of every region. */
  readonly targets: string[];
}

const runOf = ({ pen }: Sketch, deadlines: readonly string[], isInternal: boolean): Execution[] => {
  const all: Execution[] = [
    { type: 'tracking.start' },
    { type: 'stock.capture' },
    { type: 'stock.restore' },
    { type: 'fulfillment.record' },
    { type: 'refund', deduct: pen.pick<number | string>([0, 3000, ...DEDUCTS]) },
    { type: 'notify', name: 'ready', to: 'buyer', message: '준비되었습니다' },
    ...deadlines.map((deadline) => ({ type: 'deadline.extend' as const, deadline, by: pen.pick(AFTER) })),
  ];
  return pen.chance(isInternal ? 90 : 35) ? [pen.pick(all)] : [];
};

function addEdge(sketch: Sketch, from: string, on: Trigger, targets: readonly string[], deadlines: readonly string[] = []): void {
  const { pen, edges } = sketch;
  const isWaiting = on.type !== 'result';
  const isInternal = isWaiting && pen.chance(15);
  const run = runOf(sketch, deadlines, isInternal);
  const more = { ...(isInternal && { internal: true }), ...(run.length > 0 && { run }) };
  const edge = (when?: string): Edge => ({
    id: pen.id('e'),
    from,
    to: isInternal ? from : pen.pick(targets),
    on,
    ...(when && { when }),
    ...more,
  });
  const isGuarded = pen.chance(25);
  if (isGuarded) edges.push(edge(pen.pick(GUARDS)));
  if (!isGuarded || !isWaiting || pen.chance(60)) edges.push(edge());
}

/** A deadline by a time may be past: it leads onwards only, so that no loop passes in no time. */
function addState(sketch: Sketch, id: string, status: WaitingStatus, targets: readonly string[]): void {
  const { pen, nodes } = sketch;
  const onwards = targets.filter((target) => target > id && !target.startsWith('x'));
  const deadlines: Deadline[] = [];
  for (let n = pen.count(0, 2); n > 0; n--) {
    const key = pen.id('d');
    const byTime = onwards.length > 0 && pen.chance(35);
    if (byTime) deadlines.push({ key, at: pen.pick(AT), ifPast: pen.pick(['fire', 'skip'] as const) });
    else if (pen.chance(30)) deadlines.push({ key, setting: pen.pick(['autoDeliverDays', 'autoConfirmDays'] as const) });
    else deadlines.push({ key, after: pen.pick(AFTER) });
  }
  nodes.push({
    id,
    type: 'state',
    status,
    step: 'SELLER_PROCESSING',
    label: id,
    ...(deadlines.length > 0 && { deadlines }),
    ...(pen.chance(70) && { permissions: permissions(pen) }),
  });
  const keys = deadlines.map(({ key }) => key);
  for (const { key: deadline, at } of deadlines)
    addEdge(sketch, id, { type: 'elapsed', deadline }, at === undefined ? targets : onwards, keys);
  const used = new Set<string>();
  for (let n = pen.count(1, 3); n > 0; n--) {
    const on = pen.chance(75) ? triggerOf(pen.pick(KEYS)) : ({ type: 'event', name: pen.pick(EVENTS) } as const);
    if (used.has(JSON.stringify(on))) continue;
    used.add(JSON.stringify(on));
    addEdge(sketch, id, on, targets, keys);
  }
}
const BUYERS: ReadonlySet<string> = new Set(['ask', 'agree']);
const triggerOf = (key: string): Trigger => ({ type: BUYERS.has(key) ? 'buyer.action' : 'seller.action', key });

const permissions = (pen: Pen): Permissions =>
  Object.fromEntries(PERMISSIONS.filter(() => pen.chance(50)).map((key) => [key, pen.chance(30) ? true : permission(pen)] as const));
const permission = (pen: Pen): Permission => ({
  ...(pen.chance(50) && pen.pick<Permission>([{ within: pen.pick(AFTER) }, { until: pen.pick(AT) }])),
  ...(pen.chance(60) &&
    pen.pick<Permission>([
      { fee: { type: 'ratio', percent: pen.pick([0, 12.5, 30, 100]) } },
      { fee: { type: 'flat', amount: 4000 } },
      { deduct: pen.pick<number | string>([2500, ...DEDUCTS]) },
    ])),
});

function addExternal(sketch: Sketch, targets: readonly string[]): string {
  const { pen, nodes, edges } = sketch;
  const id = pen.id('x');
  const status = pen.pick(WAITING_STATUSES);
  nodes.push({ id, type: 'external', status, secret: 'shop', method: 'POST', path: '/', timeoutSeconds: 5, saveAs: 'answer' });
  for (const value of ['success', 'skipped', 'failed'] as const)
    edges.push({ id: pen.id('e'), from: id, to: pen.pick(targets), on: { type: 'result', value } });
  return id;
}

/** A parallel node with its branches and its join; and a call of a subflow. */
function addParallel(sketch: Sketch, targets: readonly string[]): string {
  const { pen, nodes, edges } = sketch;
  const [id, join] = [pen.id('p'), pen.id('j')];
  const deadline = pen.chance(60) ? { deadline: pen.pick(AFTER) } : {};
  const branches = Array.from({ length: pen.count(2, 3) }, () => {
    const own = Array.from({ length: pen.count(1, 2) }, () => pen.id('b'));
    const inner = pen.chance(30) ? [addExternal(sketch, [...own, join])] : [];
    for (const state of own) addState(sketch, state, pen.pick(WAITING_STATUSES), [...own, ...inner, join]);
    return { key: pen.id('k'), start: pen.pick([...inner, ...own]) };
  });
  nodes.push({ id, type: 'parallel', branches, join, ...deadline }, { id: join, type: 'join' });
  edges.push({ id: pen.id('e'), from: join, to: pen.pick(targets), on: { type: 'result', value: 'joined' } });
  if (deadline.deadline) edges.push({ id: pen.id('e'), from: id, to: pen.pick(targets), on: { type: 'result', value: 'timeout' } });
  return id;
}
function addCall(sketch: Sketch, targets: readonly string[]): string {
  const { pen, nodes, edges } = sketch;
  const id = pen.id('c');
  const deadline = pen.chance(60) ? { deadline: pen.pick(AFTER) } : {};
  nodes.push({ id, type: 'call', flow: 'inner@1', ...deadline });
  for (const value of ['completed', 'canceled', ...(deadline.deadline ? (['timeout'] as const) : [])] as const)
    edges.push({ id: pen.id('e'), from: id, to: pen.pick(targets), on: { type: 'result', value } });
  return id;
}

function graph(pen: Pen, calls: boolean, progression: Progression): Graph {
  const sketch: Sketch = { pen, nodes: [], edges: [], targets: [] };
  const states = Array.from({ length: pen.count(2, 4) }, () => pen.id('s'));
  const ends = ['z-canceled', 'z-completed'];
  const waiting = [...states, ...ends];
  const automatic = [
    ...(pen.chance(50) ? [addExternal(sketch, waiting)] : []),
    ...(pen.chance(40) ? [addParallel(sketch, waiting)] : []),
    ...(calls && pen.chance(40) ? [addCall(sketch, waiting)] : []),
  ];
  for (const [i, id] of states.entries()) addState(sketch, id, i === 0 ? 'PAID' : pen.pick(WAITING_STATUSES), [...waiting, ...automatic]);
  const outcomes = { 'z-canceled': 'CANCELED', 'z-completed': 'COMPLETED' } as const;
  for (const [id, outcome] of Object.entries(outcomes)) sketch.nodes.push({ id, type: 'end', outcome, label: id });
  const { nodes, edges } = sketch;
  const groups = progression === 'ORDER_GROUP' ? { groupClaim: pen.pick(['PAUSE', 'CONTINUE'] as const) } : {};
  return {
    schema: 1,
    start: states[0]!,
    requires: { progression, ...groups },
    tables: { fee: [7, 3, 0].map((days, i) => ({ days, value: [0, 20, 90][i]! })) },
    states: nodes,
    actions: actionsOf(pen),
    edges,
  };
}
const actionsOf = (pen: Pen): Action[] =>
  KEYS.map((key) => ({
    key,
    by: BUYERS.has(key) ? 'buyer' : 'seller',
    label: key,
    ...(pen.chance(45) && { maxUses: pen.count(1, 2) }),
    ...(key === 'ask' && {
      input: [
        { key: 'count', type: 'number', label: '개수', required: true, min: 0, max: 9 },
        { key: 'wanted', type: 'datetime', label: '시각' },
      ],
    }),
  }));

/** A bundle of a main graph and the one that it may call. */
export const bundles = (progression: Progression = 'ITEM'): fc.Arbitrary<Bundle> =>
  fc.noShrink(fc.noBias(fc.integer())).map((seed) => {
    const pen = new Pen(seed);
    return { 'inner@1': graph(pen, false, progression), '': graph(pen, true, progression) };
  });
export const flows = (progression: Progression = 'ITEM'): fc.Arbitrary<Flow> => bundles(progression).map(compileFlow);

export const T0 = Date.parse('2026-11-25T10:00:00+09:00');
const action = (key: (typeof KEYS)[number]): fc.Arbitrary<SimulatedEvent> =>
  fc
    .record({
      count: fc.constantFrom<unknown>(1, 5, 99, undefined),
      wanted: fc.constantFrom('2026-11-27T09:00+09:00', '2026-12-24', undefined),
    })
    .map((input) => ({ type: BUYERS.has(key) ? 'buyer.action' : 'seller.action', key, ...(key === 'ask' && { input }) }));
export const advances: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, 1000, HOUR, DAY, 3 * DAY, 7 * DAY, 30 * DAY),
  fc.integer({ min: 0, max: 20 * DAY }),
);
const events: fc.Arbitrary<SimulatedEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...KEYS).chain(action) },
  { weight: 2, arbitrary: fc.constantFrom(...EVENTS).map((name): SimulatedEvent => ({ type: 'event', name, data: { seen: 1 } })) },
  { weight: 1, arbitrary: fc.constant<SimulatedEvent>({ type: 'claim.opened' }) },
  { weight: 1, arbitrary: fc.boolean().map((leaves): SimulatedEvent => ({ type: 'claim.closed', leaves })) },
);
/** Scenarios, the start included. */
const scriptsOf = (of: fc.Arbitrary<SimulatedEvent>): fc.Arbitrary<readonly SimulatedStep[]> =>
  fc
    .array(
      fc.oneof(
        of.map((event) => ({ event })),
        advances.map((advance) => ({ advance })),
      ),
      { maxLength: 25 },
    )
    .map((rest) => [{ event: { type: 'start' } }, ...rest]);
export const scripts = scriptsOf(events);

/** Scenarios of the actions and events that a bundle has. */
export function scriptsFor(bundle: Bundle): fc.Arbitrary<readonly SimulatedStep[]> {
  const graphs = Object.values(bundle);
  const own = graphs.flatMap(({ actions }) => actions.map(({ key, by }): SimulatedEvent => ({ type: `${by}.action`, key })));
  const names = graphs.flatMap(({ edges }) => edges.flatMap(({ on }) => (on.type === 'event' ? [on.name] : [])));
  const named = names.map((name): SimulatedEvent => ({ type: 'event', name }));
  const event = fc.oneof(events, ...(own.length + named.length === 0 ? [] : [{ weight: 9, arbitrary: fc.constantFrom(...own, ...named) }]));
  return scriptsOf(event);
}

export const results: fc.Arbitrary<Simulation['results']> = fc.dictionary(
  fc.integer({ min: 0, max: 40 }).map((n) => `x${n}`),
  fc.constantFrom('success' as const, 'skipped' as const, 'failed' as const),
);
export const simulation = (steps: readonly SimulatedStep[], more: Partial<Simulation> = {}): Simulation => ({
  steps,
  at: T0,
  item: { quantity: 3, unitPrice: 10_000, option: {}, stay: { checkIn: '2026-12-05', checkOut: '2026-12-06', nights: 1 } },
  paidAt: T0,
  settings: { autoDeliverDays: 7, autoConfirmDays: 0 },
  holidays: new Set(['2026-12-25']),
  results: {},
  claim: {},
  ...more,
});
