import { Migration } from '@mikro-orm/migrations';
import { lookup, lookupReads, tenantTable } from './tenancy.ts';

/** Runs, the outbox of messages to Temporal, and the replies stored under idempotency keys. */
export class Runs0014 extends Migration {
  override up(): void {
    for (const sql of [...operations, ...runs, ...outbox, ...recovery, ...overdue]) this.addSql(sql);
  }
}

/** `command_text` holds text of clients for the transition of a command: it never passes through Temporal. */
const operations = [
  `CREATE TABLE operation (
    store_id text NOT NULL, principal text NOT NULL, key text NOT NULL, operation_id text NOT NULL,
    fingerprint text NOT NULL, status smallint, body jsonb, location text, created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, principal, key))`,
  `CREATE INDEX operation_expires ON operation (expires_at)`,
  ...tenantTable('operation'),
  `CREATE TABLE command_text (
    store_id text NOT NULL REFERENCES store, text_id text NOT NULL, text text NOT NULL, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, text_id))`,
  `CREATE INDEX command_text_created ON command_text (created_at)`,
  ...tenantTable('command_text'),
];

/** The relay serves all stores. */
const relayed = (table: string): string[] => [
  `GRANT SELECT, UPDATE, DELETE ON ${table} TO sangjeom_relay`,
  `CREATE POLICY relay ON ${table} TO sangjeom_relay USING (true) WITH CHECK (true)`,
];

const runs = [
  `CREATE TABLE run (
    store_id text NOT NULL, workflow_id text NOT NULL, workflow_type text NOT NULL, entity_id text NOT NULL, order_no text,
    wake_at timestamptz(3), is_poll_only boolean NOT NULL DEFAULT false, loaded_at timestamptz(3), done_at timestamptz(3),
    created_at timestamptz(3) NOT NULL, woken_at timestamptz(3), wakes integer NOT NULL DEFAULT 0, grace_from timestamptz(3),
    PRIMARY KEY (store_id, workflow_id), UNIQUE (store_id, workflow_type, entity_id))`,
  `CREATE INDEX run_wake ON run (store_id, wake_at) WHERE done_at IS NULL`,
  `CREATE INDEX run_open_key ON run (store_id, workflow_id) INCLUDE (workflow_type) WHERE done_at IS NULL`,
  `CREATE INDEX run_unloaded ON run (greatest(created_at, grace_from)) WHERE done_at IS NULL AND loaded_at IS NULL`,
  `CREATE INDEX run_overdue ON run (greatest(wake_at, grace_from)) WHERE done_at IS NULL AND wake_at IS NOT NULL`,
  `CREATE INDEX run_done ON run (done_at) WHERE done_at IS NOT NULL`,
  ...tenantTable('run'),
  ...relayed('run'),
  ...lookupReads('run'),
];

const lane = `CASE WHEN NEW.workflow_type <> 'webhookDelivery' THEN 'runs' WHEN NEW.yields THEN 'yielding' ELSE 'deliveries' END`;
/**
 * A run that the relay starts belongs to the trace of the request that caused it (W3C `traceparent`; null when tracing is off).
 * Deliveries to receivers that fail are started after all others (`yields`).
 */
const outbox = [
  `CREATE TABLE outbox (
    outbox_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, store_id text NOT NULL, message text NOT NULL,
    workflow_type text NOT NULL, workflow_id text NOT NULL, entity_id text NOT NULL, order_no text, status text, wake_at timestamptz(3),
    yields boolean NOT NULL DEFAULT false, traceparent text, created_at timestamptz(3) NOT NULL,
    attempts integer NOT NULL DEFAULT 0, not_before timestamptz(3))`,
  `CREATE INDEX outbox_deliveries ON outbox (yields, outbox_id) WHERE workflow_type = 'webhookDelivery'`,
  `CREATE INDEX outbox_run ON outbox (store_id, workflow_id)`,
  // NOTIFY with the lane as payload: Postgres sends equal notifications of a transaction once. Rows for later wait for the relay's next
  // look.
  `CREATE FUNCTION outbox_notify() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_notify('outbox', ${lane});
      RETURN NULL; END $$`,
  `CREATE TRIGGER outbox_notify AFTER INSERT ON outbox FOR EACH ROW WHEN (NEW.not_before IS NULL) EXECUTE FUNCTION outbox_notify()`,
  ...tenantTable('outbox'),
  ...relayed('outbox'),
  ...lookupReads('outbox'),
];

/** The cursor of the recovery into a new Temporal database (worker/recovery.ts); null when there is none. */
const recovery = [
  `CREATE TABLE temporal_namespace (namespace text PRIMARY KEY, namespace_id text NOT NULL, recovery_store text, recovery_run text)`,
  `GRANT SELECT, INSERT, UPDATE ON temporal_namespace TO sangjeom_relay`,
];

/**
 * Lost runs, by index scans whose cost does not depend on the number of open runs: those that were never loaded, those overdue by real
 * time, and those overdue by the advanced clock of a sandbox. `grace_from` is set at every wake, so that a woken run is skipped until its
 * gap is over. A run with a row in the outbox is not lost: the relay has not delivered it yet. `skipped_type`: a workflow type to skip.
 */
const isLost = `(r.woken_at IS NULL OR r.woken_at < real_now - interval '30 seconds' * power(2, least(r.wakes, 7)))
  AND r.workflow_type <> skipped_type AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.store_id = r.store_id
    AND o.workflow_id = r.workflow_id)`;
const [unloadedSince, overdueSince] = ['greatest(r.created_at, r.grace_from)', 'greatest(r.wake_at, r.grace_from)'];
const lostColumns = 'r.store_id, r.workflow_id, r.workflow_type, r.entity_id, r.order_no, r.woken_at, r.wake_at';
const overdue = [
  ...lookup(
    'lookup_overdue_runs(real_now timestamptz, max_rows integer, skipped_type text)',
    'TABLE (store_id text, workflow_id text, workflow_type text, entity_id text, order_no text)',
    `SELECT lost.store_id, lost.workflow_id, lost.workflow_type, lost.entity_id, lost.order_no FROM (
       (SELECT ${lostColumns} FROM run r
        WHERE r.done_at IS NULL AND r.loaded_at IS NULL AND ${unloadedSince} < real_now - interval '30 seconds' AND ${isLost}
        ORDER BY ${unloadedSince} LIMIT max_rows)
       UNION
       (SELECT ${lostColumns} FROM run r
        WHERE r.done_at IS NULL AND r.wake_at IS NOT NULL AND ${overdueSince} < real_now - interval '60 seconds' AND ${isLost}
        ORDER BY ${overdueSince} LIMIT max_rows)
       UNION
       (SELECT r.* FROM store s CROSS JOIN LATERAL (
          SELECT ${lostColumns} FROM run r
          WHERE r.store_id = s.store_id AND r.done_at IS NULL
            AND r.wake_at < real_now + s.clock_offset_ms * interval '1 millisecond' - interval '60 seconds' AND ${isLost}
          ORDER BY r.wake_at LIMIT max_rows) r
        WHERE s.clock_offset_ms > 0 LIMIT max_rows)
     ) lost ORDER BY lost.woken_at NULLS FIRST, lost.wake_at NULLS LAST LIMIT max_rows`,
    'sangjeom_relay',
  ),
];
