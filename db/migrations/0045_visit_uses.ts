import { Migration } from '@mikro-orm/migrations';
import { inEachStore, swept, sweeping } from './sweeping.ts';
import { tenantTable } from './tenancy.ts';

/**
 * How many events of visits a store took on a Korean day: in all (`key` is empty), from a client address, of a visitor; and how many it did
 * not take, because one of them had as many as it may (R8). A key is a keyed digest, without personal data.
 */
export class VisitUses0045 extends Migration {
  override up(): void {
    for (const sql of [...tables, ...taking, ...retention]) this.addSql(sql);
  }
}

const tables = [
  `CREATE TABLE visit_use (
    store_id text NOT NULL, day date NOT NULL, key text COLLATE "C" NOT NULL, events integer NOT NULL, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, day, key)) WITH (fillfactor = 70)`,
  `CREATE INDEX visit_use_created ON visit_use (store_id, created_at)`,
  ...tenantTable('visit_use', 'SELECT, INSERT, UPDATE'),
  `CREATE TABLE visit_drop (store_id text NOT NULL, day date NOT NULL, events bigint NOT NULL, PRIMARY KEY (store_id, day))`,
  ...tenantTable('visit_drop', 'SELECT, INSERT, UPDATE'),
];

/**
 * Takes as many of `n` events as there is room for under each of the keys, which are in an order of their own so that two batches never
 * wait for each other, and returns their number; the rest is counted as dropped. A key after one that has no room makes no row. In one
 * call, so that the first row, the store's, is locked for no longer than the batch takes to be written.
 */
const taking = [
  `CREATE FUNCTION take_visit_events(store text, on_day date, keys text[], room integer[], n integer, now timestamptz) RETURNS integer
   LANGUAGE plpgsql AS $$
   DECLARE
     taken integer := n;
     used integer;
   BEGIN
     FOR i IN 1 .. array_length(keys, 1) LOOP
       EXIT WHEN taken = 0;
       INSERT INTO visit_use AS u (store_id, day, key, events, created_at) VALUES (store, on_day, keys[i], 0, now)
         ON CONFLICT (store_id, day, key) DO UPDATE SET events = u.events RETURNING u.events INTO used;
       taken := greatest(0, least(taken, room[i] - used));
     END LOOP;
     IF taken > 0 THEN
       UPDATE visit_use SET events = events + taken WHERE store_id = store AND day = on_day AND key = ANY (keys);
     END IF;
     IF taken < n THEN
       INSERT INTO visit_drop AS d (store_id, day, events) VALUES (store, on_day, n - taken)
         ON CONFLICT (store_id, day) DO UPDATE SET events = d.events + excluded.events;
     END IF;
     RETURN taken;
   END $$`,
  'REVOKE ALL ON FUNCTION take_visit_events(text, date, text[], integer[], integer, timestamptz) FROM PUBLIC',
  'GRANT EXECUTE ON FUNCTION take_visit_events(text, date, text[], integer[], integer, timestamptz) TO sangjeom_app',
];

/** What was not taken is told for as long as there are reports: one row a day. */
const retention = [
  ...swept('visit_use', 'true'),
  ...sweeping({
    kind: 'visit_uses',
    due: inEachStore('x.store_id, x.day, x.key', 'visit_use', 'x.created_at < ended', 'x.created_at'),
    remove: `gone AS (DELETE FROM visit_use u USING due WHERE u.store_id = due.store_id AND u.day = due.day AND u.key = due.key
      RETURNING 1)`,
  }),
];
