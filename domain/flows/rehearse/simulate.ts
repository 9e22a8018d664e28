/** What would happen to an item in a flow: the steps of a scenario on a clock of its own. Nothing real changes. */
import {
  type Clockwork,
  countHappenings,
  elapseUntil,
  follow,
  happen,
  type Happening,
  isRefusal,
  type Meter,
  type Truncation,
} from './clockwork.ts';
import { effectsOn } from '../run/effects.ts';
import type { Flow } from '../run/flow.ts';
import { type Job, jobsOf } from '../run/jobs.ts';
import type { PermissionKey } from '../graph/graph.ts';
import { type ClaimedItem, type Permitted, permittedOf } from '../run/permitted.ts';
import { isPaused, leaves } from '../run/positions.ts';
import type { Facts, FlowEvent, FlowState, Refusal, RefusalReason } from '../run/state.ts';
import { isBefore } from '../graph/status.ts';

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
  /** The bound that cut it short: it tells how far it came, and no step follows. */
  readonly truncated: Truncation | null;
}

/** The item and its claim. */
const ITEM = 'item';
const CLAIM = 'claim';

/**
 * One answer for each step, as soon as it is known; the last one is that which reaches a bound of the meter. A refused step changes
 * nothing, and the rest goes on.
 */
export function* play(flow: Flow, simulation: Simulation, meter: Meter): Generator<Answer, void, void> {
  const clockwork: Clockwork = {
    flow,
    meter,
    factsOf: (state, event) => factsOf(simulation, state, event),
    resultOf: (nodeId) => (Object.hasOwn(simulation.results, nodeId) ? simulation.results[nodeId]! : 'success'),
    truncated: null,
    at: simulation.at,
    state: null,
  };
  for (const one of simulation.steps) {
    yield answerOf(clockwork, simulation, one);
    if (clockwork.truncated) return;
  }
}

/** All of them at once, within the bound of happenings alone. */
export const simulate = (flow: Flow, simulation: Simulation): readonly Answer[] => [...play(flow, simulation, countHappenings())];

function answerOf(clockwork: Clockwork, simulation: Simulation, one: SimulatedStep): Answer {
  const outcome = 'advance' in one ? elapseUntil(clockwork, clockwork.at + one.advance) : send(clockwork, simulation, one.event);
  const happenings = 'code' in outcome ? [] : outcome;
  const { at, state, flow, truncated } = clockwork;
  return {
    at,
    refusal: 'code' in outcome ? outcome : null,
    state,
    edges: happenings.flatMap(({ trace }) => trace.flatMap(({ edges }) => edges)),
    jobs: happenings.flatMap(jobsIn),
    permissions: permittedOf(flow, state, { at, facts: factsOf(simulation, state), member: ITEM, claim: simulation.claim }),
    happenings,
    truncated,
  };
}
/** The jobs of the item. */
export const jobsIn = ({ event, effects }: Happening): readonly Job[] => jobsOf(event, effectsOn(effects, ITEM));

/** The event, with all that follows at once. */
function send(clockwork: Clockwork, simulation: Simulation, event: SimulatedEvent): readonly Happening[] | SimulatedRefusal {
  const { state } = clockwork;
  const refusal = claimRefusal(clockwork, event);
  if (refusal) return { code: 'INVALID_STATUS', reason: refusal };
  const left = event.type === 'claim.closed' && event.leaves ? happen(clockwork, leaving(state!, simulation.claim)) : null;
  const before = left === null || isRefusal(left) ? [] : [left];
  const outcome = happen(clockwork, flowEventOf(event, simulation));
  if (clockwork.truncated) return isRefusal(outcome) ? before : [...before, outcome];
  if (isRefusal(outcome)) {
    const { code, reason, issues } = outcome;
    return { code, reason, ...(issues && { issues }) };
  }
  return [...before, ...follow(clockwork, outcome)];
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
