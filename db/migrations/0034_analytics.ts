import { Migration } from '@mikro-orm/migrations';
import { lowestId } from '../../domain/kernel/ids.ts';
import { realClock as clock } from '../kernel/clock.ts';
import { firstPartitions, tomorrow } from './0013_webhooks.ts';
import { inEachStore, swept, sweeping } from './sweeping.ts';
import { lookup, tenantTable } from './tenancy.ts';

/**
 * Visits: what happened in them, event by event, and what reports read of it (docs/contract.md#analytics).
 *
 * Events are written once, in batches, and stay for a week; `visit_batch` has the batches that are not counted yet, in no order but that of
 * their times. Counting takes a portion of them, adds it to the sums, and commits: each batch is counted once, however late it was
 * committed.
 */
export class Analytics0034 extends Migration {
  override up(): void {
    for (const sql of [...events(clock.now()), ...counted, ...retention, ...lookups]) this.addSql(sql);
  }
}

/**
 * Partitioned by the day of the batch's id. Without a foreign key to the store, as the request log. What the server has recorded has no
 * path; `source` and `medium` are what the event says of where its visitor came from.
 */
const events = (now: number): string[] => [
  `CREATE TABLE visit_event (
    store_id text NOT NULL, batch_id text COLLATE "C" NOT NULL, position smallint NOT NULL, type text NOT NULL,
    created_at timestamptz(3) NOT NULL, visitor_id text, session_id text, path text, product_id text, referrer text, utm_source text,
    utm_medium text, utm_campaign text, source text, medium text, quantity integer NOT NULL DEFAULT 0, amount_won bigint NOT NULL DEFAULT 0,
    is_test boolean NOT NULL DEFAULT false, PRIMARY KEY (store_id, batch_id, position)) PARTITION BY RANGE (batch_id)`,
  ...firstPartitions('visit_event', lowestId('vis', tomorrow(now))),
  `CREATE INDEX visit_event_session ON visit_event (store_id, session_id)`,
  `CREATE INDEX visit_event_visitor ON visit_event (store_id, visitor_id)`,
  ...tenantTable('visit_event', 'SELECT, INSERT'),
  `CREATE TABLE visit_batch (
    store_id text NOT NULL, created_at timestamptz(3) NOT NULL, batch_id text COLLATE "C" NOT NULL, event_count smallint NOT NULL,
    PRIMARY KEY (store_id, created_at, batch_id))`,
  ...tenantTable('visit_batch', 'SELECT, INSERT, DELETE'),
];

const SUMS = ['page_views', 'product_views', 'cart_adds', 'payment_starts', 'purchases', 'quantity', 'amount_won'];
/**
 * `visit_sum` adds up, by Korean day, all events, those of a product and those of a source. `visit_member` has who was there on which day
 * (n: how many of their events count there), and `visit_distinct` how many of them had been there last on which day before: those of a
 * period whose last day before lies before the period are its distinct ones. A visitor or session is kept as a hash.
 */
const counted = [
  `CREATE FUNCTION visit_key(id text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT
   RETURN encode(substring(sha256(convert_to(id, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid`,
  `CREATE TABLE visit_clock (store_id text PRIMARY KEY, computed_at timestamptz(3))`,
  ...tenantTable('visit_clock', 'SELECT, INSERT, UPDATE'),
  `CREATE TABLE visit_session (
    store_id text NOT NULL, session uuid NOT NULL, first_at timestamptz(3) NOT NULL, batch_id text COLLATE "C" NOT NULL,
    position smallint NOT NULL, source text NOT NULL, medium text NOT NULL, PRIMARY KEY (store_id, session))`,
  `CREATE INDEX visit_session_first ON visit_session (store_id, first_at)`,
  ...tenantTable('visit_session', 'SELECT, INSERT, UPDATE'),
  `CREATE TABLE visit_member (
    store_id text NOT NULL, list text NOT NULL, key text COLLATE "C" NOT NULL, medium text COLLATE "C" NOT NULL, who uuid NOT NULL,
    day date NOT NULL, n integer NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, list, key, medium, who, day))`,
  `CREATE INDEX visit_member_created ON visit_member (store_id, created_at)`,
  ...tenantTable('visit_member', 'SELECT, INSERT, UPDATE'),
  `CREATE TABLE visit_distinct (
    store_id text NOT NULL, list text NOT NULL, key text COLLATE "C" NOT NULL, medium text COLLATE "C" NOT NULL, day date NOT NULL,
    day_before date NOT NULL, n bigint NOT NULL, PRIMARY KEY (store_id, list, key, medium, day, day_before)) WITH (fillfactor = 70)`,
  `CREATE INDEX visit_distinct_day ON visit_distinct (store_id, list, day)`,
  ...tenantTable('visit_distinct', 'SELECT, INSERT, UPDATE'),
  `CREATE TABLE visit_sum (
    store_id text NOT NULL, list text NOT NULL, key text COLLATE "C" NOT NULL, medium text COLLATE "C" NOT NULL, day date NOT NULL,
    is_test boolean NOT NULL, ${SUMS.map((sum) => `${sum} bigint NOT NULL DEFAULT 0`).join(', ')},
    PRIMARY KEY (store_id, list, key, medium, day, is_test)) WITH (fillfactor = 70)`,
  `CREATE INDEX visit_sum_day ON visit_sum (store_id, list, day)`,
  ...tenantTable('visit_sum', 'SELECT, INSERT, UPDATE'),
];

/** Who was where, and from where, is needed for as long as a period may be; the sums stay. */
const retention = [
  ...swept('visit_member', 'true'),
  ...swept('visit_session', 'true'),
  ...sweeping({
    kind: 'visit_members',
    due: inEachStore('x.store_id, x.list, x.key, x.medium, x.who, x.day', 'visit_member', 'x.created_at < ended', 'x.created_at'),
    remove: `gone AS (DELETE FROM visit_member m USING due WHERE m.store_id = due.store_id AND m.list = due.list AND m.key = due.key
      AND m.medium = due.medium AND m.who = due.who AND m.day = due.day RETURNING 1)`,
  }),
  ...sweeping({
    kind: 'visit_sessions',
    due: inEachStore('x.store_id, x.session', 'visit_session', 'x.first_at < ended', 'x.first_at'),
    remove: `gone AS (DELETE FROM visit_session s USING due WHERE s.store_id = due.store_id AND s.session = due.session RETURNING 1)`,
  }),
];

/** All stores behind one: a portion of those whose visits are counted. */
const lookups = lookup(
  'lookup_visited_stores(after_store text, max_rows integer)',
  'TABLE (store_id text, clock_offset_ms bigint)',
  'SELECT store_id, clock_offset_ms FROM store WHERE store_id > after_store ORDER BY store_id LIMIT max_rows',
  'sangjeom_app',
);
