/** What has expired: found in all stores by their clocks, recorded per member. */
import { msOf } from '../../domain/kernel/time.ts';
import { markOf } from '../../domain/points/expiry.ts';
import { failpoint } from '../kernel/failpoint.ts';
import type { Sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { expirePoints } from './ledger.ts';

/** Lots of one portion. */
const PORTION = 200;

/** A position in the list of dead lots. */
export interface LotPosition {
  readonly storeId: string;
  readonly expiresAt: number;
  readonly lotId: string;
}
export interface DueMember {
  readonly storeId: string;
  readonly clockOffsetMs: number;
  readonly customerId: string;
}
export interface DuePortion {
  readonly members: readonly DueMember[];
  /** Null: there are no more. */
  readonly last: LotPosition | null;
}

/** The members of the next dead lots of all stores, each once. `realNow`: the time of the run. */
export async function findDue(sql: Sql, realNow: number, after: LotPosition | null): Promise<DuePortion> {
  const { storeId = '', expiresAt = 0, lotId = '' } = after ?? {};
  const rows = await sql<{ store_id: string; clock_offset_ms: string; customer_id: string; expires_at: string; lot_id: string }>`
    SELECT * FROM lookup_dead_lots(${new Date(realNow)}, ${storeId}, ${new Date(expiresAt)}, ${lotId}, ${PORTION})`;
  const members = new Map(
    rows.map((row) => {
      const member = { storeId: row.store_id, clockOffsetMs: Number(row.clock_offset_ms), customerId: row.customer_id };
      return [`${row.store_id}/${row.customer_id}`, member];
    }),
  );
  const last = rows.length < PORTION ? undefined : rows.at(-1);
  return {
    members: [...members.values()],
    last: last ? { storeId: last.store_id, expiresAt: msOf(last.expires_at), lotId: last.lot_id } : null,
  };
}

/** Records what of a member has expired; nothing where nothing has. */
export async function expireMember(tx: Tx, customerId: string): Promise<void> {
  await expirePoints(tx, customerId);
  failpoint('expiry.before-commit', customerId);
}

/** Members of the store who have a dead lot in which something is left. */
export async function expiringMembers({ sql, storeId, at }: Tx): Promise<readonly string[]> {
  const rows = await sql<{ customer_id: string }>`SELECT DISTINCT customer_id FROM (SELECT customer_id FROM point_lot
    WHERE store_id = ${storeId} AND remaining_won > 0 AND expires_at <= ${new Date(at)} ORDER BY expires_at, lot_id LIMIT ${PORTION}) due`;
  return rows.map(({ customer_id: id }) => id);
}

/** The next time at which the job would find a dead lot in this store, if it is not after `until`. */
export async function nextExpiry({ sql, storeId }: Tx, now: number, until: number): Promise<number | null> {
  const [row] = await sql<{ expires_at: string | null }>`SELECT min(expires_at) AS expires_at FROM point_lot
    WHERE store_id = ${storeId} AND remaining_won > 0 AND expires_at <= ${new Date(until)}`;
  if (!row?.expires_at) return null;
  const mark = markOf(msOf(row.expires_at), now);
  return mark <= until ? mark : null;
}
