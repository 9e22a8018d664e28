/** What would happen to an item in a flow (F12, F13): the steps of a scenario on a clock of its own. Nothing real changes. */
import { type Clockwork, elapseUntil, follow, happen, type Happening, isRefusal } from './clockwork.ts';
import { effectsOn } from './effects.ts';
import type { Flow } from './flow.ts';
import { type Job, jobsOf } from './jobs.ts';
import type { PermissionKey } from './graph.ts';
import { type ClaimedItem, type Permitted, permittedOf } from './permitted.ts';
import { isPaused, leaves } from './positions.ts';
import type { Facts, FlowEvent, FlowState, Refusal, RefusalReason } from './state.ts';
import { isBefore } from './status.ts';

export type SimulatedEvent =
  | Extract<FlowEvent, { readonly type: 'seller.action' | 'buyer.action' | 'event' }>
  | { readonly type: 'start' }
  | { readonly type: 'claim.opened' }
  /** `leaves`: it is approved, and its units leave. */
  | { readonly type: 'claim.closed'; readonly leaves?: boolean };
/** `advance`: milliseconds. */
export type SimulatedStep = { readonly event: SimulatedEvent } | { readonly advance: number };

/** One item on its own, whatever the flow's progression. */
export interface Simulation {
  readonly steps: readonly SimulatedStep[];
  /** When it starts. */
  readonly at: number;
  /** `quantity`: what was bought. */
  readonly item: NonNullable<Facts['items']>[string];
  readonly paidAt: number;
  readonly settings: Facts['settings'];
  readonly holidays: ReadonlySet<string>;
  readonly platformFields?: Facts['platformFields'];
  /** How external services answer, by node; `success` where it says nothing. */
  readonly results: Readonly<Record<string, 'success' | 'skipped' | 'failed'>>;
  readonly claim: ClaimedItem;
}
/** A refusal of a claim has the code of its endpoint. */
export interface SimulatedRefusal extends Pick<Refusal, 'issues'> {
  readonly code: Refusal['code'] | 'INVALID_STATUS';
  readonly reason: RefusalReason;
}
export interface Answer {
  readonly at: number;
  readonly refusal: SimulatedRefusal | null;
  /** Afterwards. Null while nothing has started. */
  readonly state: FlowState | null;
  readonly edges: readonly string[];
  /** Those of the item: none while it stands still and its group goes on. */
  readonly jobs: readonly Job[];
  readonly permissions: Readonly<Record<PermissionKey, Permitted>>;
  /** The steps of the flow that it took, in their order. */
  readonly happenings: readonly Happening[];
}

/** The item and its claim. */
const ITEM = 'item';
const CLAIM = 'claim';
/** A scenario passes so many events, deadlines and calls; a step that needs more is refused. */
const MAX_HAPPENINGS = 10_000;

/** One answer for each step. A refused step changes nothing, and the rest goes on. */
export function simulate(flow: Flow, simulation: Simulation): readonly Answer[] {
  const clockwork: Clockwork = {
    flow,
    factsOf: (state, event) => factsOf(simulation, state, event),
    resultOf: (nodeId) => (Object.hasOwn(simulation.results, nodeId) ? simulation.results[nodeId]! : 'success'),
    room: MAX_HAPPENINGS,
    isCut: false,
    at: simulation.at,
    state: null,
  };
  return simulation.steps.map((one) => answerOf(clockwork, simulation, one));
}

function answerOf(clockwork: Clockwork, simulation: Simulation, one: SimulatedStep): Answer {
  const outcome = attempt(clockwork, simulation, one);
  const happenings = 'code' in outcome ? [] : outcome;
  const { at, state, flow } = clockwork;
  return {
    at,
    refusal: 'code' in outcome ? outcome : null,
    state,
    edges: happenings.flatMap(({ trace }) => trace.flatMap(({ edges }) => edges)),
    jobs: happenings.flatMap(({ event, effects }) => jobsOf(event, effectsOn(effects, ITEM))),
    permissions: permittedOf(flow, state, { at, facts: factsOf(simulation, state), member: ITEM, claim: simulation.claim }),
    happenings,
  };
}

/** A step that is too long changes nothing; what it has passed counts. */
function attempt(clockwork: Clockwork, simulation: Simulation, one: SimulatedStep): readonly Happening[] | SimulatedRefusal {
  const { at, state } = clockwork;
  const outcome = 'advance' in one ? elapseUntil(clockwork, at + one.advance) : send(clockwork, simulation, one.event);
  if (!clockwork.isCut) return outcome;
  Object.assign(clockwork, { at, state, isCut: false });
  return { code: 'VALIDATION_FAILED', reason: 'LIMIT_REACHED' };
}

/** The event, with all that follows at once. */
function send(clockwork: Clockwork, simulation: Simulation, event: SimulatedEvent): readonly Happening[] | SimulatedRefusal {
  const { state } = clockwork;
  const refusal = claimRefusal(clockwork, event);
  if (refusal) return { code: 'INVALID_STATUS', reason: refusal };
  const left = event.type === 'claim.closed' && event.leaves ? happen(clockwork, leaving(state!, simulation.claim)) : null;
  const outcome = happen(clockwork, flowEventOf(event, simulation));
  if (isRefusal(outcome)) {
    const { code, reason, issues } = outcome;
    return { code, reason, ...(issues && { issues }) };
  }
  return [...(left === null || isRefusal(left) ? [] : [left]), ...follow(clockwork, outcome)];
}

function flowEventOf(event: SimulatedEvent, { item }: Simulation): FlowEvent {
  if (event.type === 'start') return { type: 'start', members: [{ id: ITEM, activeQuantity: item.quantity }] };
  if (event.type === 'claim.opened') return { type: 'claim.opened', claimId: CLAIM, member: ITEM };
  if (event.type === 'claim.closed') return { type: 'claim.closed', claimId: CLAIM };
  return event;
}

/** What the endpoints of claims ask before the flow hears of one. */
function claimRefusal({ state, flow }: Clockwork, { type }: SimulatedEvent): RefusalReason | null {
  if (type !== 'claim.opened' && type !== 'claim.closed') return null;
  const isOpen = state !== null && state.claims.length > 0;
  if (type === 'claim.closed') return isOpen ? null : 'NOT_IN_STATE';
  if (isOpen) return 'CLAIM_IN_PROGRESS';
  if (state === null) return 'NOT_IN_STATE';
  if (state.done) return 'FINISHED';
  return leaves(flow, state).some(({ node }) => node.type === 'external') && !isPaused(flow, state) ? 'EXTERNAL_PENDING' : null;
}

/** An approved claim takes its units out of the flow: a cancel where it was filed before the item was on its way, else a return. */
function leaving({ members: [member], status }: FlowState, { quantity }: ClaimedItem): FlowEvent {
  const active = member?.activeQuantity ?? 0;
  const cause = isBefore(member?.standsAt?.status ?? status, 'DISPATCHED') ? 'CLAIM_CANCEL' : 'CLAIM_RETURN';
  return { type: 'reduced', member: ITEM, quantity: Math.min(quantity ?? active, active), cause, refId: CLAIM };
}

/** Addresses that an action names count as uploads of the store. */
function factsOf(simulation: Simulation, state: FlowState | null, event?: FlowEvent): Facts {
  const { item, paidAt, settings, holidays, platformFields } = simulation;
  const activeQuantity = state?.members[0]?.activeQuantity ?? item.quantity;
  return {
    settings,
    holidays,
    items: { [ITEM]: item },
    order: { paidAt, totalAmount: item.unitPrice * item.quantity },
    refundableWon: { [ITEM]: item.unitPrice * activeQuantity },
    ...(platformFields && { platformFields }),
    ...(event && 'attachments' in event && event.attachments && { uploads: new Set(event.attachments) }),
  };
}
