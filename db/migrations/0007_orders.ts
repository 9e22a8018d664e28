import { Migration } from '@mikro-orm/migrations';
import { realClock as clock } from '../kernel/clock.ts';
import { lowestId } from '../../domain/kernel/ids.ts';
import { DAY } from '../../domain/kernel/time.ts';
import { tenantTable } from './tenancy.ts';

/** Change feeds, tracking, holds, guests' look-ups, visits; events and deliveries in partitions by day. */
export class Orders0007 extends Migration {
  override name = '0007_orders';

  override up(): void {
    for (const sql of [...feeds, ...items, ...orders, ...webhooks(clock.now())]) this.addSql(sql);
  }
}

/**
 * One line per store, written last in every transaction that a feed shows and held until it commits: so the order in feeds is
 * the order of commits, and whoever reads on from the last thing that was seen misses nothing.
 */
const feeds = [
  `CREATE TABLE feed (store_id text PRIMARY KEY REFERENCES store, changed_at timestamptz(3), event_no bigint NOT NULL DEFAULT 0)
   WITH (fillfactor = 50)`,
  ...tenantTable('feed'),
  // As a column's default, so that processes of before number their events too.
  `CREATE FUNCTION next_event_no() RETURNS bigint LANGUAGE sql AS $$
     INSERT INTO feed (store_id, event_no) VALUES (current_setting('app.store_id'), 1)
     ON CONFLICT (store_id) DO UPDATE SET event_no = feed.event_no + 1 RETURNING event_no $$`,
  `ALTER TABLE run ADD is_poll_only boolean NOT NULL DEFAULT false`,
  `CREATE INDEX orders_changed ON orders (store_id, last_changed_at, order_id)`,
  `CREATE INDEX order_item_status ON order_item (store_id, status, last_changed_at, order_item_id)`,
];

const items = [
  `ALTER TABLE order_item ADD hold jsonb, ADD tracking jsonb, ADD tracking_reading jsonb`,
  // Shipments that are under way are tracked from now on: the reconciler wakes what is overdue.
  ...['order_item', 'run'].map((table) => `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`),
  `UPDATE run r SET wake_at = i.last_changed_at FROM order_item i
   WHERE r.store_id = i.store_id AND r.workflow_type = 'orderItem' AND r.entity_id = i.order_item_id AND r.done_at IS NULL
     AND i.status = 'DISPATCHED' AND i.dispatch ->> 'deliveryMethod' = 'COURIER'`,
  'SET CONSTRAINTS ALL IMMEDIATE',
  ...['order_item', 'run'].map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`),
];

const orders = [
  `ALTER TABLE orders ADD customer_id text, ADD visit jsonb`,
  `ALTER TABLE payment ADD visit jsonb`,
  `ALTER TABLE cart_item ADD visit jsonb`,
  'ALTER TABLE orders NO FORCE ROW LEVEL SECURITY',
  `UPDATE orders SET customer_id = buyer ->> 'customerId' WHERE buyer ->> 'customerId' IS NOT NULL`,
  'SET CONSTRAINTS ALL IMMEDIATE',
  'ALTER TABLE orders FORCE ROW LEVEL SECURITY',
  `CREATE INDEX orders_customer ON orders (store_id, customer_id, ordered_at DESC, order_id DESC) WHERE customer_id IS NOT NULL`,
  `CREATE INDEX orders_status ON orders (store_id, progress_status, ordered_at DESC, order_id DESC)`,
  `CREATE INDEX orders_test ON orders (store_id, ordered_at DESC, order_id DESC) WHERE test_payment`,
  `CREATE TABLE order_lookup (
    store_id text NOT NULL REFERENCES store, subject text NOT NULL, failed_at timestamptz(3)[] NOT NULL, last_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, subject))`,
  `CREATE INDEX order_lookup_last ON order_lookup (store_id, last_at)`,
  ...tenantTable('order_lookup'),
];

/**
 * Events and deliveries are kept by the day on which they were written, which their ids tell: ids sort by age. A look-up by id
 * reads one partition, and what is older than 30 days goes with its partition. Everything of before stays in one.
 */
const webhooks = (now: number): string[] => [
  ...partitioned('event', 'event_id', now, {
    columns: `store_id text NOT NULL REFERENCES store, event_id text COLLATE "C" NOT NULL, type text NOT NULL, body text NOT NULL,
      created_at timestamptz(3) NOT NULL, event_no bigint NOT NULL DEFAULT next_event_no(), PRIMARY KEY (store_id, event_id)`,
    copied: `store_id, event_id, type, body, created_at, row_number() OVER (PARTITION BY store_id ORDER BY created_at, event_id)`,
    rights: 'SELECT, INSERT',
  }),
  `INSERT INTO feed (store_id, event_no) SELECT store_id, max(event_no) FROM event_new GROUP BY store_id`,
  ...partitioned('webhook_delivery', 'delivery_id', now, {
    columns: `store_id text NOT NULL, delivery_id text COLLATE "C" NOT NULL, webhook_id text NOT NULL, event_id text NOT NULL,
      event_type text NOT NULL, url text NOT NULL, status text NOT NULL, error_code text, attempt_count smallint NOT NULL DEFAULT 0,
      attempted_at timestamptz(3), next_attempt_at timestamptz(3), attempt_outcome jsonb, response_status_code smallint,
      response_time_ms integer, response_body_excerpt text, redelivery_of text, redelivered_as text, created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (store_id, delivery_id), FOREIGN KEY (store_id, webhook_id) REFERENCES webhook ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED`,
    copied: `store_id, delivery_id, webhook_id, event_id, event_type, url, status, error_code, attempt_count, attempted_at, next_attempt_at,
      attempt_outcome, response_status_code, response_time_ms, response_body_excerpt, redelivery_of, redelivered_as, created_at`,
    rights: 'SELECT, INSERT, UPDATE, DELETE',
  }),
  'SET CONSTRAINTS ALL IMMEDIATE',
  'ALTER TABLE feed NO FORCE ROW LEVEL SECURITY',
  'DROP TABLE webhook_delivery',
  'DROP TABLE event',
  ...['event', 'webhook_delivery'].flatMap((table) => [
    `ALTER TABLE ${table}_new RENAME TO ${table}`,
    `ALTER INDEX ${table}_new_pkey RENAME TO ${table}_pkey`,
  ]),
  'ALTER TABLE feed FORCE ROW LEVEL SECURITY',
  `CREATE INDEX event_order ON event (store_id, event_no)`,
  `CREATE INDEX webhook_delivery_newest ON webhook_delivery (store_id, webhook_id, created_at DESC, delivery_id DESC)`,
  `CREATE INDEX webhook_delivery_waiting ON webhook_delivery (store_id, webhook_id, delivery_id) WHERE status IN ('PENDING', 'PENDING_RETRY')`,
  `CREATE INDEX webhook_delivery_failed ON webhook_delivery (store_id, webhook_id, created_at DESC, delivery_id DESC) WHERE status = 'FAILED'`,
  ...partitionKeeping,
];

interface Partitioned {
  readonly columns: string;
  /** What is taken over from the table of before. */
  readonly copied: string;
  readonly rights: string;
}
function partitioned(table: string, key: string, now: number, { columns, copied, rights }: Partitioned): string[] {
  const prefix = key === 'event_id' ? 'evt' : 'dlv';
  const tomorrow = lowestId(prefix, Math.floor(now / DAY + 1) * DAY);
  return [
    `CREATE TABLE ${table}_new (${columns}) PARTITION BY RANGE (${key})`,
    `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`,
    // The clock of a sandbox may have run ahead: its ids too.
    `DO $$ BEGIN EXECUTE format('CREATE TABLE ${table}_first PARTITION OF ${table}_new FOR VALUES FROM (MINVALUE) TO (%L)',
       (SELECT greatest(max(${key} COLLATE "C") || '~', '${tomorrow}' COLLATE "C") FROM ${table})); END $$`,
    `CREATE TABLE ${table}_rest PARTITION OF ${table}_new DEFAULT`,
    `INSERT INTO ${table}_new SELECT ${copied} FROM ${table}`,
    ...tenantTable(`${table}_new`, rights),
    ...['first', 'rest'].flatMap((part) => [
      `ALTER TABLE ${table}_${part} ENABLE ROW LEVEL SECURITY`,
      `ALTER TABLE ${table}_${part} FORCE ROW LEVEL SECURITY`,
    ]),
  ];
}

/** The worker keeps the partitions (db/kernel/partitions.ts); only the owner may make and drop tables. */
const partitionKeeping = [
  `CREATE FUNCTION add_partition(parent text, part text, lower text, upper text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
   SET search_path = public SET lock_timeout = '1s' AS $$ BEGIN
     IF parent NOT IN ('event', 'webhook_delivery') THEN RAISE EXCEPTION 'not a partitioned table'; END IF;
     EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', part, parent, lower, upper);
     EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
     EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
   END $$`,
  `CREATE FUNCTION drop_partition(parent text, part text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
   SET search_path = public SET lock_timeout = '1s' AS $$ BEGIN
     IF NOT EXISTS (SELECT 1 FROM pg_inherits WHERE inhparent = parent::regclass AND inhrelid = part::regclass)
       THEN RAISE EXCEPTION 'not a partition'; END IF;
     EXECUTE format('DROP TABLE %I', part);
   END $$`,
  ...['add_partition(text, text, text, text)', 'drop_partition(text, text)'].flatMap((signature) => [
    `REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${signature} TO sangjeom_relay`,
  ]),
];
