import { Migration } from '@mikro-orm/migrations';
import { DEFINER } from './tenancy.ts';

/**
 * What lists show of records that may hold a megabyte is stored beside them when they are written (D90): a page of the largest ones costs
 * Postgres no more than what it shows. The bytes are those that an entry of the largest page has for it.
 */
export class Listed0052 extends Migration {
  override up(): void {
    for (const sql of functions) this.addSql(sql);
    this.addSql('ALTER TABLE audit_request ADD COLUMN listed jsonb GENERATED ALWAYS AS (listed_metadata(metadata)) STORED');
    this.addSql(
      `ALTER TABLE approval_request ADD COLUMN listed jsonb
        GENERATED ALWAYS AS (listed_request(preview, result_data, result_error)) STORED`,
    );
  }
}

/** An answer is listed where it is short. */
const short = (value: string): string => `CASE WHEN octet_length(${value}::text) <= 1000 THEN ${value} END`;
/** `jsonb_build_object` is STABLE as it takes any type; of `jsonb` alone it is a pure function, as a generated column needs. */
const PURE = 'LANGUAGE sql IMMUTABLE PARALLEL SAFE';
const functions = [
  `CREATE FUNCTION listed_metadata(metadata jsonb) RETURNS jsonb ${PURE} AS $$
     SELECT jsonb_build_object('metadata', metadata - 'changes',
       'cut', CASE WHEN jsonb_typeof(metadata -> 'changes') = 'array' THEN shortened_changes(metadata -> 'changes', 6300) END) $$`,
  `CREATE FUNCTION listed_request(preview jsonb, data jsonb, error jsonb) RETURNS jsonb ${PURE} AS $$
     SELECT jsonb_build_object('preview', preview - 'changes', 'cut', shortened_changes(preview -> 'changes', 4300),
       'data', ${short('data')}, 'error', ${short('error')}) $$`,
  ...['listed_metadata(jsonb)', 'listed_request(jsonb, jsonb, jsonb)'].map(
    (signature) => `GRANT EXECUTE ON FUNCTION ${signature} TO sangjeom_app`,
  ),
  /** As before: generated columns are computed after it. */
  `CREATE OR REPLACE FUNCTION audit_request_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF (to_jsonb(NEW) - 'metadata' - 'listed') <> (to_jsonb(OLD) - 'metadata' - 'listed')
       OR (NEW.metadata - 'changes') <> (OLD.metadata - 'changes') OR NOT (NEW.metadata -> 'changes') @> (OLD.metadata -> 'changes') THEN
       RAISE EXCEPTION 'records of the audit log are neither changed nor deleted';
     END IF;
     RETURN NEW; END $$`,
  /** As before, for tables with generated columns too: those are computed anew in the new partition. */
  `CREATE OR REPLACE FUNCTION add_partition(parent text, part text, lower text, upper text) RETURNS void
   LANGUAGE plpgsql ${DEFINER} SET lock_timeout = '1s' AS $$
   DECLARE
     rest text := parent || '_rest';
     id text := (SELECT a.attname FROM pg_partitioned_table p JOIN pg_class c ON c.oid = p.partrelid
       JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
       WHERE c.relname = parent AND c.relnamespace = 'public'::regnamespace);
     stored text := (SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
       WHERE attrelid = parent::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '');
   BEGIN
     IF id IS NULL THEN RAISE EXCEPTION 'not a partitioned table'; END IF;
     EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)', part, parent);
     EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
     EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', rest);
     EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', rest);
     EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING %s) INSERT INTO %I (%s) SELECT * FROM moved',
       rest, id, lower, id, upper, stored, part, stored);
     EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', rest);
     EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
     EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
     EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, lower, upper);
   END $$`,
];
