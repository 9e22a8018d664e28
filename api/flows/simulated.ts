/** A scenario as the domain plays it, and its answers as sellers read them. */
import type { Happening } from '../../domain/flows/rehearse/clockwork.ts';
import { type Flow, labelOf, nodeIn } from '../../domain/flows/run/flow.ts';
import type { PermissionKey } from '../../domain/flows/graph/graph.ts';
import type { Job } from '../../domain/flows/run/jobs.ts';
import { type Permitted, permittedOf } from '../../domain/flows/run/permitted.ts';
import { leavesOf, locationOf } from '../../domain/flows/run/positions.ts';
import { type Answer, jobsIn, type SimulatedEvent, type SimulatedStep, type Simulation } from '../../domain/flows/rehearse/simulate.ts';
import type { FlowState } from '../../domain/flows/run/state.ts';
import { OPTIONAL_PLATFORM_FIELDS } from '../../domain/orders/platform.ts';
import { DAY, duration, korean } from '../../domain/kernel/time.ts';
import type { Scenario } from './scenario.ts';

/** What a scenario does not say. */
type Defaults = Pick<Simulation, 'at' | 'settings' | 'holidays'>;
/** One item of 10,000 won. */
const ITEM = { quantity: 1, unitPrice: 10_000 };

export function simulationOf({ steps, context = {} }: Scenario, { at: now, settings, holidays }: Defaults): Simulation {
  const at = context.at === undefined ? now : Date.parse(context.at);
  const { stay, option = {}, ...item } = context.item ?? {};
  const { refundable, ...claim } = context.claim ?? {};
  return {
    steps: steps.map(stepOf),
    at,
    item: { ...ITEM, ...item, option, stay: stay ? { ...stay, nights: nightsOf(stay) } : null },
    paidAt: context.order?.paidAt === undefined ? at : Date.parse(context.order.paidAt),
    settings: { ...settings, ...context.settings },
    holidays,
    platformFields: OPTIONAL_PLATFORM_FIELDS,
    results: context.results ?? {},
    claim: { ...claim, ...(refundable !== undefined && { refundableWon: refundable }) },
  };
}
const nightsOf = ({ checkIn, checkOut }: { readonly checkIn: string; readonly checkOut: string }): number =>
  Math.round((Date.parse(checkOut) - Date.parse(checkIn)) / DAY);

/** It was checked: an event, with the fields of its kind, or a duration. */
const stepOf = ({ event, advance }: Scenario['steps'][number]): SimulatedStep =>
  event ? { event: event as SimulatedEvent } : { advance: duration(advance!)! };

/** `begins`: when the scenario starts. */
export function viewAnswer(flow: Flow, answer: Answer, begins: number) {
  const { at, refusal, state, edges, jobs, permissions, truncated } = answer;
  // Its first step starts it, unless that is cut short.
  if (!state) return { ...viewNothing(flow, begins), truncated };
  const { positions, status, done = null } = state;
  const { node } = locationOf(flow, positions[0]!);
  return {
    at: korean(at),
    accepted: refusal === null,
    refusal: refusal && { code: refusal.code, reason: refusal.reason, ...(refusal.issues && { issues: [...refusal.issues] }) },
    state: { key: node.id, name: labelOf(node) },
    branches: positions.length === 1 ? [] : leavesOf(positions).map(({ branch = null, node: key }) => ({ branch, key })),
    status,
    done,
    edges: [...edges],
    jobs: jobs.map(viewJob),
    deadlines: deadlinesOf(positions),
    permissions: viewPermissions(permissions),
    truncated,
  };
}
export type Step = ReturnType<typeof viewAnswer>;

/** Before the start: it stands at the first node, where nothing is armed and nothing may be claimed. */
export function viewNothing(flow: Flow, begins: number) {
  const node = nodeIn(flow.main, flow.main.graph.start);
  const permissions = permittedOf(flow, null, { at: begins, facts: { settings: NO_DAYS }, member: '', claim: {} });
  return {
    at: korean(begins),
    accepted: true,
    refusal: null,
    state: { key: node.id, name: labelOf(node) },
    branches: [],
    status: 'PAID' as const,
    done: null,
    edges: [],
    jobs: [],
    deadlines: [],
    permissions: viewPermissions(permissions),
    truncated: null,
  };
}
const NO_DAYS = { autoDeliverDays: 0, autoConfirmDays: 0 };

/** The bytes of what is told of a happening. */
export function sizeOf(happening: Happening): number {
  return Buffer.byteLength(JSON.stringify([happening.trace.flatMap(({ edges }) => edges), jobsIn(happening).map(viewJob)]));
}

function viewJob({ at, members: _members, ...job }: Job) {
  return { ...job, at: korean(at) };
}
const deadlinesOf = (positions: FlowState['positions']) =>
  positions
    .flatMap(({ due }) => due.flatMap(({ key, at }) => (at === null ? [] : [{ key, at }])))
    .toSorted((a, b) => a.at - b.at)
    .map(({ key, at }) => ({ key, at: korean(at) }));

const viewPermitted = ({ allowed, reason, until, deductWon, isUnsure }: Permitted) => ({
  allowed,
  reason,
  until: until === null ? null : korean(until),
  deduct: deductWon,
  asRequest: isUnsure,
});
const viewPermissions = (permissions: Answer['permissions']) =>
  Object.fromEntries(Object.entries(permissions).map(([key, permitted]) => [key, viewPermitted(permitted)])) as Record<
    PermissionKey,
    ReturnType<typeof viewPermitted>
  >;
