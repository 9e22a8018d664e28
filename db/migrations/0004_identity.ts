import { Migration } from '@mikro-orm/migrations';
import { lookup, lookupReads, tenantTable } from './tenancy.ts';

/** People, their roles, logins, registered clients, API tokens; buyers. */
export class Identity0004 extends Migration {
  override name = '0004_identity';

  override up(): void {
    for (const sql of [...people, ...clients, ...logins, ...customers, ...carts, ...invitations, ...keys, ...lookups]) this.addSql(sql);
  }
}

/** A person belongs to no store: membership does. */
const people = [
  `CREATE TABLE user_account (
    user_id text PRIMARY KEY, email text NOT NULL UNIQUE, name text, issuer text, subject text, created_at timestamptz(3) NOT NULL,
    UNIQUE (issuer, subject))`,
  `GRANT SELECT, INSERT, UPDATE ON user_account TO sangjeom_app`,
  `CREATE TABLE member (
    store_id text NOT NULL REFERENCES store, user_id text NOT NULL REFERENCES user_account,
    role text NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'STAFF')), created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, user_id))`,
  `CREATE UNIQUE INDEX member_owner ON member (store_id) WHERE role = 'OWNER'`,
  `CREATE INDEX member_user ON member (user_id)`,
  ...tenantTable('member'),
];

const clients = [
  `ALTER TABLE client ALTER secret_hash DROP NOT NULL, ALTER secret_prefix DROP NOT NULL,
     ADD auth_method text NOT NULL DEFAULT 'client_secret_basic' CHECK (auth_method IN ('none', 'client_secret_basic')),
     ADD grant_types text[] NOT NULL DEFAULT '{client_credentials,urn:ietf:params:oauth:grant-type:token-exchange}',
     ADD redirect_uris text[] NOT NULL DEFAULT '{}', ADD created_by text, ADD revoked_at timestamptz(3)`,
  `CREATE INDEX client_newest ON client (store_id, created_at DESC, client_id DESC)`,
  `CREATE TABLE api_token (
    store_id text NOT NULL REFERENCES store, token_id text NOT NULL, name text NOT NULL, scopes text[] NOT NULL,
    purpose text NOT NULL CHECK (purpose IN ('plain', 'agent')), token_hash bytea NOT NULL UNIQUE, token_prefix text NOT NULL,
    created_by text NOT NULL REFERENCES user_account, created_at timestamptz(3) NOT NULL, expires_at timestamptz(3),
    last_used_at timestamptz(3), revoked_at timestamptz(3), PRIMARY KEY (store_id, token_id))`,
  `CREATE INDEX api_token_newest ON api_token (store_id, created_at DESC, token_id DESC)`,
  ...tenantTable('api_token'),
];

/** A login under way, and what it gave. The family is the login: it dies as a whole. */
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
  `CREATE TABLE auth_code (
    code_hash bytea PRIMARY KEY, login_id text NOT NULL REFERENCES login, redirect_uri text NOT NULL, code_challenge text NOT NULL,
    expires_at timestamptz(3) NOT NULL, used_at timestamptz(3))`,
  `CREATE TABLE refresh_token (
    token_hash bytea PRIMARY KEY, login_id text NOT NULL REFERENCES login, expires_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL, used_at timestamptz(3))`,
  `CREATE INDEX refresh_token_login ON refresh_token (login_id)`,
  `GRANT SELECT, INSERT, UPDATE, DELETE ON login_request, login, auth_code, refresh_token TO sangjeom_app`,
  `GRANT SELECT ON user_account, login TO sangjeom_lookup`,
];

/** Buyers. Their business times follow the store's clock. */
const customers = [
  `CREATE TABLE customer (
    store_id text NOT NULL REFERENCES store, customer_id text NOT NULL, email text NOT NULL, name text, phone text,
    password_hash text, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, customer_id), UNIQUE (store_id, email))`,
  ...tenantTable('customer'),
  `CREATE TABLE customer_consent (
    store_id text NOT NULL, consent_id text NOT NULL, customer_id text NOT NULL, kind text NOT NULL, action text NOT NULL,
    version text, path text NOT NULL, at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, consent_id),
    FOREIGN KEY (store_id, customer_id) REFERENCES customer ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX customer_consent_newest ON customer_consent (store_id, customer_id, at DESC)`,
  ...tenantTable('customer_consent'),
];

/** A cart belongs to a guest session or to a customer; an order of a customer has no order password. */
const carts = [
  `ALTER TABLE guest_session ADD used_at timestamptz(3)`,
  // Sessions of before have been used as far as anybody knows.
  `ALTER TABLE guest_session NO FORCE ROW LEVEL SECURITY`,
  `UPDATE guest_session SET used_at = created_at`,
  `ALTER TABLE guest_session FORCE ROW LEVEL SECURITY`,
  `CREATE INDEX guest_session_expires ON guest_session (store_id, expires_at)`,
  `ALTER TABLE cart_item DROP CONSTRAINT cart_item_store_id_session_id_fkey`,
  `ALTER TABLE payment ALTER order_password_hash DROP NOT NULL`,
  `ALTER TABLE orders ALTER order_password_hash DROP NOT NULL`,
];

const invitations = [
  `CREATE TABLE invitation (
    store_id text NOT NULL REFERENCES store, invitation_id text NOT NULL, email text NOT NULL, role text NOT NULL CHECK (role IN ('ADMIN', 'STAFF')),
    status text NOT NULL, invited_by text NOT NULL REFERENCES user_account, token_hash bytea NOT NULL UNIQUE, token_sealed text NOT NULL,
    send_no integer NOT NULL, send_attempts integer NOT NULL, next_send_at timestamptz(3), delivery_status text, delivery_error_code text,
    expires_at timestamptz(3) NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, invitation_id))`,
  `CREATE UNIQUE INDEX invitation_pending ON invitation (store_id, email) WHERE status = 'PENDING'`,
  `CREATE INDEX invitation_newest ON invitation (store_id, created_at DESC, invitation_id DESC)`,
  ...tenantTable('invitation'),
  // Of no store: senders and recipients are counted over all of them. Real time.
  `CREATE TABLE invitation_send (send_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, store text NOT NULL, sender text NOT NULL,
    recipient text NOT NULL, at timestamptz(3) NOT NULL)`,
  ...['store', 'sender', 'recipient'].map((column) => `CREATE INDEX invitation_send_${column} ON invitation_send (${column}, at)`),
  `GRANT SELECT, INSERT ON invitation_send TO sangjeom_app`,
];

/** Since when a key only verifies. */
const keys = [`ALTER TABLE signing_key ADD replaced_at timestamptz(3)`];

const lookups = [
  ...['member', 'api_token', 'invitation'].flatMap(lookupReads),
  ...lookup(
    'lookup_memberships(of_user text)',
    'TABLE (store_id text, store_code text, name text, sandbox boolean, role text)',
    `SELECT s.store_id, s.store_code, s.name, s.sandbox, m.role FROM member m JOIN store s USING (store_id)
     WHERE m.user_id = of_user ORDER BY m.created_at, s.store_id`,
    'sangjeom_app',
  ),
  // Everything that may have changed since a person's token was signed: its client, its login, the role.
  ...lookup(
    'lookup_person(of_client text, of_login text, of_user text, in_store text)',
    `TABLE (store_id text, sandbox boolean, clock_offset_ms bigint, role text, client_status text, is_live boolean, user_name text)`,
    `SELECT s.store_id, s.sandbox, s.clock_offset_ms, m.role,
       (SELECT c.status FROM client c WHERE c.client_id = of_client),
       EXISTS (SELECT 1 FROM login l WHERE l.login_id = of_login AND l.user_id = of_user AND l.revoked_at IS NULL), u.name
     FROM user_account u LEFT JOIN store s ON s.store_id = in_store LEFT JOIN member m ON m.store_id = s.store_id AND m.user_id = u.user_id
     WHERE u.user_id = of_user`,
    'sangjeom_app',
  ),
  ...lookup(
    'lookup_invitation(hash text)',
    'TABLE (store_id text, sandbox boolean, clock_offset_ms bigint, invitation_id text, email text, send_no integer)',
    `SELECT i.store_id, s.sandbox, s.clock_offset_ms, i.invitation_id, i.email, i.send_no FROM invitation i JOIN store s USING (store_id)
     WHERE i.token_hash = decode(hash, 'hex') AND i.status = 'PENDING'`,
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
