import { Migration } from '@mikro-orm/migrations';
import { lowestId } from '../../domain/kernel/ids.ts';
import { realClock as clock } from '../kernel/clock.ts';
import { firstPartitions, tomorrow } from './0013_webhooks.ts';
import { DEFINER, tenantTable } from './tenancy.ts';

/** The log of management requests, in partitions by day (G49, G50). */
export class ApiRequestLog0018 extends Migration {
  override up(): void {
    for (const sql of [...requests(clock.now()), addPartition]) this.addSql(sql);
  }
}

/**
 * Partitioned by the day of the request's id. Without a foreign key to the store: its check would lock the store's row, for which requests
 * that change settings or the sandbox's clock would wait. An index for each filter, newest first; a class of statuses is a column, because
 * row-level security keeps an expression that could fail from being an index condition.
 */
const requests = (now: number): string[] => [
  `CREATE TABLE api_request_log (
    store_id text NOT NULL, request_id text COLLATE "C" NOT NULL, created_at timestamptz(3) NOT NULL, method text NOT NULL,
    path text NOT NULL, operation_id text, status_code smallint NOT NULL, status_class smallint NOT NULL, error_code text,
    duration_ms integer NOT NULL, actor_type text, actor_id text, actor_name text, ip text, user_agent text,
    PRIMARY KEY (store_id, request_id)) PARTITION BY RANGE (request_id)`,
  ...firstPartitions('api_request_log', lowestId('req', tomorrow(now))),
  ...Object.entries({
    newest: 'store_id',
    method: 'store_id, method',
    status: 'store_id, status_code',
    class: 'store_id, status_class',
    operation: 'store_id, operation_id',
    actor: 'store_id, actor_id',
  }).map(([name, columns]) => `CREATE INDEX api_request_log_${name} ON api_request_log (${columns}, created_at DESC, request_id DESC)`),
  ...tenantTable('api_request_log', 'SELECT, INSERT'),
];

/** As before, for every partitioned table: the column is that of its partition key. */
const addPartition = `CREATE OR REPLACE FUNCTION add_partition(parent text, part text, lower text, upper text) RETURNS void
   LANGUAGE plpgsql ${DEFINER} SET lock_timeout = '1s' AS $$
   DECLARE
     rest text := parent || '_rest';
     id text := (SELECT a.attname FROM pg_partitioned_table p JOIN pg_class c ON c.oid = p.partrelid
       JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
       WHERE c.relname = parent AND c.relnamespace = 'public'::regnamespace);
   BEGIN
     IF id IS NULL THEN RAISE EXCEPTION 'not a partitioned table'; END IF;
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
   END $$`;
