import { Migration } from '@mikro-orm/migrations';

/**
 * What a list shows of a request is bounded as a whole: of facts and what was sent beyond 2,000 bytes it shows none (D90). Rows that are
 * stored already keep what was computed for them: they have no such facts.
 */
export class PendingApprovals0053 extends Migration {
  override up(): void {
    for (const sql of functions) this.addSql(sql);
  }
}

/** As before (0052). */
const short = (value: string): string => `CASE WHEN octet_length(${value}::text) <= 1000 THEN ${value} END`;
const functions = [
  `CREATE OR REPLACE FUNCTION listed_request(preview jsonb, data jsonb, error jsonb) RETURNS jsonb
   LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
     SELECT CASE WHEN octet_length((preview - 'changes')::text) <= 2000
       THEN jsonb_build_object('preview', preview - 'changes', 'cut', cut, 'data', ${short('data')}, 'error', ${short('error')})
       ELSE jsonb_build_object('preview', preview - 'changes' - 'request' || '{"facts": {}}', 'cut', cut || '{"isTruncated": true}',
         'data', ${short('data')}, 'error', ${short('error')}) END
     FROM (SELECT shortened_changes(preview -> 'changes', 4300) AS cut) AS shortened $$`,
];
