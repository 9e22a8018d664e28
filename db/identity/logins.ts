/**
 * Logins of people: the authorization request that waits for the identity provider, the code, the refresh tokens. The tokens of a login are
 * one family: reuse of a code or refresh token revokes the whole login. Times are real times, passed in.
 */
import { randomBytes } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import { DAY, MINUTE, msOf, SECOND } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { hashSecret, type Keyring, type SealLocation } from '../kernel/keyring.ts';
import { fragment, sqlOn } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';

/** Lifetime of an authorization request. */
export const REQUEST_MS = 10 * MINUTE;
const CODE_MS = 60 * SECOND;
const REFRESH_MS = 30 * DAY;
/** Within this time a refresh token may be reused once, by a client that did not get the response (D63). */
const RETRY_MS = 30 * SECOND;

export interface LoginRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  readonly codeChallenge: string;
  /** What its tokens are for (RFC 8707); null: the API. */
  readonly resource: string | null;
}
/** What binds the provider's response to the request and the browser: state, PKCE verifier, nonce, cookie. */
export interface Upstream {
  readonly requestId: string;
  readonly verifier: string;
  readonly nonce: string;
  readonly browser: string;
}
const random = () => randomBytes(32).toString('base64url');
const verifierLocation = (requestId: string): SealLocation => ({ store: '-', table: 'login_request', row: requestId, column: 'verifier' });

export async function openRequest(orm: MikroORM, keyring: Keyring, request: LoginRequest, now: number): Promise<Upstream> {
  const [requestId, verifier, nonce, browser] = [random(), random(), random(), random()] as const;
  await sqlOn(
    orm,
  )`INSERT INTO login_request (request_id, client_id, redirect_uri, scopes, state, code_challenge, resource, verifier_sealed, nonce,
     browser_hash, expires_at)
     VALUES (${requestId}, ${request.clientId}, ${request.redirectUri}, ${request.scopes}, ${request.state}, ${request.codeChallenge},
       ${request.resource}, ${keyring.seal(verifier, verifierLocation(requestId))}, ${nonce},
       ${hashSecret(browser)}, ${new Date(now + REQUEST_MS)})`;
  return { requestId, verifier, nonce, browser };
}

export interface ConsumedRequest extends LoginRequest {
  readonly requestId: string;
  readonly verifier: string;
  readonly nonce: string;
}

/** Deletes and returns an authorization request; null when it has expired, was used, or belongs to another browser. */
export async function consumeRequest(
  orm: MikroORM,
  keyring: Keyring,
  requestId: string,
  browser: string,
  now: number,
): Promise<ConsumedRequest | null> {
  const [row] = await sqlOn(orm)<{
    client_id: string;
    redirect_uri: string;
    scopes: string[];
    state: string;
    code_challenge: string;
    resource: string | null;
    verifier_sealed: string;
    nonce: string;
  }>`DELETE FROM login_request WHERE request_id = ${requestId} AND browser_hash = ${hashSecret(browser)} AND expires_at > ${new Date(now)}
    RETURNING *`;
  if (!row) return null;
  return {
    requestId,
    clientId: row.client_id,
    redirectUri: row.redirect_uri,
    scopes: row.scopes,
    state: row.state,
    codeChallenge: row.code_challenge,
    resource: row.resource,
    verifier: keyring.open(row.verifier_sealed, verifierLocation(requestId)),
    nonce: row.nonce,
  };
}

export interface Person {
  readonly issuer: string;
  readonly subject: string;
  /** Verified by the provider. */
  readonly email: string;
  readonly name: string | null;
}

/** The id of the user who logged in at the provider: by issuer and subject, or at the first login by the verified address. */
export async function userOf({ sql, realNow: now }: Tx, { issuer, subject, email, name }: Person): Promise<string> {
  const [known] = await sql<{ user_id: string }>`
    UPDATE user_account SET name = coalesce(${name}, name) WHERE issuer = ${issuer} AND subject = ${subject} RETURNING user_id`;
  if (known) return known.user_id;
  // An address that has logged in with another subject stays with that account.
  const [row] = await sql<{ user_id: string }>`
    INSERT INTO user_account (user_id, email, name, issuer, subject, created_at)
    VALUES (${newId('usr', now)}, ${email.toLowerCase()}, ${name}, ${issuer}, ${subject}, ${new Date(now)})
     ON CONFLICT (email) DO UPDATE SET issuer = excluded.issuer, subject = excluded.subject,
       name = coalesce(excluded.name, user_account.name)
       WHERE user_account.subject IS NULL RETURNING user_id`;
  if (!row) throw new Error('The address belongs to another account');
  return row.user_id;
}

/** Creates a login and its authorization code, valid for one minute and one use. */
export async function issueCode(
  { sql, realNow: now }: Tx,
  userId: string,
  request: LoginRequest,
  authenticatedAt: number,
): Promise<string> {
  const loginId = newId('lgn', now);
  const code = random();
  await sql`INSERT INTO login (login_id, client_id, user_id, scopes, resource, authenticated_at, created_at)
    VALUES (${loginId}, ${request.clientId}, ${userId}, ${request.scopes}, ${request.resource}, ${new Date(authenticatedAt)},
      ${new Date(now)})`;
  await sql`INSERT INTO auth_code (code_hash, login_id, redirect_uri, code_challenge, expires_at)
    VALUES (${hashSecret(code)}, ${loginId}, ${request.redirectUri}, ${request.codeChallenge}, ${new Date(now + CODE_MS)})`;
  return code;
}

/** A login that is not revoked. */
export interface Login {
  readonly loginId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly resource: string | null;
  readonly authenticatedAt: number;
}
interface LoginRow {
  readonly login_id: string;
  readonly client_id: string;
  readonly user_id: string;
  readonly scopes: string[];
  readonly resource: string | null;
  readonly authenticated_at: Date;
  readonly expires_at: Date;
  readonly used_at: Date | null;
  readonly revoked_at: Date | null;
}
const LOGIN_COLUMNS = fragment`l.login_id, l.client_id, l.user_id, l.scopes, l.resource, l.authenticated_at, l.revoked_at`;
const loginOf = (row: LoginRow): Login => ({
  loginId: row.login_id,
  clientId: row.client_id,
  userId: row.user_id,
  scopes: row.scopes,
  resource: row.resource,
  authenticatedAt: msOf(row.authenticated_at),
});
const revoke = ({ sql, realNow: now }: Tx, loginId: string) =>
  sql`UPDATE login SET revoked_at = coalesce(revoked_at, ${new Date(now)}) WHERE login_id = ${loginId}`;

/** Redeems an authorization code; null when it is invalid, expired, another client's, or used before, which revokes the login. */
export async function redeemCode(
  tx: Tx,
  clientId: string,
  code: string,
  fits: (issued: { redirectUri: string; codeChallenge: string }) => boolean,
): Promise<Login | null> {
  const { sql, realNow: now } = tx;
  const [row] = await sql<
    LoginRow & { redirect_uri: string; code_challenge: string }
  >`SELECT ${LOGIN_COLUMNS}, c.expires_at, c.used_at, c.redirect_uri, c.code_challenge FROM auth_code c JOIN login l USING (login_id)
     WHERE c.code_hash = ${hashSecret(code)} FOR UPDATE`;
  if (!row || row.client_id !== clientId || row.revoked_at !== null) return null;
  if (row.used_at !== null) {
    await revoke(tx, row.login_id);
    return null;
  }
  if (msOf(row.expires_at) <= now) return null;
  if (!fits({ redirectUri: row.redirect_uri, codeChallenge: row.code_challenge })) return null;
  await sql`UPDATE auth_code SET used_at = ${new Date(now)} WHERE code_hash = ${hashSecret(code)}`;
  return loginOf(row);
}

/** Issues the next refresh token of a login. */
export async function issueRefresh({ sql, realNow: now }: Tx, loginId: string): Promise<string> {
  const token = `svcrt_${random()}`;
  await sql`INSERT INTO refresh_token (token_hash, login_id, expires_at, created_at)
    VALUES (${hashSecret(token)}, ${loginId}, ${new Date(now + REFRESH_MS)}, ${new Date(now)})`;
  return token;
}

/**
 * Redeems a refresh token (rotation). If it is reused within the retry window and its successor was never used, the response was lost: the
 * successor is discarded and another may be issued. Any other reuse revokes the login.
 */
export async function redeemRefresh(tx: Tx, clientId: string, token: string): Promise<Login | null> {
  const { sql, realNow: now } = tx;
  const [found] = await sql<{ login_id: string }>`SELECT login_id FROM refresh_token WHERE token_hash = ${hashSecret(token)}`;
  if (!found) return null;
  // Serializes concurrent refreshes of one login.
  await sql`SELECT 1 FROM login WHERE login_id = ${found.login_id} FOR UPDATE`;
  const [row] = await sql<LoginRow>`SELECT ${LOGIN_COLUMNS}, r.expires_at, r.used_at FROM refresh_token r JOIN login l USING (login_id)
      WHERE r.token_hash = ${hashSecret(token)}`;
  if (!row || row.client_id !== clientId || row.revoked_at !== null || msOf(row.expires_at) <= now) return null;
  if (row.used_at === null) {
    await sql`UPDATE refresh_token SET used_at = ${new Date(now)} WHERE token_hash = ${hashSecret(token)}`;
    return loginOf(row);
  }
  const usedAt = msOf(row.used_at);
  const discarded =
    now - usedAt < RETRY_MS
      ? await sql`DELETE FROM refresh_token s WHERE login_id = ${row.login_id} AND used_at IS NULL AND NOT EXISTS (
             SELECT 1 FROM refresh_token o WHERE o.login_id = s.login_id AND o.token_hash <> ${hashSecret(token)}
               AND o.used_at >= ${new Date(usedAt)}) RETURNING 1 AS ok`
      : [];
  if (discarded.length === 1) return loginOf(row);
  await revoke(tx, row.login_id);
  return null;
}
