import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** Per store: the time of the last change, the number of the last event, and the row counts of lists. */
export class Feeds0012 extends Migration {
  override up(): void {
    for (const sql of [...feeds, ...writing, ...counts, ...orders, ...products]) this.addSql(sql);
  }
}

/**
 * One row per store, written last in every transaction whose changes a feed shows, and locked until it commits: so the order in feeds is
 * the order of commits, and a reader that continues after the last entry it has seen misses nothing.
 */
const feeds = [
  `CREATE TABLE feed (store_id text PRIMARY KEY REFERENCES store, changed_at timestamptz(3), event_no bigint NOT NULL DEFAULT 0)
   WITH (fillfactor = 50)`,
  ...tenantTable('feed'),
];

/**
 * The last statement of a transaction that changes orders (at the business time `business_at`) or emits events: takes the feed's row,
 * numbers the events, and moves `last_changed_at` of rows and reply where the time has to be later: a millisecond after the store's
 * previous change.
 */
const writing = [
  `CREATE FUNCTION write_feed(of_store text, business_at timestamptz, changed_orders text[], changed_items text[], events jsonb,
     of_principal text, of_key text) RETURNS void LANGUAGE plpgsql AS $$
   DECLARE
     n bigint := jsonb_array_length(events);
     latest feed;
   BEGIN
     INSERT INTO feed AS f (store_id, changed_at, event_no) VALUES (of_store, business_at, n)
     ON CONFLICT (store_id) DO UPDATE SET event_no = f.event_no + n,
       changed_at = CASE WHEN business_at IS NULL THEN f.changed_at ELSE greatest(f.changed_at + interval '1 millisecond', business_at) END
     RETURNING * INTO latest;
     IF n > 0 THEN
       INSERT INTO event (store_id, event_id, event_no, type, body, created_at)
       SELECT of_store, e ->> 'eventId', latest.event_no - n + i, e ->> 'type', e ->> 'body', (e ->> 'createdAt')::timestamptz
       FROM jsonb_array_elements(events) WITH ORDINALITY AS x (e, i);
     END IF;
     IF latest.changed_at > business_at THEN
       UPDATE orders SET last_changed_at = latest.changed_at WHERE store_id = of_store AND order_id = ANY (changed_orders);
       UPDATE order_item SET last_changed_at = latest.changed_at WHERE store_id = of_store AND order_item_id = ANY (changed_items);
       UPDATE operation SET body = jsonb_set(body, '{lastChangedAt}',
         to_jsonb(to_char(latest.changed_at AT TIME ZONE 'Asia/Seoul', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+09:00"')))
       WHERE store_id = of_store AND principal = of_principal AND key = of_key AND jsonb_exists(body, 'lastChangedAt');
     END IF;
   END $$`,
];

const changed = '(VALUES (was, -1), (now_is, 1)) AS changed (status, n)';
/**
 * Counts of a store's orders, order items and products by status: a list's total costs the same however many rows there are (X22). Counted
 * by deferred triggers at the commit: a transaction that changes an order's status holds the lock of the store's feed by then
 * (db/kernel/feed.ts), so that locks of counts cannot deadlock.
 */
const counts = [
  `CREATE TABLE list_count (store_id text NOT NULL REFERENCES store, list text NOT NULL, status text NOT NULL, is_test boolean NOT NULL,
     n bigint NOT NULL, PRIMARY KEY (store_id, list, status, is_test)) WITH (fillfactor = 50)`,
  ...tenantTable('list_count'),
  `CREATE FUNCTION list_counts(of_store text, of_list text, was text, now_is text, test boolean) RETURNS void LANGUAGE sql AS $$
     INSERT INTO list_count AS c (store_id, list, status, is_test, n)
     SELECT of_store, of_list, status, test, n FROM ${changed} WHERE status IS NOT NULL ORDER BY status
     ON CONFLICT (store_id, list, status, is_test) DO UPDATE SET n = c.n + excluded.n $$`,
];

const orders = [
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
 * Counted under the lock of the store's feed like the others; here the trigger takes it, so that transactions that change many products
 * cannot deadlock on the counts.
 */
const products = [
  `CREATE FUNCTION product_counted() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     of_store text := coalesce(NEW.store_id, OLD.store_id);
     was text := CASE WHEN OLD.deleted_at IS NULL THEN OLD.status END;
     now_is text := CASE WHEN NEW.deleted_at IS NULL THEN NEW.status END;
   BEGIN
     INSERT INTO feed (store_id) VALUES (of_store) ON CONFLICT (store_id) DO NOTHING;
     PERFORM 1 FROM feed WHERE store_id = of_store FOR UPDATE;
     PERFORM list_counts(of_store, 'product', was, now_is, false);
     RETURN NULL;
   END $$`,
  `CREATE CONSTRAINT TRIGGER product_made AFTER INSERT OR DELETE ON product DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW EXECUTE FUNCTION product_counted()`,
  `CREATE CONSTRAINT TRIGGER product_moved AFTER UPDATE OF status, deleted_at ON product DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
   EXECUTE FUNCTION product_counted()`,
];
