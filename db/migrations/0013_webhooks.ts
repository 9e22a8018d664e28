import { Migration } from '@mikro-orm/migrations';
import { realClock as clock } from '../kernel/clock.ts';
import { lowestId } from '../../domain/kernel/ids.ts';
import { DAY } from '../../domain/kernel/time.ts';
import { DEFINER, tenantTable } from './tenancy.ts';

/** Webhooks, events and their deliveries; the last two in partitions by day. */
export class Webhooks0013 extends Migration {
  override up(): void {
    for (const sql of [...webhooks, ...events(clock.now()), ...deliveries(clock.now()), ...partitionFunctions]) this.addSql(sql);
  }
}

/** Deliveries of an epoch before the subscription's were ended by a suspension; the subscription's run updates their rows later. */
const webhooks = [
  `CREATE TABLE webhook (
    store_id text NOT NULL REFERENCES store, webhook_id text NOT NULL, url text NOT NULL, event_types text[] NOT NULL,
    status text NOT NULL, secret_sealed text NOT NULL, secret_prefix text NOT NULL, old_secret_sealed text,
    old_secret_expires_at timestamptz(3), suspended_at timestamptz(3), epoch integer NOT NULL DEFAULT 0, first_failure_at timestamptz(3),
    last_failure_at timestamptz(3), created_at timestamptz(3) NOT NULL, deleted_at timestamptz(3), PRIMARY KEY (store_id, webhook_id))`,
  ...tenantTable('webhook'),
];

/**
 * Events and deliveries are partitioned by the day of their ids, which sort by time. A lookup by id reads one partition, and what is older
 * than 30 days is dropped with its partition.
 */
const events = (now: number): string[] => [
  `CREATE TABLE event (
    store_id text NOT NULL REFERENCES store, event_id text COLLATE "C" NOT NULL, event_no bigint NOT NULL,
    type text NOT NULL, body text NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, event_id))
   PARTITION BY RANGE (event_id)`,
  ...firstPartitions('event', lowestId('evt', tomorrow(now))),
  `CREATE INDEX event_order ON event (store_id, event_no)`,
  // Events of one type are found without reading the others.
  `CREATE INDEX event_type_order ON event (store_id, type, event_no)`,
  ...tenantTable('event', 'SELECT, INSERT'),
];

/** Deliveries, with the epoch of their subscription at their creation. */
const deliveries = (now: number): string[] => [
  `CREATE TABLE webhook_delivery (
    store_id text NOT NULL, delivery_id text COLLATE "C" NOT NULL, webhook_id text NOT NULL, epoch integer NOT NULL DEFAULT 0,
      event_id text NOT NULL,
    event_type text NOT NULL, url text NOT NULL, status text NOT NULL, error_code text, attempt_count smallint NOT NULL DEFAULT 0,
    attempted_at timestamptz(3), next_attempt_at timestamptz(3), response_status_code smallint,
    response_time_ms integer, response_body_excerpt text, redelivery_of text, redelivered_as text, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, delivery_id),
    FOREIGN KEY (store_id, webhook_id) REFERENCES webhook ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)
   PARTITION BY RANGE (delivery_id)`,
  ...firstPartitions('webhook_delivery', lowestId('dlv', tomorrow(now))),
  `CREATE INDEX webhook_delivery_newest ON webhook_delivery (store_id, webhook_id, created_at DESC, delivery_id DESC)`,
  `CREATE INDEX webhook_delivery_waiting ON webhook_delivery (store_id, webhook_id, epoch, delivery_id)
   WHERE status IN ('PENDING', 'PENDING_RETRY')`,
  `CREATE INDEX webhook_delivery_failed ON webhook_delivery (store_id, webhook_id, created_at DESC, delivery_id DESC)
   WHERE status = 'FAILED'`,
  ...tenantTable('webhook_delivery'),
];

export const tomorrow = (now: number): number => Math.floor(now / DAY + 1) * DAY;

/** `_first` holds everything up to tomorrow; `_rest`, the default partition, what no other partition covers. */
export const firstPartitions = (table: string, upper: string): string[] => [
  `CREATE TABLE ${table}_first PARTITION OF ${table} FOR VALUES FROM (MINVALUE) TO ('${upper}')`,
  `CREATE TABLE ${table}_rest PARTITION OF ${table} DEFAULT`,
  ...['first', 'rest'].flatMap((part) => [
    `ALTER TABLE ${table}_${part} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table}_${part} FORCE ROW LEVEL SECURITY`,
  ]),
];

/**
 * For the worker, which maintains the partitions (db/kernel/partitions.ts) but may not create or drop tables itself. A new partition takes
 * over the rows of its day from the default partition, where they are if the worker did not run for a week.
 */
const partitionFunctions = [
  `CREATE FUNCTION add_partition(parent text, part text, lower text, upper text) RETURNS void LANGUAGE plpgsql ${DEFINER}
   SET lock_timeout = '1s' AS $$
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
  `CREATE FUNCTION drop_partition(parent text, part text) RETURNS void LANGUAGE plpgsql ${DEFINER} SET lock_timeout = '1s' AS $$ BEGIN
     IF NOT EXISTS (SELECT 1 FROM pg_inherits WHERE inhparent = parent::regclass AND inhrelid = part::regclass)
       THEN RAISE EXCEPTION 'not a partition'; END IF;
     EXECUTE format('DROP TABLE %I', part);
   END $$`,
  ...['add_partition(text, text, text, text)', 'drop_partition(text, text)'].flatMap((signature) => [
    `REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${signature} TO sangjeom_relay`,
  ]),
];
