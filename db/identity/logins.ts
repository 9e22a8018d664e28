/**
 * Logins of people: the authorization request that waits for the identity provider, the code, the refresh tokens. The tokens of a login are
 * one family: reuse of a code or refresh token revokes the whole login. Times are real times, passed in.
 */
import { randomBytes } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import { DAY, MINUTE, SECOND } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { hashSecret, type Keyring, type SealLocation } from '../kernel/keyring.ts';
import { type Em, sql, textArray } from '../kernel/tx.ts';

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
  await sql(
    orm.em.fork(),
    `INSERT INTO login_request (request_id, client_id, redirect_uri, scopes, state, code_challenge, verifier_sealed, nonce, browser_hash,
     expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      requestId,
      request.clientId,
      request.redirectUri,
      textArray(request.scopes),
      request.state,
      request.codeChallenge,
      keyring.seal(verifier, verifierLocation(requestId)),
      nonce,
      hashSecret(browser),
      new Date(now + REQUEST_MS),
    ],
  );
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
  const em = orm.em.fork();
  const [row] = await sql<{
    client_id: string;
    redirect_uri: string;
    scopes: string[];
    state: string;
    code_challenge: string;
    verifier_sealed: string;
    nonce: string;
  }>(em, 'DELETE FROM login_request WHERE request_id = ? AND browser_hash = ? AND expires_at > ? RETURNING *', [
    requestId,
    hashSecret(browser),
    new Date(now),
  ]);
  if (!row) return null;
  return {
    requestId,
    clientId: row.client_id,
    redirectUri: row.redirect_uri,
    scopes: row.scopes,
    state: row.state,
    codeChallenge: row.code_challenge,
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
export async function userOf(em: Em, { issuer, subject, email, name }: Person, now: number): Promise<string> {
  const [known] = await sql<{ user_id: string }>(
    em,
    'UPDATE user_account SET name = coalesce(?, name) WHERE issuer = ? AND subject = ? RETURNING user_id',
    [name, issuer, subject],
  );
  if (known) return known.user_id;
  // An address that has logged in with another subject stays with that account.
  const [row] = await sql<{ user_id: string }>(
    em,
    `INSERT INTO user_account (user_id, email, name, issuer, subject, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (email) DO UPDATE SET issuer = excluded.issuer, subject = excluded.subject,
       name = coalesce(excluded.name, user_account.name)
       WHERE user_account.subject IS NULL RETURNING user_id`,
    [newId('usr', now), email.toLowerCase(), name, issuer, subject, new Date(now)],
  );
  if (!row) throw new Error('The address belongs to another account');
  return row.user_id;
}

/** Creates a login and its authorization code, valid for one minute and one use. */
export async function issueCode(em: Em, userId: string, request: LoginRequest, authenticatedAt: number, now: number): Promise<string> {
  const loginId = newId('lgn', now);
  const code = random();
  await sql(em, 'INSERT INTO login (login_id, client_id, user_id, scopes, authenticated_at, created_at) VALUES (?, ?, ?, ?, ?, ?)', [
    loginId,
    request.clientId,
    userId,
    textArray(request.scopes),
    new Date(authenticatedAt),
    new Date(now),
  ]);
  await sql(em, 'INSERT INTO auth_code (code_hash, login_id, redirect_uri, code_challenge, expires_at) VALUES (?, ?, ?, ?, ?)', [
    hashSecret(code),
    loginId,
    request.redirectUri,
    request.codeChallenge,
    new Date(now + CODE_MS),
  ]);
  return code;
}

/** A login that is not revoked. */
export interface Login {
  readonly loginId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly authenticatedAt: number;
}
interface LoginRow {
  readonly login_id: string;
  readonly client_id: string;
  readonly user_id: string;
  readonly scopes: string[];
  readonly authenticated_at: Date;
  readonly expires_at: Date;
  readonly used_at: Date | null;
  readonly revoked_at: Date | null;
}
const LOGIN_COLUMNS = 'l.login_id, l.client_id, l.user_id, l.scopes, l.authenticated_at, l.revoked_at';
const loginOf = (row: LoginRow): Login => ({
  loginId: row.login_id,
  clientId: row.client_id,
  userId: row.user_id,
  scopes: row.scopes,
  authenticatedAt: new Date(row.authenticated_at).getTime(),
});
const revoke = (em: Em, loginId: string, now: number) =>
  sql(em, 'UPDATE login SET revoked_at = coalesce(revoked_at, ?) WHERE login_id = ?', [new Date(now), loginId]);

/** Redeems an authorization code; null when it is invalid, expired, another client's, or used before, which revokes the login. */
export async function redeemCode(
  em: Em,
  clientId: string,
  code: string,
  fits: (issued: { redirectUri: string; codeChallenge: string }) => boolean,
  now: number,
): Promise<Login | null> {
  const [row] = await sql<LoginRow & { redirect_uri: string; code_challenge: string }>(
    em,
    `SELECT ${LOGIN_COLUMNS}, c.expires_at, c.used_at, c.redirect_uri, c.code_challenge FROM auth_code c JOIN login l USING (login_id)
     WHERE c.code_hash = ? FOR UPDATE`,
    [hashSecret(code)],
  );
  if (!row || row.client_id !== clientId || row.revoked_at !== null) return null;
  if (row.used_at !== null) {
    await revoke(em, row.login_id, now);
    return null;
  }
  if (new Date(row.expires_at).getTime() <= now) return null;
  if (!fits({ redirectUri: row.redirect_uri, codeChallenge: row.code_challenge })) return null;
  await sql(em, 'UPDATE auth_code SET used_at = ? WHERE code_hash = ?', [new Date(now), hashSecret(code)]);
  return loginOf(row);
}

/** Issues the next refresh token of a login. */
export async function issueRefresh(em: Em, loginId: string, now: number): Promise<string> {
  const token = `svcrt_${random()}`;
  await sql(em, 'INSERT INTO refresh_token (token_hash, login_id, expires_at, created_at) VALUES (?, ?, ?, ?)', [
    hashSecret(token),
    loginId,
    new Date(now + REFRESH_MS),
    new Date(now),
  ]);
  return token;
}

/**
 * Redeems a refresh token (rotation). If it is reused within the retry window and its successor was never used, the response was lost: the
 * successor is discarded and another may be issued. Any other reuse revokes the login.
 */
export async function redeemRefresh(em: Em, clientId: string, token: string, now: number): Promise<Login | null> {
  const [found] = await sql<{ login_id: string }>(em, 'SELECT login_id FROM refresh_token WHERE token_hash = ?', [hashSecret(token)]);
  if (!found) return null;
  // Serializes concurrent refreshes of one login.
  await sql(em, 'SELECT 1 FROM login WHERE login_id = ? FOR UPDATE', [found.login_id]);
  const [row] = await sql<LoginRow>(
    em,
    `SELECT ${LOGIN_COLUMNS}, r.expires_at, r.used_at FROM refresh_token r JOIN login l USING (login_id) WHERE r.token_hash = ?`,
    [hashSecret(token)],
  );
  if (!row || row.client_id !== clientId || row.revoked_at !== null || new Date(row.expires_at).getTime() <= now) return null;
  if (row.used_at === null) {
    await sql(em, 'UPDATE refresh_token SET used_at = ? WHERE token_hash = ?', [new Date(now), hashSecret(token)]);
    return loginOf(row);
  }
  const usedAt = new Date(row.used_at).getTime();
  const discarded =
    now - usedAt < RETRY_MS
      ? await sql(
          em,
          `DELETE FROM refresh_token s WHERE login_id = ? AND used_at IS NULL AND NOT EXISTS (
             SELECT 1 FROM refresh_token o WHERE o.login_id = s.login_id AND o.token_hash <> ? AND o.used_at >= ?) RETURNING 1 AS ok`,
          [row.login_id, hashSecret(token), new Date(usedAt)],
        )
      : [];
  if (discarded.length === 1) return loginOf(row);
  await revoke(em, row.login_id, now);
  return null;
}
