import { Migration } from '@mikro-orm/migrations';
import { lookup, lookupReads, tenantTable } from './tenancy.ts';

/** Invitations to a store's team, and how often mails were sent. */
export class Invitations0003 extends Migration {
  override up(): void {
    for (const sql of [...invitations, ...sends, ...lookups]) this.addSql(sql);
  }
}

const invitations = [
  `CREATE TABLE invitation (
    store_id text NOT NULL REFERENCES store, invitation_id text NOT NULL, email text NOT NULL,
    role text NOT NULL CHECK (role IN ('ADMIN', 'STAFF')), status text NOT NULL, invited_by text NOT NULL REFERENCES user_account,
    token_hash bytea NOT NULL UNIQUE, token_sealed text NOT NULL, send_no integer NOT NULL, send_attempts integer NOT NULL,
    next_send_at timestamptz(3), delivery_status text, delivery_error_code text,
    expires_at timestamptz(3) NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, invitation_id))`,
  `CREATE UNIQUE INDEX invitation_pending ON invitation (store_id, email) WHERE status = 'PENDING'`,
  `CREATE INDEX invitation_newest ON invitation (store_id, created_at DESC, invitation_id DESC)`,
  ...tenantTable('invitation'),
  ...lookupReads('invitation'),
];

/** Without a store: limits of senders and recipients span all stores. Real time. */
const sends = [
  `CREATE TABLE invitation_send (send_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, store text NOT NULL, sender text NOT NULL,
    recipient text NOT NULL, at timestamptz(3) NOT NULL)`,
  ...['store', 'sender', 'recipient'].map((column) => `CREATE INDEX invitation_send_${column} ON invitation_send (${column}, at)`),
  `CREATE INDEX invitation_send_at ON invitation_send (at)`,
  `GRANT SELECT, INSERT ON invitation_send TO sangjeom_app`,
];

const known = 'i.store_id, s.sandbox, s.clock_offset_ms, i.invitation_id, i.email, i.send_no';
const lookups = [
  // Finds a link in any status of its invitation: an acceptance whose response was lost is repeated.
  ...lookup(
    'lookup_link(hash text)',
    'TABLE (store_id text, sandbox boolean, clock_offset_ms bigint, invitation_id text, email text, send_no integer, status text)',
    `SELECT ${known}, i.status FROM invitation i JOIN store s USING (store_id)
     WHERE i.token_hash = decode(hash, 'hex')`,
    'sangjeom_app',
  ),
];
