/** The turns of a store's external calls, by the real clock, however many workers make them (F47). */
import { MINUTE, msOf, SECOND } from '../../domain/kernel/time.ts';
import { turnAt } from '../../domain/flows/run/turns.ts';
import { lockName, type Tx } from '../kernel/tx.ts';

/** Which entry of which node: `ownerId` is the order item, or the group. */
export interface Entry {
  readonly ownerId: string;
  readonly call: string;
}
/** A call whose worker died is not in flight any longer than the time of its activity. */
const LEASE_MS = 95 * SECOND;
/** One that has not asked again for so long after its time keeps nobody waiting, and comes last when it does. */
const GONE_MS = MINUTE;

interface Row {
  readonly is_begun: boolean;
  readonly begun: readonly (Date | string)[];
  readonly in_flight: number;
  readonly ahead: number;
}
/**
 * Whether the call may be begun in this transaction, which holds the store's turns until its end; else it waits, and asks again at the
 * real time that is returned. One that was begun before is not counted again.
 */
export async function takeTurn(tx: Tx, { ownerId, call }: Entry): Promise<number | null> {
  const { sql, storeId, realNow: now } = tx;
  await lockName(tx, `external-calls/${storeId}`);
  const [row] = await sql<Row>`
    SELECT EXISTS (SELECT 1 FROM flow_call WHERE store_id = ${storeId} AND owner_id = ${ownerId} AND call = ${call}) AS is_begun,
      ARRAY(SELECT begun_at FROM flow_call WHERE store_id = ${storeId} AND begun_at > ${new Date(now - MINUTE)} ORDER BY begun_at) AS begun,
      (SELECT count(*)::integer FROM flow_call WHERE store_id = ${storeId} AND begun_at > ${new Date(now - LEASE_MS)}
        AND result IS NULL) AS in_flight,
      (SELECT count(*)::integer FROM flow_call_waiting w WHERE w.store_id = ${storeId} AND w.retry_at > ${new Date(now - GONE_MS)}
        AND (w.asked_at, w.owner_id, w.call) < (coalesce((SELECT o.asked_at FROM flow_call_waiting o WHERE o.store_id = ${storeId}
          AND o.owner_id = ${ownerId} AND o.call = ${call}), ${new Date(now)}), ${ownerId}, ${call})) AS ahead`;
  const { is_begun: isBegun, begun, in_flight: inFlight, ahead } = row!;
  const times = begun.map((at) => msOf(at));
  const retryAt = isBegun ? null : turnAt({ now, begun: times, inFlight, ahead });
  if (retryAt === null) await leaveQueue(tx, ownerId, [call]);
  else await waitUntil(tx, { ownerId, call }, retryAt);
  return retryAt;
}

/** Who has waited keeps its place, unless it was gone. */
async function waitUntil({ sql, storeId, realNow }: Tx, { ownerId, call }: Entry, retryAt: number): Promise<void> {
  await sql`DELETE FROM flow_call_waiting WHERE store_id = ${storeId} AND retry_at <= ${new Date(realNow - 10 * GONE_MS)}`;
  await sql`INSERT INTO flow_call_waiting (store_id, owner_id, call, asked_at, retry_at)
    VALUES (${storeId}, ${ownerId}, ${call}, ${new Date(realNow)}, ${new Date(retryAt)})
    ON CONFLICT (store_id, owner_id, call) DO UPDATE SET retry_at = excluded.retry_at`;
}

/** The flow no longer waits for these calls, or they are made. */
export async function leaveQueue({ sql, storeId }: Tx, ownerId: string, calls: readonly string[]): Promise<void> {
  await sql`DELETE FROM flow_call_waiting WHERE store_id = ${storeId} AND owner_id = ${ownerId} AND call = ANY(${[...calls]}::text[])`;
}

/** The calls of an owner that wait, with the real time at which each asks again. */
export async function readWaiting({ sql, storeId }: Tx, ownerId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ call: string; retry_at: Date | string }>`
    SELECT call, retry_at FROM flow_call_waiting WHERE store_id = ${storeId} AND owner_id = ${ownerId}`;
  return new Map(rows.map(({ call, retry_at: at }) => [call, msOf(at)]));
}

/** A call has ended: the first one that waits asks again now. Returns its owner; null where none waits. */
export async function nextInTurn({ sql, storeId, realNow }: Tx): Promise<string | null> {
  const [row] = await sql<{ owner_id: string }>`
    UPDATE flow_call_waiting w SET retry_at = ${new Date(realNow)} FROM (
      SELECT owner_id, call FROM flow_call_waiting WHERE store_id = ${storeId} AND retry_at > ${new Date(realNow)}
       ORDER BY asked_at, owner_id, call LIMIT 1 FOR UPDATE SKIP LOCKED) first
     WHERE w.store_id = ${storeId} AND w.owner_id = first.owner_id AND w.call = first.call RETURNING w.owner_id`;
  return row?.owner_id ?? null;
}
