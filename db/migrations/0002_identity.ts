import { Migration } from '@mikro-orm/migrations';
import { lookup, lookupReads, tenantTable } from './tenancy.ts';

/** People, their roles and logins; registered clients, API tokens; the keys that sign tokens. */
export class Identity0002 extends Migration {
  override up(): void {
    for (const sql of [...people, ...clients, ...keys, ...logins, ...consents, ...lookups]) this.addSql(sql);
  }
}

/** A person belongs to no store: membership does. */
const people = [
  `CREATE TABLE user_account (
    user_id text PRIMARY KEY, email text NOT NULL UNIQUE, name text, issuer text, subject text, created_at timestamptz(3) NOT NULL,
    UNIQUE (issuer, subject))`,
  `GRANT SELECT, INSERT, UPDATE ON user_account TO sangjeom_app`,
  `GRANT SELECT ON user_account TO sangjeom_lookup`,
  `CREATE TABLE member (
    store_id text NOT NULL REFERENCES store, user_id text NOT NULL REFERENCES user_account,
    role text NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'STAFF')), created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, user_id))`,
  `CREATE UNIQUE INDEX member_owner ON member (store_id) WHERE role = 'OWNER'`,
  `CREATE INDEX member_user ON member (user_id)`,
  ...tenantTable('member'),
  ...lookupReads('member'),
];

/** A client of the method `none` has no secret. */
const clients = [
  `CREATE TABLE client (
    store_id text NOT NULL REFERENCES store, client_id text NOT NULL UNIQUE, name text NOT NULL,
    auth_method text NOT NULL DEFAULT 'client_secret_basic' CHECK (auth_method IN ('none', 'client_secret_basic')),
    secret_hash bytea, secret_prefix text, scopes text[] NOT NULL,
    grant_types text[] NOT NULL DEFAULT '{client_credentials,urn:ietf:params:oauth:grant-type:token-exchange}',
    redirect_uris text[] NOT NULL DEFAULT '{}', status text NOT NULL, created_by text, created_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3), PRIMARY KEY (store_id, client_id))`,
  `CREATE INDEX client_newest ON client (store_id, created_at DESC, client_id DESC)`,
  ...tenantTable('client'),
  ...lookupReads('client'),
  `CREATE TABLE api_token (
    store_id text NOT NULL REFERENCES store, token_id text NOT NULL, name text NOT NULL, scopes text[] NOT NULL,
    purpose text NOT NULL CHECK (purpose IN ('plain', 'agent')), token_hash bytea NOT NULL UNIQUE, token_prefix text NOT NULL,
    created_by text NOT NULL REFERENCES user_account, created_at timestamptz(3) NOT NULL, expires_at timestamptz(3),
    last_used_at timestamptz(3), revoked_at timestamptz(3), PRIMARY KEY (store_id, token_id))`,
  `CREATE INDEX api_token_newest ON api_token (store_id, created_at DESC, token_id DESC)`,
  ...tenantTable('api_token'),
  ...lookupReads('api_token'),
];

/** At most one key is `current` and signs; a replaced one only verifies, since `replaced_at`. */
const keys = [
  `CREATE TABLE signing_key (
    kid text PRIMARY KEY, public_jwk jsonb NOT NULL, private_sealed text NOT NULL, status text NOT NULL,
    created_at timestamptz(3) NOT NULL, replaced_at timestamptz(3))`,
  `CREATE UNIQUE INDEX signing_key_current ON signing_key (status) WHERE status = 'current'`,
  `GRANT SELECT, INSERT ON signing_key TO sangjeom_app`,
];

/** Authorization requests, logins, codes and refresh tokens. A login is the token family: it is revoked as a whole. */
const logins = [
  `CREATE TABLE login_request (
    request_id text PRIMARY KEY, client_id text NOT NULL, redirect_uri text NOT NULL, scopes text[] NOT NULL, state text NOT NULL,
    code_challenge text NOT NULL, verifier_sealed text NOT NULL, nonce text NOT NULL, browser_hash bytea NOT NULL,
    expires_at timestamptz(3) NOT NULL)`,
  `CREATE INDEX login_request_expires ON login_request (expires_at)`,
  `CREATE TABLE login (
    login_id text PRIMARY KEY, client_id text NOT NULL, user_id text NOT NULL REFERENCES user_account, scopes text[] NOT NULL,
    authenticated_at timestamptz(3) NOT NULL, created_at timestamptz(3) NOT NULL, revoked_at timestamptz(3))`,
  `CREATE INDEX login_client ON login (client_id) WHERE revoked_at IS NULL`,
  // For revoking a person's logins through the clients of one store.
  `CREATE INDEX login_user ON login (user_id) WHERE revoked_at IS NULL`,
  `CREATE INDEX login_revoked ON login (revoked_at) WHERE revoked_at IS NOT NULL`,
  `CREATE TABLE auth_code (
    code_hash bytea PRIMARY KEY, login_id text NOT NULL REFERENCES login, redirect_uri text NOT NULL, code_challenge text NOT NULL,
    expires_at timestamptz(3) NOT NULL, used_at timestamptz(3))`,
  `CREATE INDEX auth_code_login ON auth_code (login_id)`,
  `CREATE INDEX auth_code_expires ON auth_code (expires_at)`,
  `CREATE TABLE refresh_token (
    token_hash bytea PRIMARY KEY, login_id text NOT NULL REFERENCES login, expires_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL, used_at timestamptz(3))`,
  `CREATE INDEX refresh_token_login ON refresh_token (login_id)`,
  `CREATE INDEX refresh_token_expires ON refresh_token (expires_at)`,
  `GRANT SELECT, INSERT, UPDATE, DELETE ON login_request, login, auth_code, refresh_token TO sangjeom_app`,
  `GRANT SELECT ON login TO sangjeom_lookup`,
];

/** Consent requests: logins that wait for the person's consent (X2–X5). Without a store, like logins. */
const consents = [
  `CREATE TABLE consent_request (
    consent_id text PRIMARY KEY, client_id text NOT NULL, user_id text NOT NULL REFERENCES user_account, redirect_uri text NOT NULL,
    scopes text[] NOT NULL, state text NOT NULL, code_challenge text NOT NULL, authenticated_at timestamptz(3) NOT NULL,
    browser_hash bytea NOT NULL, expires_at timestamptz(3) NOT NULL)`,
  'CREATE INDEX consent_request_expires ON consent_request (expires_at)',
  'GRANT SELECT, INSERT, DELETE ON consent_request TO sangjeom_app',
];

const clientColumns = 'client_id, store_id, status, auth_method, secret_hash, grant_types, redirect_uris, scopes';
const isLive = 'l.login_id = of_login AND l.user_id = of_user AND l.client_id = of_client AND l.revoked_at IS NULL';
const lookups = [
  ...lookup(
    'lookup_client(id text)',
    'TABLE (store_id text, status text, sandbox boolean, clock_offset_ms bigint)',
    `SELECT store_id, c.status, s.sandbox, s.clock_offset_ms FROM client c JOIN store s USING (store_id) WHERE client_id = id`,
    'sangjeom_app',
  ),
  // A client with all that the token endpoint needs.
  ...lookup(
    'lookup_oauth_client(of_client text)',
    `TABLE (client_id text, store_id text, status text, auth_method text, secret_hash bytea, grant_types text[], redirect_uris text[],
       scopes text[])`,
    `SELECT ${clientColumns} FROM client WHERE client_id = of_client`,
    'sangjeom_app',
  ),
  ...lookup(
    'lookup_memberships(of_user text)',
    'TABLE (store_id text, store_code text, name text, sandbox boolean, role text)',
    `SELECT s.store_id, s.store_code, s.name, s.sandbox, m.role FROM member m JOIN store s USING (store_id)
     WHERE m.user_id = of_user ORDER BY m.created_at, s.store_id`,
    'sangjeom_app',
  ),
  // Everything that may have changed since a person's token was signed: its client and the client's store, its login, the role.
  ...lookup(
    'lookup_person(of_client text, of_login text, of_user text, in_store text)',
    `TABLE (store_id text, sandbox boolean, clock_offset_ms bigint, role text, client_status text, client_store_id text, is_live boolean,
       user_name text, joined_at timestamptz)`,
    `SELECT s.store_id, s.sandbox, s.clock_offset_ms, m.role, c.status, c.store_id,
       EXISTS (SELECT 1 FROM login l WHERE ${isLive}),
       u.name, m.created_at
     FROM user_account u LEFT JOIN client c ON c.client_id = of_client LEFT JOIN store s ON s.store_id = in_store
       LEFT JOIN member m ON m.store_id = s.store_id AND m.user_id = u.user_id
     WHERE u.user_id = of_user`,
    'sangjeom_app',
  ),
  ...lookup(
    'lookup_api_token(hash text)',
    `TABLE (store_id text, sandbox boolean, clock_offset_ms bigint, token_id text, scopes text[], purpose text, expires_at timestamptz,
       revoked_at timestamptz, last_used_at timestamptz, user_id text, role text)`,
    `SELECT t.store_id, s.sandbox, s.clock_offset_ms, t.token_id, t.scopes, t.purpose, t.expires_at, t.revoked_at, t.last_used_at,
       t.created_by, m.role
     FROM api_token t JOIN store s USING (store_id) LEFT JOIN member m ON m.store_id = t.store_id AND m.user_id = t.created_by
     WHERE t.token_hash = decode(hash, 'hex')`,
    'sangjeom_app',
  ),
];
