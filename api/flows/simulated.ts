/** A scenario as the domain plays it, and its answers as sellers read them (F12, F13). */
import { type Flow, labelOf } from '../../domain/flows/flow.ts';
import type { PermissionKey } from '../../domain/flows/graph.ts';
import type { Job } from '../../domain/flows/jobs.ts';
import type { Permitted } from '../../domain/flows/permitted.ts';
import { leavesOf, locationOf } from '../../domain/flows/positions.ts';
import type { Answer, SimulatedEvent, SimulatedStep, Simulation } from '../../domain/flows/simulate.ts';
import type { FlowState } from '../../domain/flows/state.ts';
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

export function viewAnswer(flow: Flow, { at, refusal, state, edges, jobs, permissions }: Answer) {
  const { positions, status, done = null } = started(state);
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
  };
}
/** Its first step starts it. */
function started(state: FlowState | null): FlowState {
  if (!state) throw new Error('The scenario has not started');
  return state;
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
