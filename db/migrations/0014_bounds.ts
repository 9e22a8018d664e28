import { Migration } from '@mikro-orm/migrations';
import { lookup } from './tenancy.ts';

/** What grows is worked off in portions: runs that Temporal has lost, and what has ended. */
export class Bounds0014 extends Migration {
  override name = '0014_bounds';

  override up(): void {
    for (const sql of [...recovery, ...overdue]) this.addSql(sql);
  }
}

/** How far the runs have been brought back into a Temporal database that is new; null when there is nothing to bring back. */
const recovery = [
  `ALTER TABLE temporal_namespace ADD recovery_store text, ADD recovery_run text`,
  `CREATE INDEX run_open_key ON run (store_id, workflow_id) INCLUDE (kind) WHERE done_at IS NULL`,
];

/**
 * Runs that were lost, by index however many are open: those without a workflow, those overdue by real time, and those overdue by
 * the clock of a sandbox that is ahead. `grace_from` moves with every poke, so that what was poked is not read again until its
 * gap is over.
 */
const isLost = `(r.poked_at IS NULL OR r.poked_at < real_now - interval '30 seconds' * power(2, least(r.pokes, 7)))
  AND r.kind <> left_out AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.store_id = r.store_id AND o.workflow_id = r.workflow_id)`;
const lostColumns = 'r.store_id, r.workflow_id, r.kind, r.run_id, r.order_no, r.poked_at, r.wake_at';
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
    'TABLE (store_id text, workflow_id text, kind text, run_id text, order_no text)',
    `SELECT lost.store_id, lost.workflow_id, lost.kind, lost.run_id, lost.order_no FROM (
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
     ) lost ORDER BY lost.poked_at NULLS FIRST, lost.wake_at NULLS LAST LIMIT most`,
    'sangjeom_relay',
  ),
];
