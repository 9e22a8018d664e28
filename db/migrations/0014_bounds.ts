import { Migration } from '@mikro-orm/migrations';
import { retention } from './0014_retention.ts';
import { lookup, tenantTable } from './tenancy.ts';

/** What grows is worked off in portions: runs that Temporal has lost, and what has ended. */
export class Bounds0014 extends Migration {
  override name = '0014_bounds';

  override up(): void {
    for (const sql of [...recovery, ...overdue, ...retention, ...feeds, ...counts, ...partitions]) this.addSql(sql);
  }
}

/** How far the runs have been brought back into a Temporal database that is new; null when there is nothing to bring back. */
const recovery = [
  `ALTER TABLE temporal_namespace ADD recovery_store text, ADD recovery_run text`,
  `CREATE INDEX run_open_key ON run (store_id, workflow_id) INCLUDE (workflow_type) WHERE done_at IS NULL`,
];

/**
 * Runs that were lost, by index however many are open: those without a workflow, those overdue by real time, and those overdue by
 * the clock of a sandbox that is ahead. `grace_from` moves with every wake, so that what was woken is not read again until its
 * gap is over.
 */
const isLost = `(r.woken_at IS NULL OR r.woken_at < real_now - interval '30 seconds' * power(2, least(r.wakes, 7)))
  AND r.workflow_type <> left_out AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.store_id = r.store_id AND o.workflow_id = r.workflow_id)`;
const lostColumns = 'r.store_id, r.workflow_id, r.workflow_type, r.entity_id, r.order_no, r.woken_at, r.wake_at';
const overdue = [
  `ALTER TABLE run ADD grace_from timestamptz(3)`,
  `DROP INDEX run_open`,
  `DROP INDEX run_overdue`,
  `CREATE INDEX run_unloaded ON run (greatest(created_at, grace_from)) WHERE done_at IS NULL AND loaded_at IS NULL`,
  `CREATE INDEX run_overdue ON run (greatest(wake_at, grace_from)) WHERE done_at IS NULL AND wake_at IS NOT NULL`,
  `CREATE INDEX store_ahead ON store (store_id) INCLUDE (clock_offset_ms) WHERE clock_offset_ms > 0`,
  'DROP FUNCTION lookup_overdue_runs(timestamptz, integer)',
  'DROP FUNCTION lookup_overdue_runs(timestamptz, integer, text)',
  ...lookup(
    'lookup_overdue_runs(real_now timestamptz, most integer, left_out text)',
    'TABLE (store_id text, workflow_id text, workflow_type text, entity_id text, order_no text)',
    `SELECT lost.store_id, lost.workflow_id, lost.workflow_type, lost.entity_id, lost.order_no FROM (
       (SELECT ${lostColumns} FROM run r
        WHERE r.done_at IS NULL AND r.loaded_at IS NULL AND greatest(r.created_at, r.grace_from) < real_now - interval '30 seconds' AND ${isLost}
        ORDER BY greatest(r.created_at, r.grace_from) LIMIT most)
       UNION
       (SELECT ${lostColumns} FROM run r
        WHERE r.done_at IS NULL AND r.wake_at IS NOT NULL AND greatest(r.wake_at, r.grace_from) < real_now - interval '60 seconds' AND ${isLost}
        ORDER BY greatest(r.wake_at, r.grace_from) LIMIT most)
       UNION
       (SELECT r.* FROM store s CROSS JOIN LATERAL (
          SELECT ${lostColumns} FROM run r
          WHERE r.store_id = s.store_id AND r.done_at IS NULL
            AND r.wake_at < real_now + s.clock_offset_ms * interval '1 millisecond' - interval '60 seconds' AND ${isLost}
          ORDER BY r.wake_at LIMIT most) r
        WHERE s.clock_offset_ms > 0 LIMIT most)
     ) lost ORDER BY lost.woken_at NULLS FIRST, lost.wake_at NULLS LAST LIMIT most`,
    'sangjeom_relay',
  ),
];

/** Events of one type are found without reading the others. */
const feeds = [`CREATE INDEX event_type_order ON event (store_id, type, event_no)`];

/**
 * How many orders and order items a store has, by status: a list's total costs the same however many there are. Counted when the
 * transaction commits: whoever changes a status holds the store's feed by then (db/feeds/commands.ts), so nobody waits for a count
 * while others wait for him.
 */
const counts = [
  `CREATE TABLE list_count (store_id text NOT NULL REFERENCES store, list text NOT NULL, status text NOT NULL, is_test boolean NOT NULL,
     n bigint NOT NULL, PRIMARY KEY (store_id, list, status, is_test)) WITH (fillfactor = 50)`,
  ...['orders', 'order_item'].map((table) => `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`),
  `INSERT INTO list_count SELECT store_id, 'orders', progress_status, test_payment, count(*) FROM orders GROUP BY 1, 3, 4`,
  `INSERT INTO list_count SELECT store_id, 'order_item', status, false, count(*) FROM order_item GROUP BY 1, 3`,
  'SET CONSTRAINTS ALL IMMEDIATE',
  ...['orders', 'order_item'].map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`),
  ...tenantTable('list_count'),
  `CREATE FUNCTION list_counts(of_store text, of_list text, was text, now_is text, test boolean) RETURNS void LANGUAGE sql AS $$
     INSERT INTO list_count AS c (store_id, list, status, is_test, n)
     SELECT of_store, of_list, status, test, n FROM (VALUES (was, -1), (now_is, 1)) AS changed (status, n) WHERE status IS NOT NULL ORDER BY status
     ON CONFLICT (store_id, list, status, is_test) DO UPDATE SET n = c.n + excluded.n $$`,
  `CREATE FUNCTION orders_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     PERFORM list_counts(coalesce(NEW.store_id, OLD.store_id), 'orders', OLD.progress_status, NEW.progress_status,
       coalesce(NEW.test_payment, OLD.test_payment)); RETURN NULL; END $$`,
  `CREATE FUNCTION order_item_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     PERFORM list_counts(coalesce(NEW.store_id, OLD.store_id), 'order_item', OLD.status, NEW.status, false); RETURN NULL; END $$`,
  ...(
    [
      ['orders', 'progress_status'],
      ['order_item', 'status'],
    ] as const
  ).flatMap(([table, status]) => [
    `CREATE CONSTRAINT TRIGGER ${table}_made AFTER INSERT OR DELETE ON ${table} DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW EXECUTE FUNCTION ${table}_counted()`,
    `CREATE CONSTRAINT TRIGGER ${table}_moved AFTER UPDATE OF ${status} ON ${table} DEFERRABLE INITIALLY DEFERRED
     FOR EACH ROW WHEN (OLD.${status} IS DISTINCT FROM NEW.${status}) EXECUTE FUNCTION ${table}_counted()`,
  ]),
];

/**
 * A day whose rows already stand in the default partition (nobody kept the partitions for a week) takes them over: a row there blocks
 * nothing, and goes with its day.
 */
const partitions = [
  `CREATE OR REPLACE FUNCTION add_partition(parent text, part text, lower text, upper text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
   SET search_path = public SET lock_timeout = '1s' AS $$
   DECLARE
     rest text := parent || '_rest';
     id text := CASE parent WHEN 'event' THEN 'event_id' ELSE 'delivery_id' END;
   BEGIN
     IF parent NOT IN ('event', 'webhook_delivery') THEN RAISE EXCEPTION 'not a partitioned table'; END IF;
     EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', part, parent);
     EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
     EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', rest);
     EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', rest);
     EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO %I SELECT * FROM moved',
       rest, id, lower, id, upper, part);
     EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', rest);
     EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
     EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
     EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, lower, upper);
   END $$`,
];
