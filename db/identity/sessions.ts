/** Guest sessions, in business time (D66): they expire 30 days after the last use, unused ones after a day. */
import { randomBytes } from 'node:crypto';
import { DAY, HOUR } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { hashSecret } from '../kernel/keyring.ts';
import { type Em, sql, textArray } from '../kernel/tx.ts';
import { GuestSessionEntity } from './entities.ts';

const SESSION_MS = 30 * DAY;
const UNUSED_MS = DAY;
/** The sliding expiry is updated at most this often. */
const SLIDE_MS = HOUR;
const SWEEP = 100;

/** Creates a guest session; the token is returned only here and stored as SHA-256. Deletes some expired sessions. */
export async function openSession(
  em: Em,
  storeId: string,
  at: number,
): Promise<{ sessionId: string; cartToken: string; expiresAt: number }> {
  const cartToken = randomBytes(32).toString('base64url');
  const expiresAt = at + SESSION_MS;
  const sessionId = newId('gst', at);
  const ended = await sql<{ session_id: string }>(
    em,
    `WITH expired AS MATERIALIZED (
       SELECT session_id FROM guest_session WHERE store_id = ? AND expires_at < ? ORDER BY expires_at LIMIT ${SWEEP}
         FOR UPDATE SKIP LOCKED),
     unused AS MATERIALIZED (SELECT session_id FROM guest_session WHERE store_id = ? AND used_at IS NULL AND created_at < ?
       ORDER BY created_at LIMIT ${SWEEP} FOR UPDATE SKIP LOCKED)
     DELETE FROM guest_session WHERE store_id = ? AND session_id IN (SELECT session_id FROM expired UNION ALL SELECT session_id FROM unused)
     RETURNING session_id`,
    [storeId, new Date(at), storeId, new Date(at - UNUSED_MS), storeId],
  );
  if (ended.length > 0)
    await sql(em, 'DELETE FROM cart_item WHERE store_id = ? AND session_id = ANY(?::text[])', [
      storeId,
      textArray(ended.map(({ session_id: id }) => id)),
    ]);
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

/** The session of a valid token, or null; extends its expiry. */
export async function findSession(em: Em, storeId: string, token: string, at: number): Promise<string | null> {
  const [row] = await sql<{ session_id: string; used_at: Date | null }>(
    em,
    `SELECT session_id, used_at FROM guest_session WHERE store_id = ? AND token_hash = ? AND expires_at > ?
       AND (used_at IS NOT NULL OR created_at > ?)`,
    [storeId, hashSecret(token), new Date(at), new Date(at - UNUSED_MS)],
  );
  if (!row) return null;
  if (row.used_at === null || new Date(row.used_at).getTime() < at - SLIDE_MS)
    await sql(em, 'UPDATE guest_session SET used_at = ?, expires_at = ? WHERE store_id = ? AND session_id = ?', [
      new Date(at),
      new Date(at + SESSION_MS),
      storeId,
      row.session_id,
    ]);
  return row.session_id;
}

/** Deletes a session, after its cart was merged into another. */
export const endSession = (em: Em, storeId: string, sessionId: string) =>
  sql(em, 'DELETE FROM guest_session WHERE store_id = ? AND session_id = ?', [storeId, sessionId]);
