import { Migration } from '@mikro-orm/migrations';
import { lookup } from './tenancy.ts';

/**
 * A client leads into its own store, and nobody is logged in to one without being asked (X1–X5). What an account that was taken
 * over, or a person who left, had in hand is dead (X8, X25).
 */
export class ClientsOfAStore0009 extends Migration {
  override name = '0009_clients_of_a_store';

  override up(): void {
    for (const sql of [...person, ...consents, ...customers, ...leavers]) this.addSql(sql);
  }
}

/** The store of the client is read with everything else that may have changed since a person's token was signed. */
const person = [
  'DROP FUNCTION lookup_person(text, text, text, text)',
  ...lookup(
    'lookup_person(of_client text, of_login text, of_user text, in_store text)',
    `TABLE (store_id text, sandbox boolean, clock_offset_ms bigint, role text, client_status text, client_store_id text, is_live boolean,
       user_name text, joined_at timestamptz)`,
    `SELECT s.store_id, s.sandbox, s.clock_offset_ms, m.role, c.status, c.store_id,
       EXISTS (SELECT 1 FROM login l WHERE l.login_id = of_login AND l.user_id = of_user AND l.client_id = of_client AND l.revoked_at IS NULL),
       u.name, m.created_at
     FROM user_account u LEFT JOIN client c ON c.client_id = of_client LEFT JOIN store s ON s.store_id = in_store
       LEFT JOIN member m ON m.store_id = s.store_id AND m.user_id = u.user_id
     WHERE u.user_id = of_user`,
    'sangjeom_app',
  ),
];

/** A login that waits for the person's word. Of no store, like the login that it becomes. */
const consents = [
  `CREATE TABLE consent_request (
    consent_id text PRIMARY KEY, client_id text NOT NULL, user_id text NOT NULL REFERENCES user_account, redirect_uri text NOT NULL,
    scopes text[] NOT NULL, state text NOT NULL, code_challenge text NOT NULL, authenticated_at timestamptz(3) NOT NULL,
    browser_hash bytea NOT NULL, expires_at timestamptz(3) NOT NULL)`,
  'CREATE INDEX consent_request_expires ON consent_request (expires_at)',
  'GRANT SELECT, INSERT, DELETE ON consent_request TO sangjeom_app',
];

/** Tokens of a customer are of one generation; the next one begins when the account is taken over. */
const customers = ['ALTER TABLE customer ADD token_generation integer NOT NULL DEFAULT 0'];

/** Tokens of people who have left: those who are away, and those who came back later, where both clocks are one. */
const leavers = [
  ...['api_token', 'member', 'store'].map((table) => `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`),
  `UPDATE api_token t SET revoked_at = greatest(t.created_at, t.last_used_at) FROM store s WHERE s.store_id = t.store_id AND t.revoked_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM member m WHERE m.store_id = t.store_id AND m.user_id = t.created_by
       AND (m.created_at <= t.created_at OR s.clock_offset_ms > 0))`,
  ...['api_token', 'member', 'store'].map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`),
  // Ending a person's logins through the clients of one store.
  'CREATE INDEX login_user ON login (user_id) WHERE revoked_at IS NULL',
];
