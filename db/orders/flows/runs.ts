/** Records of flows as sellers read them, newest first. */
import { jobsOf, type Job } from '../../../domain/flows/run/jobs.ts';
import type { Effect, FlowEvent, Trace } from '../../../domain/flows/run/state.ts';
import type { PublicStatus } from '../../../domain/flows/graph/status.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import { korean, koreanOf } from '../../../domain/kernel/time.ts';
import { type Fragment, fragment } from '../../kernel/sql.ts';
import type { Tx } from '../../kernel/tx.ts';

/** What a record's event may say besides its kind. */
interface RecordedEvent {
  readonly type: FlowEvent['type'] | 'migrate';
  readonly key?: string;
  readonly name?: string;
  readonly deadline?: string;
  readonly value?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly cause?: string;
  /** Of a SLOWED one: business milliseconds. */
  readonly until?: number;
  /** Who closed a claim, or took its units. */
  readonly by?: 'SELLER' | 'BUYER';
}
interface Row {
  readonly run_id: string;
  readonly order_item_id: string;
  readonly item_ids: readonly string[];
  readonly flow_key: string;
  readonly flow_version: number;
  readonly at: Date;
  readonly event: RecordedEvent;
  readonly trace: readonly Trace[];
  /** Of each of its items. */
  readonly effects: readonly (readonly Effect[])[];
  readonly status: PublicStatus;
  /** The later answers of external services, by call. */
  readonly answers: Readonly<Record<string, string>> | null;
  /** Whether its items are done now, and the calls that they wait for. */
  readonly state: { readonly done: boolean; readonly calls: readonly string[] };
}
/** How many records a list has. */
const NEWEST = 50;

/** Each only where the event has it. */
type Details = { readonly [K in 'key' | 'name' | 'deadline' | 'value' | 'to' | 'reason' | 'until']?: string };
type StepStatus = 'DONE' | 'PENDING' | 'FAILED';

/** How many jobs, members of a job, edges and positions of a record a list shows. */
const LISTED = { jobs: 20, members: 5, edges: 20 } as const;
/** Of how many items, and how many effects of each, a list reads: what its jobs are made of. */
const READ = { items: 10, effects: 40, message: 500 } as const;
/** How many jobs a record shows by itself: a hundred items with twenty messages each have two thousand. */
const MAX_JOBS = 500;

/** A record `s` with what it says of all its items `m`: an item that has left does not hear of answers. `effects`: how they are read. */
const record = (effects: Fragment) => fragment`
  s.run_id, s.order_item_id, coalesce(s.flow_key, i.flow_key) AS flow_key, coalesce(s.flow_version, i.flow_version) AS flow_version,
  s.at, s.event, s.trace, s.status, r.item_ids, ${effects} AS effects,
  (SELECT jsonb_build_object('done', coalesce(now.state -> 'done', 'false'), 'calls',
    jsonb_path_query_array(now.state, '$.positions[*].call'))
    FROM (SELECT coalesce(g.flow_state, i.flow_state) AS state) now) AS state,
  CASE WHEN s.effects @> '[{"type": "external.call"}]' THEN (
    SELECT jsonb_object_agg(a.event ->> 'call', a.event ->> 'value') FROM flow_step a WHERE a.store_id = s.store_id
       AND a.order_item_id = ANY (r.item_ids) AND a.event ->> 'type' = 'result') END AS answers
  FROM flow_step s JOIN order_item i USING (store_id, order_item_id)
    LEFT JOIN flow_group g ON g.store_id = i.store_id AND g.group_id = i.group_id
    CROSS JOIN LATERAL (
      SELECT array_agg(m.order_item_id ORDER BY m.order_item_id) AS item_ids
        FROM flow_step m WHERE m.store_id = s.store_id AND m.run_id = s.run_id) r`;
const ALL_EFFECTS = fragment`(SELECT jsonb_agg(m.effects ORDER BY m.order_item_id) FROM flow_step m
  WHERE m.store_id = s.store_id AND m.run_id = s.run_id)`;
/** The first effects of its first items, with the beginning of their messages. */
const FIRST_EFFECTS = fragment`(SELECT jsonb_agg(first.effects ORDER BY first.order_item_id) FROM (
    SELECT m.order_item_id, (SELECT coalesce(jsonb_agg(CASE WHEN effect ? 'message'
        THEN jsonb_set(effect, '{message}', shortened_value(effect -> 'message', ${READ.message})) ELSE effect END ORDER BY n), '[]')
        FROM jsonb_array_elements(m.effects) WITH ORDINALITY AS given (effect, n) WHERE n <= ${READ.effects}) AS effects
      FROM flow_step m WHERE m.store_id = s.store_id AND m.run_id = s.run_id ORDER BY m.order_item_id LIMIT ${READ.items}) first)`;
const RECORD = record(ALL_EFFECTS);
const LISTED_RECORD = record(FIRST_EFFECTS);

/** The newest 50 records of an item, cut. */
export async function listFlowRuns({ sql, storeId }: Tx, orderItemId: string) {
  const rows = await sql<Row>`
    SELECT ${LISTED_RECORD} WHERE s.store_id = ${storeId} AND s.order_item_id = ${orderItemId} ORDER BY s.seq DESC LIMIT ${NEWEST}`;
  return rows.map((row) => viewListedRun(viewRun(row, READ.items * READ.effects)));
}

/** FLOW_RUN_NOT_FOUND. */
export async function readFlowRun({ sql, storeId }: Tx, runId: string) {
  const [row] = await sql<Row>`
    SELECT ${RECORD} WHERE s.store_id = ${storeId} AND s.run_id = ${runId} ORDER BY s.order_item_id LIMIT 1`;
  if (!row) throw new Fault('FLOW_RUN_NOT_FOUND');
  return viewRun(row, MAX_JOBS);
}

const actorOf = ({ type, cause, by }: RecordedEvent): 'SELLER' | 'BUYER' | 'SYSTEM' => {
  if (by) return by;
  if (type === 'seller.action' || type === 'move' || type === 'migrate' || cause === 'SELLER_CANCEL') return 'SELLER';
  return type === 'buyer.action' || type === 'claim.opened' ? 'BUYER' : 'SYSTEM';
};

type RunView = ReturnType<typeof viewRun>;
function viewListedRun({ from, to, edges, steps, stepsTruncated, ...run }: RunView) {
  const shown = steps.slice(0, LISTED.jobs);
  const isFewer = steps.length > shown.length || run.orderItemIds.length > READ.items;
  return {
    ...run,
    from: from.slice(0, LISTED.edges),
    to: to.slice(0, LISTED.edges),
    edges: edges.slice(0, LISTED.edges),
    steps: shown.map(({ members, ...step }) => ({ ...step, ...(members && { members: members.slice(0, LISTED.members) }) })),
    stepsTruncated: stepsTruncated || isFewer || shown.some(({ members = [] }) => members.length > LISTED.members),
  };
}

/** With as many jobs as `max`. */
function viewRun(row: Row, max: number) {
  const { event, trace } = row;
  const effects = mergedOf(row.effects);
  const jobs = jobsOf(event, effects);
  const { type, key, name, deadline, value, to, reason } = event;
  const until = event.until === undefined ? undefined : korean(event.until);
  const details = Object.entries({ key, name, deadline, value, to, reason, until }).filter(([, one]) => typeof one === 'string');
  return {
    runId: row.run_id,
    orderItemIds: [...row.item_ids],
    flow: { key: row.flow_key, version: row.flow_version },
    at: koreanOf(row.at),
    event: { type: type as string, ...(Object.fromEntries(details) as Details) },
    actor: type === 'event' && name?.startsWith('custom.') ? ('SELLER' as const) : actorOf(event),
    from: [...(trace[0]?.from ?? [])],
    to: [...(trace.at(-1)?.to ?? [])],
    edges: trace.flatMap(({ edges }) => edges),
    steps: jobs.slice(0, max).map((job) => viewStep(job, effects, row)),
    stepsTruncated: jobs.length > max,
    status: row.status,
  };
}

interface Written {
  readonly effect: Effect;
  readonly text: string;
}
/** The effects of all items of a record. */
const mergedOf = (all: readonly (readonly Effect[])[]): readonly Effect[] =>
  all
    .map((own): readonly Written[] => own.map((effect) => ({ effect, text: JSON.stringify(effect) })))
    .reduce(merged)
    .map(({ effect }) => effect);
/** What the items of a record share stands there once; what one of them has for itself stands where it was, after that of those before. */
function merged(all: readonly Written[], own: readonly Written[]): readonly Written[] {
  const result: Written[] = [];
  let taken = 0;
  for (const one of all) {
    const i = own.findIndex(({ text }, at) => at >= taken && text === one.text);
    if (i >= 0) {
      result.push(...own.slice(taken, i));
      taken = i + 1;
    }
    result.push(one);
  }
  return [...result, ...own.slice(taken)];
}

/** What was done. */
function viewStep({ at, members, ...job }: Job, effects: readonly Effect[], row: Row) {
  return {
    ...job,
    ...(members && { members: [...members] }),
    at: korean(at),
    status: job.type === 'external.call' ? callStatus(job.nodeId, effects, row) : ('DONE' as const),
  };
}
/** A call is pending while it is awaited, and failed where its answer was no success, or where it was dropped. */
function callStatus(nodeId: string, effects: readonly Effect[], { answers, state }: Row): StepStatus {
  const request = effects.find((effect) => effect.type === 'external.call' && effect.nodeId === nodeId);
  const call = request?.type === 'external.call' ? request.call : '';
  const answer = answers?.[call];
  if (answer !== undefined) return answer === 'failed' ? 'FAILED' : 'DONE';
  return !state.done && state.calls.includes(call) ? 'PENDING' : 'FAILED';
}
