/** Logins that wait for the person's word: whether this client may have what it asks for (X2–X5). Real times, passed in. */
import { randomBytes } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Role } from '../../domain/identity/rules.ts';
import { MINUTE } from '../../domain/kernel/time.ts';
import { hashSecret } from '../kernel/keyring.ts';
import { type Em, sql, textArray } from '../kernel/tx.ts';
import type { LoginRequest } from './logins.ts';

/** How long a person may think about it. */
export const CONSENT_MS = 10 * MINUTE;

export interface ConsentRequest extends LoginRequest {
  readonly consentId: string;
  readonly userId: string;
  readonly authenticatedAt: number;
}

/** Keeps what a person is asked, for the browser that began the login; answers its id. */
export async function openConsent(em: Em, asked: Omit<ConsentRequest, 'consentId'>, browser: string, now: number): Promise<string> {
  const consentId = randomBytes(32).toString('base64url');
  await sql(
    em,
    `INSERT INTO consent_request (consent_id, client_id, user_id, redirect_uri, scopes, state, code_challenge, authenticated_at, browser_hash, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      consentId,
      asked.clientId,
      asked.userId,
      asked.redirectUri,
      textArray(asked.scopes),
      asked.state,
      asked.codeChallenge,
      new Date(asked.authenticatedAt),
      hashSecret(browser),
      new Date(now + CONSENT_MS),
    ],
  );
  return consentId;
}

interface ConsentRow {
  readonly consent_id: string;
  readonly client_id: string;
  readonly user_id: string;
  readonly redirect_uri: string;
  readonly scopes: string[];
  readonly state: string;
  readonly code_challenge: string;
  readonly authenticated_at: Date;
}
const LIVING = 'consent_id = ? AND browser_hash = ? AND expires_at > ?';
const consentOf = (row: ConsentRow | undefined): ConsentRequest | null =>
  row
    ? {
        consentId: row.consent_id,
        clientId: row.client_id,
        userId: row.user_id,
        redirectUri: row.redirect_uri,
        scopes: row.scopes,
        state: row.state,
        codeChallenge: row.code_challenge,
        authenticatedAt: new Date(row.authenticated_at).getTime(),
      }
    : null;

/** What is asked; null when it was answered, has expired, or another browser asks. */
export async function readConsent(orm: MikroORM, consentId: string, browser: string, now: number): Promise<ConsentRequest | null> {
  const given = [consentId, hashSecret(browser), new Date(now)];
  const [row] = await sql<ConsentRow>(orm.em.fork(), `SELECT * FROM consent_request WHERE ${LIVING}`, given);
  return consentOf(row);
}

/** The same, taken: of parallel answers one has it, in the transaction in which it acts on it. */
export async function takeConsent(em: Em, consentId: string, browser: string, now: number): Promise<ConsentRequest | null> {
  const given = [consentId, hashSecret(browser), new Date(now)];
  const [row] = await sql<ConsentRow>(em, `DELETE FROM consent_request WHERE ${LIVING} RETURNING *`, given);
  return consentOf(row);
}

/** What the page tells a person who may be asked. */
export interface Question {
  readonly clientName: string;
  readonly storeName: string;
  readonly email: string;
  /** In the store of the client now; null: there is nothing that they could allow (X5). */
  readonly role: Role | null;
}
export async function questionOf(em: Em, storeId: string, clientId: string, userId: string): Promise<Question> {
  const [row] = await sql<{ client_name: string; store_name: string; email: string; role: Role | null }>(
    em,
    `SELECT c.name AS client_name, s.name AS store_name, u.email, m.role
     FROM client c JOIN store s USING (store_id) JOIN user_account u ON u.user_id = ?
       LEFT JOIN member m ON m.store_id = c.store_id AND m.user_id = u.user_id
     WHERE c.store_id = ? AND c.client_id = ?`,
    [userId, storeId, clientId],
  );
  if (!row) throw new Error(`Client ${clientId} has no store ${storeId}`);
  return { clientName: row.client_name, storeName: row.store_name, email: row.email, role: row.role };
}
