/** Records of flows as sellers read them, newest first (F31). */
import { jobsOf, type Job } from '../../domain/flows/jobs.ts';
import type { Effect, FlowEvent, Trace } from '../../domain/flows/state.ts';
import type { PublicStatus } from '../../domain/flows/status.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { korean } from '../../domain/kernel/time.ts';
import type { Tx } from '../kernel/tx.ts';

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
  readonly effects: readonly Effect[];
  readonly status: PublicStatus;
  /** The later answers of external services, by call. */
  readonly answers: Readonly<Record<string, string>>;
}
/** How many records a list has. */
const NEWEST = 50;

/** Each only where the event has it. */
type Details = { readonly [K in 'key' | 'name' | 'deadline' | 'value' | 'to' | 'reason']?: string };
type Answers = Readonly<Record<string, string>>;
type StepStatus = 'DONE' | 'PENDING' | 'FAILED';

/** The newest 50 records of an item. */
export async function listFlowRuns({ sql, storeId }: Tx, orderItemId: string) {
  const rows = await sql<Row>`
    SELECT s.run_id, s.order_item_id, coalesce(s.flow_key, i.flow_key) AS flow_key, coalesce(s.flow_version, i.flow_version) AS flow_version,
           s.at, s.event, s.trace, s.effects, s.status,
           (SELECT array_agg(m.order_item_id ORDER BY m.order_item_id) FROM flow_step m WHERE m.store_id = s.store_id AND m.run_id = s.run_id) AS item_ids,
           (SELECT jsonb_object_agg(a.event ->> 'call', a.event ->> 'value') FROM flow_step a WHERE a.store_id = s.store_id
              AND a.order_item_id = s.order_item_id AND a.event ->> 'type' = 'result') AS answers
      FROM flow_step s JOIN order_item i USING (store_id, order_item_id)
     WHERE s.store_id = ${storeId} AND s.order_item_id = ${orderItemId} ORDER BY s.seq DESC LIMIT ${NEWEST}`;
  return rows.map(viewRun);
}

/** FLOW_RUN_NOT_FOUND. */
export async function readFlowRun(tx: Tx, runId: string) {
  const { sql, storeId } = tx;
  const rows = await sql<Row>`
    SELECT s.run_id, s.order_item_id, coalesce(s.flow_key, i.flow_key) AS flow_key, coalesce(s.flow_version, i.flow_version) AS flow_version,
           s.at, s.event, s.trace, s.effects, s.status, array_agg(s.order_item_id) OVER (PARTITION BY s.run_id) AS item_ids,
           (SELECT jsonb_object_agg(a.event ->> 'call', a.event ->> 'value') FROM flow_step a WHERE a.store_id = s.store_id
              AND a.order_item_id = s.order_item_id AND a.event ->> 'type' = 'result') AS answers
      FROM flow_step s JOIN order_item i USING (store_id, order_item_id)
     WHERE s.store_id = ${storeId} AND s.run_id = ${runId} ORDER BY s.order_item_id`;
  if (!rows[0]) throw new Fault('FLOW_RUN_NOT_FOUND');
  return viewRun(rows[0]);
}

const actorOf = ({ type, cause }: RecordedEvent): 'SELLER' | 'BUYER' | 'SYSTEM' => {
  if (type === 'seller.action' || type === 'move' || type === 'migrate' || cause === 'SELLER_CANCEL') return 'SELLER';
  return type === 'buyer.action' || type === 'claim.opened' ? 'BUYER' : 'SYSTEM';
};

function viewRun(row: Row) {
  const { event, trace, effects } = row;
  const { type, key, name, deadline, value, to, reason } = event;
  const details = Object.entries({ key, name, deadline, value, to, reason }).filter(([, one]) => typeof one === 'string');
  return {
    runId: row.run_id,
    orderItemIds: [...row.item_ids],
    flow: { key: row.flow_key, version: row.flow_version },
    at: korean(new Date(row.at).getTime()),
    event: { type: type as string, ...(Object.fromEntries(details) as Details) },
    actor: type === 'event' && name?.startsWith('custom.') ? ('SELLER' as const) : actorOf(event),
    from: [...(trace[0]?.from ?? [])],
    to: [...(trace.at(-1)?.to ?? [])],
    edges: trace.flatMap(({ edges }) => edges),
    steps: jobsOf(event, effects).map((job) => viewStep(job, effects, row.answers ?? {})),
    status: row.status,
  };
}

/** What was done; a call is pending until its answer, and failed where that was no success. */
function viewStep({ at, members, ...job }: Job, effects: readonly Effect[], answers: Answers) {
  return {
    ...job,
    ...(members && { members: [...members] }),
    at: korean(at),
    status: job.type === 'external.call' ? callStatus(job.nodeId, effects, answers) : ('DONE' as const),
  };
}
function callStatus(nodeId: string, effects: readonly Effect[], answers: Answers): StepStatus {
  const request = effects.find((effect) => effect.type === 'external.call' && effect.nodeId === nodeId);
  const answer = request?.type === 'external.call' ? answers[request.call] : undefined;
  if (answer === undefined) return 'PENDING';
  return answer === 'failed' ? 'FAILED' : 'DONE';
}
