/**
 * Guest sessions, in business time: they expire 30 days after the last use, unused ones after a day. A request that is refused is no
 * use: the session is extended in the transaction of one that succeeds.
 */
import { randomBytes } from 'node:crypto';
import { Fault } from '../../domain/kernel/errors.ts';
import { DAY, HOUR, msOf } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { hashSecret } from '../kernel/keyring.ts';
import type { Sql } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Tenant, tenantOf, type TenantRow } from '../stores/queries.ts';
import { GuestSessionEntity } from './entities.ts';

const SESSION_MS = 30 * DAY;
const UNUSED_MS = DAY;
/** The sliding expiry is updated at most this often. */
const SLIDE_MS = HOUR;
const SWEEP = 100;

/** Creates a guest session; the token is returned only here and stored as SHA-256. Deletes some expired sessions. */
export async function openSession({ em, sql, storeId, at }: Tx): Promise<{ sessionId: string; cartToken: string; expiresAt: number }> {
  const cartToken = randomBytes(32).toString('base64url');
  const expiresAt = at + SESSION_MS;
  const sessionId = newId('gst', at);
  const ended = await sql<{ session_id: string }>`WITH expired AS MATERIALIZED (
       SELECT session_id FROM guest_session WHERE store_id = ${storeId} AND expires_at < ${new Date(at)} ORDER BY expires_at LIMIT ${SWEEP}
         FOR UPDATE SKIP LOCKED),
     unused AS MATERIALIZED (SELECT session_id FROM guest_session WHERE store_id = ${storeId} AND used_at IS NULL
       AND created_at < ${new Date(at - UNUSED_MS)}
       ORDER BY created_at LIMIT ${SWEEP} FOR UPDATE SKIP LOCKED)
     DELETE FROM guest_session WHERE store_id = ${storeId} AND session_id IN (SELECT session_id FROM expired UNION ALL SELECT session_id
       FROM unused)
     RETURNING session_id`;
  if (ended.length > 0)
    await sql`DELETE FROM cart_item WHERE store_id = ${storeId} AND session_id = ANY(${ended.map(({ session_id: id }) => id)}::text[])`;
  em.persist(
    em.create(GuestSessionEntity, {
      storeId,
      sessionId,
      tokenHash: hashSecret(cartToken),
      createdAt: new Date(at),
      expiresAt: new Date(expiresAt),
    }),
  );
  await em.flush();
  return { sessionId, cartToken, expiresAt };
}

interface SessionRow {
  readonly session_id: string;
  readonly created_at: string;
  readonly used_at: string | null;
  readonly expires_at: string;
}
const isValid = (row: SessionRow, at: number): boolean =>
  msOf(row.expires_at) > at && (row.used_at !== null || msOf(row.created_at) > at - UNUSED_MS);

/** The session of a valid token, locked, or null. Sessions are locked before the lines of their carts. */
export async function lockSession({ sql, storeId, at }: Tx, token: string): Promise<string | null> {
  const [row] = await sql<SessionRow>`SELECT session_id, created_at, used_at, expires_at FROM guest_session WHERE store_id = ${storeId}
      AND token_hash = ${hashSecret(token)} FOR UPDATE`;
  return row && isValid(row, at) ? row.session_id : null;
}

/** A guest's store, and the session of the token in it, if there is one that is valid. */
export interface Guest {
  readonly tenant: Tenant;
  readonly sessionId: string | null;
  /** The session's expiry has to be extended (`extendSession`). */
  readonly isStale: boolean;
}

/** Finds store and session in one statement; null when no store has the code. */
export async function findGuest(sql: Sql, storeCode: string, cartToken: string, realNow: number): Promise<Guest | null> {
  type Row = TenantRow & (SessionRow | { readonly session_id: null });
  const [row] = await sql<Row>`SELECT * FROM lookup_guest(${storeCode}, ${hashSecret(cartToken)})`;
  if (!row) return null;
  const tenant = tenantOf(row);
  const at = realNow + tenant.clockOffsetMs;
  if (row.session_id === null || !isValid(row, at)) return { tenant, sessionId: null, isStale: false };
  return { tenant, sessionId: row.session_id, isStale: row.used_at === null || msOf(row.used_at) < at - SLIDE_MS };
}

/** Extends a session's expiry from this use. UNAUTHORIZED when it was deleted meanwhile. */
export async function extendSession({ sql, storeId, at }: Tx, sessionId: string): Promise<void> {
  const extended = await sql`
    UPDATE guest_session SET used_at = ${new Date(at)}, expires_at = ${new Date(at + SESSION_MS)}
      WHERE store_id = ${storeId} AND session_id = ${sessionId} RETURNING 1 AS ok`;
  if (extended.length === 0) throw new Fault('UNAUTHORIZED');
}

/** Deletes a session, after its cart was merged into another. */
export const endSession = ({ sql, storeId }: Tx, sessionId: string) =>
  sql`DELETE FROM guest_session WHERE store_id = ${storeId} AND session_id = ${sessionId}`;
