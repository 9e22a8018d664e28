/** What happened to an item, fed to another graph: where it would have gone another way. */
import type { Truncation } from './clockwork.ts';
import type { Flow } from '../run/flow.ts';
import { migrate, migrationRefusal } from '../run/move.ts';
import { elapsesAt } from '../run/pace.ts';
import { leaves, type Location, nearest } from '../run/positions.ts';
import { step } from '../run/step.ts';
import type { Facts, FlowEvent, FlowState, Member, Refusal, Trace } from '../run/state.ts';

/** A record of a flow, oldest first. */
export interface FlowRecord {
  readonly runId: string | null;
  /** As it was stored: with the actor and the store's settings of that time, and without the members of a start. */
  readonly event: { readonly type: string; readonly settings?: Facts['settings'] };
  readonly at: number;
  readonly trace: readonly Trace[];
  /** The flow in which it happened. */
  readonly flow: Flow;
}
export interface Recorded {
  readonly records: Iterable<FlowRecord>;
  readonly members: readonly Member[];
  readonly facts: Facts;
}
interface Way {
  readonly edges: readonly string[];
  readonly to: readonly string[];
}
export interface Divergence {
  /** Counts from 1, the start. */
  readonly record: number;
  readonly recorded: Way;
  readonly replayed: Way & Partial<Pick<Refusal, 'code' | 'reason'>>;
}

export interface Replayed {
  /** The first record whose edges or whose state the flow does not share; null: it shares all that were fed. */
  readonly divergence: Divergence | null;
  /** How many records were fed. */
  readonly fed: number;
  /** The bound that left no room for the next one. */
  readonly truncated: Truncation | null;
}

/** Feeds the records until one differs. `spent` is asked before each. */
export function replay(
  flow: Flow,
  { records, members, facts }: Recorded,
  spent: (fed: number) => Truncation | null = () => null,
): Replayed {
  let [ours, theirs] = [begin(flow, facts), begin(flow, facts)];
  let reached: readonly string[] = [];
  let fed = 0;
  for (const record of records) {
    const truncated = spent(fed);
    if (truncated) return { divergence: null, fed, truncated };
    fed++;
    reached = record.trace.at(-1)?.to ?? reached;
    // It tells of the pace, which the times of the others have.
    if (record.event.type === 'SLOWED') continue;
    [ours, theirs] = asFast(ours, theirs, record);
    const recorded: Way = { edges: edgesOf(record.trace), to: reached };
    const early = elapseBefore(ours, theirs, record);
    const event = eventOf(record, members);
    const own = { ...facts, settings: record.event.settings ?? facts.settings };
    const replayed = sameCall(theirs, early, event);
    theirs = feed({ ...theirs, flow: record.flow, facts: own }, event, record.at);
    ours = feed({ ...early, facts: own }, replayed, record.at);
    const { edges, to, refusal } = ours;
    const isSame = !refusal && same(edges, recorded.edges) && same(to, recorded.to);
    if (isSame) continue;
    const divergence = { record: fed, recorded, replayed: { edges, to, ...(refusal && { code: refusal.code, reason: refusal.reason }) } };
    return { divergence, fed, truncated: null };
  }
  return { divergence: null, fed, truncated: null };
}

/** One of the two: the flow under test, or the one in which the item ran. */
interface Runner extends Way {
  readonly flow: Flow;
  readonly facts: Facts;
  readonly state: FlowState | null;
  readonly refusal: Refusal | null;
}
const begin = (flow: Flow, facts: Facts): Runner => ({ flow, facts, state: null, refusal: null, edges: [], to: [] });
type Fed = FlowEvent | { readonly type: 'migrate' };

/** `edges` counts on from those that were passed since the last record. */
function feed(runner: Runner, event: Fed, at: number): Runner {
  const { flow, state, facts } = runner;
  const result = event.type === 'migrate' ? restart(runner, at) : step(flow, state, event, at, withUploads(facts, event));
  if (!result.ok) return { ...runner, refusal: result };
  const { trace } = result;
  const to = trace.at(-1)?.to ?? runner.to;
  return { ...runner, state: result.state, refusal: null, edges: [...runner.edges, ...edgesOf(trace)], to };
}

/** What happened although there was no room for it is of before there was a pace (F44): then neither has one. */
function asFast(ours: Runner, theirs: Runner, { at, event }: FlowRecord): [Runner, Runner] {
  const isSlowed = event.type === 'elapsed' && theirs.state !== null && elapsesAt(theirs.state) > at && isArmed(theirs.state, at);
  return isSlowed ? [atOnce(ours), atOnce(theirs)] : [ours, theirs];
}
const isArmed = (state: FlowState, at: number): boolean => (nearest(state)?.at ?? Infinity) <= at;
const atOnce = (runner: Runner): Runner => (runner.state ? { ...runner, state: { ...runner.state, moves: [] } } : runner);

/** An item that came from another version begins its deadlines anew. */
function restart({ flow, state, facts }: Runner, at: number) {
  if (!state || migrationRefusal(flow, flow, state)) return { ok: false, code: 'STALE', reason: 'STALE' } as const;
  return migrate(flow, flow, state, at, facts);
}

/**
 * What would have fallen due before the record has happened by then. A run that was late by a deadline of its own would have been late for
 * those of the other flow as well.
 */
function elapseBefore(ours: Runner, theirs: Runner, { at, event }: FlowRecord): Runner {
  const fresh = { ...ours, edges: [], refusal: null };
  const isDue = ({ state }: Runner): boolean => state !== null && elapsesAt(state) < at;
  return event.type === 'elapsed' || !isDue(ours) || isDue(theirs) ? fresh : feed(fresh, { type: 'elapsed' }, at - 1);
}

function eventOf({ event }: FlowRecord, members: readonly Member[]): Fed {
  return event.type === 'start' ? { type: 'start', members } : (event as Fed);
}

/**
 * An answer goes to the node that asked, whose call may have another id here. Records of an item that stood still do not tell of the call.
 */
function sameCall(theirs: Runner, ours: Runner, event: Fed): Fed {
  if (event.type !== 'result') return event;
  const nodeId = waiting(theirs).find(({ position }) => position.call === event.call)?.node.id;
  const calls = waiting(ours).flatMap(({ node, position }) => (node.id === nodeId ? [position.call!] : []));
  return { ...event, call: calls.includes(event.call) ? event.call : (calls[0] ?? '') };
}
const waiting = ({ flow, state }: Runner): readonly Location[] =>
  state ? leaves(flow, state).filter(({ position }) => position.call !== undefined) : [];

/** What was accepted then was an upload of the store. */
const withUploads = (facts: Facts, event: FlowEvent): Facts => {
  if (event.type !== 'seller.action' && event.type !== 'buyer.action') return facts;
  const { attachments = [], input = {} } = event;
  const sent = Object.values(input).flatMap((value) => (Array.isArray(value) ? (value as readonly unknown[]) : []));
  return { ...facts, isReplay: true, uploads: new Set([...attachments, ...sent.filter((one) => typeof one === 'string')]) };
};

const edgesOf = (trace: readonly Trace[]): readonly string[] => trace.flatMap(({ edges }) => edges);
const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((one, i) => one === b[i]);
