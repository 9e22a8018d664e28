/** Logins that wait for the person's consent to the client's scopes. Real times, passed in. */
import { randomBytes } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Role } from '../../domain/identity/rules.ts';
import { MINUTE, msOf } from '../../domain/kernel/time.ts';
import { hashSecret } from '../kernel/keyring.ts';
import { type Fragment, fragment, sqlOn } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { LoginRequest } from './logins.ts';

/** The lifetime of a consent request. */
export const CONSENT_MS = 10 * MINUTE;

export interface ConsentRequest extends LoginRequest {
  readonly consentId: string;
  readonly userId: string;
  readonly authenticatedAt: number;
}

/** Stores a consent request, bound to the browser that began the login; returns its id. */
export async function openConsent({ sql, realNow: now }: Tx, request: Omit<ConsentRequest, 'consentId'>, browser: string): Promise<string> {
  const consentId = randomBytes(32).toString('base64url');
  await sql`INSERT INTO consent_request (consent_id, client_id, user_id, redirect_uri, scopes, state, code_challenge, resource,
     authenticated_at, browser_hash, expires_at)
     VALUES (${consentId}, ${request.clientId}, ${request.userId}, ${request.redirectUri}, ${request.scopes}, ${request.state},
       ${request.codeChallenge}, ${request.resource}, ${new Date(request.authenticatedAt)}, ${hashSecret(browser)},
       ${new Date(now + CONSENT_MS)})`;
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
  readonly resource: string | null;
  readonly authenticated_at: Date;
}
const unexpired = (consentId: string, browser: string, now: number): Fragment =>
  fragment`consent_id = ${consentId} AND browser_hash = ${hashSecret(browser)} AND expires_at > ${new Date(now)}`;
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
        resource: row.resource,
        authenticatedAt: msOf(row.authenticated_at),
      }
    : null;

/** A consent request; null when it was answered, has expired, or belongs to another browser. */
export async function readConsent(orm: MikroORM, consentId: string, browser: string, now: number): Promise<ConsentRequest | null> {
  const [row] = await sqlOn(orm)<ConsentRow>`SELECT * FROM consent_request WHERE ${unexpired(consentId, browser, now)}`;
  return consentOf(row);
}

/** The same, deleted: of concurrent decisions only one gets it. */
export async function consumeConsent({ sql, realNow: now }: Tx, consentId: string, browser: string): Promise<ConsentRequest | null> {
  const [row] = await sql<ConsentRow>`DELETE FROM consent_request WHERE ${unexpired(consentId, browser, now)} RETURNING *`;
  return consentOf(row);
}

/** What the consent page shows. */
export interface ConsentDetails {
  readonly clientName: string;
  readonly storeName: string;
  readonly email: string;
  /** The person's current role in the client's store; null: no role, so that nothing can be allowed. */
  readonly role: Role | null;
}
export async function consentDetailsOf({ sql, storeId }: Tx, clientId: string, userId: string): Promise<ConsentDetails> {
  const [row] = await sql<{ client_name: string; store_name: string; email: string; role: Role | null }>`
    SELECT c.name AS client_name, s.name AS store_name, u.email, m.role
     FROM client c JOIN store s USING (store_id) JOIN user_account u ON u.user_id = ${userId}
       LEFT JOIN member m ON m.store_id = c.store_id AND m.user_id = u.user_id
     WHERE c.store_id = ${storeId} AND c.client_id = ${clientId}`;
  if (!row) throw new Error(`Client ${clientId} has no store ${storeId}`);
  return { clientName: row.client_name, storeName: row.store_name, email: row.email, role: row.role };
}
