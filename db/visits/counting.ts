/**
 * Counts what is recorded (record.ts) into the sums that reports read (lists.ts), a portion at a time. A portion is one transaction: its
 * batches leave `visit_batch` and are in the sums, or neither. Portions of a store run one after the other.
 */
import { universal } from '../../domain/kernel/time.ts';
import { addedUp, type Changes, fromSource, inShop, isEarlier, type Positioned } from '../../domain/visits/counts.ts';
import type { Source } from '../../domain/visits/rules.ts';
import { failpoint } from '../kernel/failpoint.ts';
import type { Tx } from '../kernel/tx.ts';
import { addMembers, addSums } from './sums.ts';
import { type Batch, readBatches, readEarlier } from './events.ts';

/** Batches and events of one portion, a batch of more than it is left of the latter being the last. */
const [BATCHES, EVENTS] = [500, 1000];

/** Counts a portion of what had happened by the transaction's time; returns whether all of it is counted now (R10). */
export async function countVisits(tx: Tx): Promise<boolean> {
  await lockClock(tx);
  const batches = await takeBatches(tx);
  if (batches.length > 0) await countBatches(tx, batches);
  const isDone = batches.length === 0 || !(await hasMore(tx));
  if (isDone) await setClock(tx);
  failpoint('visits.before-commit', tx.storeId);
  return isDone;
}

/** Whether the visits of the store are not counted up to the transaction's time. */
export async function isDue({ sql, storeId, at }: Tx): Promise<boolean> {
  const rows = await sql`SELECT 1 AS ok FROM visit_clock WHERE store_id = ${storeId} AND computed_at >= ${new Date(at)}`;
  return rows.length === 0;
}

const lockClock = ({ sql, storeId }: Tx): Promise<object[]> =>
  sql`INSERT INTO visit_clock AS c (store_id) VALUES (${storeId}) ON CONFLICT (store_id) DO UPDATE SET computed_at = c.computed_at`;
const setClock = ({ sql, storeId, at }: Tx): Promise<object[]> =>
  sql`UPDATE visit_clock SET computed_at = greatest(computed_at, ${new Date(at)}) WHERE store_id = ${storeId}`;

const takeBatches = ({ sql, storeId, at }: Tx): Promise<Batch[]> =>
  sql<Batch>`DELETE FROM visit_batch b USING (
      SELECT created_at, batch_id, sum(event_count) OVER (ORDER BY created_at, batch_id) - event_count AS before FROM (
        SELECT * FROM visit_batch WHERE store_id = ${storeId} AND created_at <= ${new Date(at)}
        ORDER BY created_at, batch_id LIMIT ${BATCHES}::int) oldest) due
    WHERE b.store_id = ${storeId} AND b.created_at = due.created_at AND b.batch_id = due.batch_id AND due.before < ${EVENTS}
    RETURNING b.batch_id`;

async function hasMore({ sql, storeId, at }: Tx): Promise<boolean> {
  const rows = await sql`SELECT 1 AS ok FROM visit_batch WHERE store_id = ${storeId} AND created_at <= ${new Date(at)} LIMIT 1`;
  return rows.length > 0;
}

async function countBatches(tx: Tx, batches: readonly Batch[]): Promise<void> {
  const events = await readBatches(tx, batches);
  const sessions = await registerSessions(tx, events);
  const moved = [...sessions.values()].filter(({ before, now }) => now !== null && !isSame(before, now));
  const earlier = await readEarlier(
    tx,
    moved.map(({ sessionId }) => sessionId),
    batches,
  );
  const changes = addedUp([
    ...events.flatMap((event) => [inShop(event), ...underSource(event, sessions)]),
    ...earlier.flatMap((event) => moving(event, sessions.get(event.sessionId!)!)),
  ]);
  await addSums(tx, changes.sums);
  await addMembers(tx, changes.members);
}

const underSource = (event: Positioned, sessions: Sessions): Changes[] => {
  const source = event.sessionId === null ? null : sessions.get(event.sessionId)!.now;
  return source ? [fromSource(event, source)] : [];
};
/** What was counted under the source that a session had before. */
const moving = (event: Positioned, { before, now }: SessionSource): Changes[] => [
  ...(before ? [fromSource(event, before, -1)] : []),
  fromSource(event, now!),
];

/** Where a session comes from by what is counted: before a portion, and with it. Null: nothing says so. */
interface SessionSource {
  readonly sessionId: string;
  readonly before: Source | null;
  readonly now: Source | null;
}
type Sessions = ReadonlyMap<string, SessionSource>;
const isSame = (one: Source | null, other: Source): boolean => one?.source === other.source && one.medium === other.medium;

interface SessionRow {
  readonly session_id: string;
  readonly old_source: string | null;
  readonly old_medium: string | null;
  readonly source: string | null;
  readonly medium: string | null;
}
/** Keeps of each session where its first view says that it came from (R12). */
async function registerSessions({ sql, storeId }: Tx, events: readonly Positioned[]): Promise<Sessions> {
  const bySession = Map.groupBy(
    events.filter(({ sessionId }) => sessionId !== null),
    ({ sessionId }) => sessionId!,
  );
  const seen = [...bySession].map(([sessionId, own]) => ({ sessionId, ...firstOf(own) }));
  const rows = await sql<SessionRow>`WITH seen AS MATERIALIZED (
      SELECT visit_key("sessionId") AS session, s.* FROM jsonb_to_recordset(${JSON.stringify(seen)}::jsonb)
        AS s ("sessionId" text, at timestamptz, "batchId" text, position smallint, source text, medium text)),
    known AS (SELECT v.* FROM seen JOIN visit_session v ON v.store_id = ${storeId} AND v.session = seen.session),
    written AS (INSERT INTO visit_session AS v (store_id, session, first_at, batch_id, position, source, medium)
      SELECT ${storeId}, session, at, "batchId", position, source, medium FROM seen WHERE source IS NOT NULL ORDER BY session
      ON CONFLICT (store_id, session) DO UPDATE SET first_at = excluded.first_at, batch_id = excluded.batch_id,
        position = excluded.position, source = excluded.source, medium = excluded.medium
      WHERE (excluded.first_at, excluded.batch_id, excluded.position) < (v.first_at, v.batch_id, v.position)
      RETURNING session, source, medium)
    SELECT seen."sessionId" AS session_id, known.source AS old_source, known.medium AS old_medium,
      coalesce(written.source, known.source) AS source, coalesce(written.medium, known.medium) AS medium
    FROM seen LEFT JOIN known USING (session) LEFT JOIN written USING (session)`;
  const sourceOf = (source: string | null, medium: string | null) => (source === null ? null : { source, medium: medium! });
  return new Map(
    rows.map((row) => [
      row.session_id,
      { sessionId: row.session_id, before: sourceOf(row.old_source, row.old_medium), now: sourceOf(row.source, row.medium) },
    ]),
  );
}

function firstOf(events: readonly Positioned[]) {
  const views = events.filter(({ source }) => source !== null);
  if (views.length === 0) return {};
  const { at, batchId, position, source } = views.reduce((first, one) => (isEarlier(one, first) ? one : first));
  return { at: universal(at), batchId, position, ...source };
}
