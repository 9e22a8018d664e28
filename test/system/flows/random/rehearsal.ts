/** The same as a simulation: what was done to an item, each at the time at which it happened, and what `simulate` says to that. */
import { isOver } from '../../../../domain/flows/run/members.ts';
import { nearest } from '../../../../domain/flows/run/positions.ts';
import { type Answer, simulate, type SimulatedEvent, type SimulatedStep } from '../../../../domain/flows/rehearse/simulate.ts';
import type { Happening } from '../../../../domain/flows/rehearse/clockwork.ts';
import { effectsOn } from '../../../../domain/flows/run/effects.ts';
import { type Job, jobsOf } from '../../../../domain/flows/run/jobs.ts';
import type { PublicStatus } from '../../../../domain/flows/graph/status.ts';
import { permissionsOf } from '../../../../domain/claims/filing.ts';
import type { Attempt, Player, Refused } from './play.ts';
import { type Ran, type RanRecord, waitedBy } from './ran.ts';
import { type RandomShop, SETTINGS } from './shop.ts';

/** What can be told of both sides alike. */
export interface Story {
  /** What became of each attempt. */
  readonly outcomes: readonly object[];
  readonly records: readonly object[];
  readonly jobs: readonly Job[];
  readonly state: object;
  readonly isOver: boolean;
}
export interface Rehearsal {
  readonly ran: Story;
  readonly simulated: Story;
  readonly answers: readonly Answer[];
  /** How long it had waited for external services, by record. */
  readonly waited: readonly number[];
  /** When something was done: one moment, or some time within these. */
  readonly times: readonly { readonly from: number; readonly until: number }[];
}

/** Attempts with their times, and what of them happened. */
interface Beat {
  readonly attempt: Attempt;
  readonly at: number;
  readonly events: readonly SimulatedEvent[];
}

export function rehearse({ holidays }: RandomShop, { item, attempts }: Player, ran: Ran, until: number): Rehearsal {
  const beats = beatsOf(attempts, ran);
  const at = ran.records[0]!.at;
  const steps: SimulatedStep[] = [{ event: { type: 'start' } }];
  /** By beat: the answer when its time has come, before it happens. */
  const before: number[] = [];
  let now = at;
  for (const beat of beats) {
    before.push(steps.push({ advance: beat.at - now }) - 1);
    steps.push(...beat.events.map((event) => ({ event })));
    now = beat.at;
  }
  steps.push({ advance: until - now });
  const { flow, facts, drawn, orderItemId } = item;
  const scenario = { steps, at, item: facts, paidAt: at, settings: SETTINGS, holidays, results: drawn.results, claim: {} };
  const answers = simulate(flow, scenario);
  const happenings = answers.flatMap((answer) => answer.happenings);
  const last = answers.at(-1)!.state!;
  const simulated = {
    outcomes: beats.map(({ attempt }, i) => simulatedOutcome(attempt, answers, before[i]!)),
    records: viewHappenings(happenings),
    jobs: answers.flatMap((answer) => answer.jobs),
    state: last,
    isOver: isOver(last),
  };
  const own = {
    outcomes: attempts.map((attempt) => outcomeOf(attempt, ran)),
    records: ran.records.map(viewRecord),
    jobs: ran.records.flatMap(({ event, effects }) => jobsOf(event, effects)),
    state: ran.state,
    isOver: ran.isOver,
  };
  return {
    ran: anonymous(own, orderItemId),
    simulated: anonymous(simulated, ''),
    answers,
    waited: waitedBy(ran),
    times: beats.map(({ at: from, attempt }) => ({ from, until: from === attempt.at ? attempt.answeredAt : from })),
  };
}

const OUTSIDE: ReadonlySet<string> = new Set(['seller.action', 'buyer.action', 'event']);
function beatsOf(attempts: readonly Attempt[], { records, claims }: Ran): readonly Beat[] {
  const accepted = records.filter(({ event }) => OUTSIDE.has(event.type)).values();
  const recorded = (type: string, claimId: string): number =>
    records.find(({ event }) => event.type === type && event.claimId === claimId)!.at;
  return attempts.map((attempt) => {
    if ('event' in attempt) {
      const at = attempt.refused ? attempt.at : accepted.next().value!.at;
      return { attempt, at, events: [attempt.event] };
    }
    if ('closes' in attempt) {
      const { closes, leaves } = attempt;
      return { attempt, at: recorded('claim.closed', closes.entityId), events: [{ type: 'claim.closed', leaves }] };
    }
    const { filed } = attempt;
    // What endpoints of claims refuse never comes to the flow.
    if (typeof filed === 'string') return { attempt, at: attempt.at, events: [] };
    const { isAtOnce } = claims.get(filed.entityId)!;
    const closed: SimulatedEvent[] = isAtOnce ? [{ type: 'claim.closed', leaves: true }] : [];
    return { attempt, at: recorded('claim.opened', filed.entityId), events: [{ type: 'claim.opened' }, ...closed] };
  });
}

function outcomeOf(attempt: Attempt, { claims }: Ran): object {
  if ('event' in attempt) return attempt.refused ?? ACCEPTED;
  if ('closes' in attempt) return ACCEPTED;
  const { filed } = attempt;
  return typeof filed === 'string' ? { code: filed } : claims.get(filed.entityId)!;
}
const ACCEPTED = { accepted: true };

/** `before` is followed by the answer to what was attempted. */
function simulatedOutcome(attempt: Attempt, answers: readonly Answer[], before: number): object {
  if ('claims' in attempt) return filingIn(attempt.claims, answers[before]!);
  const { refusal } = answers[before + 1]!;
  if (!refusal) return ACCEPTED;
  const { code, reason, issues } = refusal;
  return { code, ...(issues ? { issues } : { reason }) } satisfies Refused;
}
function filingIn(type: Extract<Attempt, { claims: string }>['claims'], { permissions, state }: Answer): object {
  if (state!.claims.length > 0) return { code: 'CLAIM_IN_PROGRESS' };
  const keys = permissionsOf(type);
  const key = keys.find((one) => permissions[one].allowed);
  if (key) return { fee: permissions[key].deductWon, isAtOnce: key === 'buyerCancel' && !permissions[key].isUnsure };
  return { code: keys.some((one) => permissions[one].reason === 'PERIOD_EXPIRED') ? 'PERIOD_EXPIRED' : 'INVALID_STATUS' };
}

/** What a record says of its event, besides who, with what, and what came of it elsewhere. */
const FIELDS = ['type', 'key', 'name', 'input', 'attachments', 'data', 'deadline', 'call', 'value', 'quantity', 'cause'] as const;
const viewEvent = (event: object): object =>
  Object.fromEntries(FIELDS.flatMap((field) => (field in event ? [[field, (event as Record<string, unknown>)[field]]] : [])));

const viewRecord = ({ event, at, trace, effects, status }: RanRecord): object => ({ event: viewEvent(event), at, trace, effects, status });
/** The item's own effects and status: it may stand still while its group goes on. */
function viewHappenings(happenings: readonly Happening[]): readonly object[] {
  let status: PublicStatus = 'PAID';
  return happenings.map(({ event, at, trace, effects: all }, i) => {
    const deadline = event.type === 'elapsed' ? { deadline: nearest(happenings[i - 1]!.state)!.key } : {};
    const effects = effectsOn(all, ITEM);
    for (const effect of effects) if (effect.type === 'status') status = effect.to;
    return { event: viewEvent({ ...event, ...deadline }), at, trace, effects, status };
  });
}

/** The item of a simulation. */
const ITEM = 'item';
/** Ids of the item and of its claims are not told, nor what is undefined. */
function anonymous(story: Story, orderItemId: string): Story {
  const text = JSON.stringify(story).replaceAll(/"clm_\w+"/g, '"claim"');
  return JSON.parse(orderItemId === '' ? text : text.replaceAll(`"${orderItemId}"`, `"${ITEM}"`)) as Story;
}
