import { Migration } from '@mikro-orm/migrations';
import { OUTCOMES } from '../../domain/audit/rules.ts';
import { ACTOR_TYPES } from '../../domain/identity/actors.ts';
import { lowestId } from '../../domain/kernel/ids.ts';
import { realClock as clock } from '../kernel/clock.ts';
import { MONTHS } from '../kernel/periods.ts';
import { firstPartitions } from './0013_webhooks.ts';
import { audited, auditing } from './auditing.ts';
import { lookup, tenantTable } from './tenancy.ts';

/** The audit log: records of requests, in partitions by month, and of changes, which nothing changes or deletes (G41–G48). */
export class Audit0019 extends Migration {
  override up(): void {
    for (const sql of [...names, ...requests(clock.now()), ...changes, ...immutable, ...auditing, ...facts]) this.addSql(sql);
  }
}

/** The name of a person, client or token of the transaction's store, as it is now. An agent is a token, or a client (remote MCP). */
const names = lookup(
  'actor_name(of_type text, of_id text)',
  'text',
  `SELECT CASE of_type
     WHEN 'USER' THEN (SELECT coalesce(u.name, u.email) FROM user_account u WHERE u.user_id = of_id)
     WHEN 'APP' THEN (SELECT c.name FROM client c WHERE c.store_id = current_setting('app.store_id', true) AND c.client_id = of_id)
     WHEN 'AGENT' THEN coalesce(
       (SELECT t.name FROM api_token t WHERE t.store_id = current_setting('app.store_id', true) AND t.token_id = of_id),
       (SELECT c.name FROM client c WHERE c.store_id = current_setting('app.store_id', true) AND c.client_id = of_id))
   END`,
  'sangjeom_app',
);

const oneOf = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');
const actor = `actor_type text NOT NULL CHECK (actor_type IN (${oneOf(ACTOR_TYPES)})), actor_id text NOT NULL, actor_name text NOT NULL`;

/** An index per filter, each in the order of the list. */
const indexes = (table: string, columns: readonly string[], sparse: readonly string[]): string[] => {
  const newest = 'created_at DESC, audit_id DESC';
  return [
    `CREATE INDEX ${table}_newest ON ${table} (store_id, ${newest})`,
    ...columns.map((column) => `CREATE INDEX ${table}_${column} ON ${table} (store_id, ${column}, ${newest})`),
    ...sparse.map((column) => `CREATE INDEX ${table}_${column} ON ${table} (store_id, ${column}, ${newest}) WHERE ${column} IS NOT NULL`),
  ];
};
const INDEXED = ['actor_type', 'actor_id', 'action', 'target_type', 'target_id'] as const;

/** Both tables are without a foreign key to the store: its check would wait for requests that change the store's settings or clock. */
const requests = (now: number): string[] => [
  `CREATE TABLE audit_request (
    store_id text NOT NULL, audit_id text COLLATE "C" NOT NULL, created_at timestamptz(3) NOT NULL, ${actor}, action text NOT NULL,
    target_type text, target_id text, outcome text NOT NULL CHECK (outcome IN (${oneOf(OUTCOMES)})), status_code smallint NOT NULL,
    error_code text, request_id text NOT NULL, trace_id text, idempotency_key text, approval_id text, metadata jsonb NOT NULL,
    PRIMARY KEY (store_id, audit_id)) PARTITION BY RANGE (audit_id)`,
  ...firstPartitions('audit_request', lowestId('aud', MONTHS.start(MONTHS.indexOf(now) + 1))),
  ...indexes('audit_request', [...INDEXED, 'outcome', 'request_id'], ['approval_id']),
  ...tenantTable('audit_request', 'SELECT, INSERT'),
];

/** A record with a refund has its amount, and the refund is there; one refund has one record. */
const changes = [
  `CREATE TABLE audit_domain (
    store_id text NOT NULL, audit_id text COLLATE "C" NOT NULL, created_at timestamptz(3) NOT NULL, ${actor}, action text NOT NULL,
    target_type text NOT NULL, target_id text NOT NULL, request_id text, approval_id text, refund_id text, transaction_id bigint NOT NULL,
    metadata jsonb NOT NULL, PRIMARY KEY (store_id, audit_id),
    CHECK (refund_id IS NOT NULL OR action = 'REFUND_PROCESSED' OR coalesce((metadata ->> 'refundAmount')::bigint, 0) = 0),
    FOREIGN KEY (store_id, refund_id) REFERENCES refund DEFERRABLE INITIALLY DEFERRED)`,
  'CREATE UNIQUE INDEX audit_domain_refund ON audit_domain (store_id, refund_id) WHERE refund_id IS NOT NULL',
  ...indexes('audit_domain', INDEXED, ['request_id', 'approval_id']),
  ...tenantTable('audit_domain', 'SELECT'),
];

/** Nobody changes or deletes records, the owner of the tables neither; partitions of requests are dropped as a whole. */
const immutable = [
  `CREATE FUNCTION audit_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     RAISE EXCEPTION 'records of the audit log are neither changed nor deleted'; END $$`,
  ...['audit_request', 'audit_domain'].map(
    (table) => `CREATE TRIGGER ${table}_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
     FOR EACH STATEMENT EXECUTE FUNCTION audit_is_immutable()`,
  ),
];

const cancel = (field: string): string => `NEW.event -> '${field}'`;
/** What leaves a record; a later kind is one more of these. */
const facts = [
  audited({
    action: 'ORDER_ITEM_CANCELED',
    table: 'flow_step',
    on: 'INSERT',
    when: `NEW.event ->> 'type' = 'reduced' AND NEW.event ->> 'cause' = 'SELLER_CANCEL'`,
    target: ['ORDER_ITEM', 'order_item_id'],
    metadata: {
      quantity: cancel('quantity'),
      refundAmount: cancel('refundAmount'),
      pointRefundAmount: cancel('pointRefundAmount'),
      reason: cancel('reason'),
    },
    refundId: `NEW.event ->> 'refundId'`,
  }),
  audited({
    action: 'REFUND_PROCESSED',
    table: 'refund',
    on: 'UPDATE OF status',
    when: `OLD.status = 'HELD' AND NEW.status = 'PENDING'`,
    target: ['REFUND', 'refund_id'],
    metadata: { refundAmount: 'NEW.amount_won' },
  }),
  audited({
    action: 'MEMBER_INVITED',
    table: 'invitation',
    on: 'INSERT',
    target: ['INVITATION', 'invitation_id'],
    metadata: { role: 'NEW.role' },
  }),
  audited({
    action: 'MEMBER_INVITATION_RESENT',
    table: 'invitation',
    on: 'UPDATE OF send_no',
    when: 'NEW.send_no > OLD.send_no',
    target: ['INVITATION', 'invitation_id'],
    metadata: { role: 'NEW.role' },
  }),
  ...(['CANCELED', 'ACCEPTED'] as const).map((status) =>
    audited({
      action: `MEMBER_INVITATION_${status}`,
      table: 'invitation',
      on: 'UPDATE OF status',
      when: `OLD.status <> '${status}' AND NEW.status = '${status}'`,
      target: ['INVITATION', 'invitation_id'],
      metadata: { role: 'NEW.role' },
    }),
  ),
  audited({
    action: 'MEMBER_ROLE_CHANGED',
    table: 'member',
    on: 'UPDATE OF role',
    when: 'OLD.role <> NEW.role',
    target: ['MEMBER', 'user_id'],
    metadata: { changes: `jsonb_build_array(jsonb_build_object('field', 'role', 'before', OLD.role, 'after', NEW.role))` },
  }),
  audited({ action: 'MEMBER_REMOVED', table: 'member', on: 'DELETE', target: ['MEMBER', 'user_id'], metadata: { role: 'OLD.role' } }),
].flat();
