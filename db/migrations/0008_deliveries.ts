import { Migration } from '@mikro-orm/migrations';
import { lookup, lookupReads } from './tenancy.ts';

/** Deliveries to receivers that fail are started after all others. */
export class Deliveries0008 extends Migration {
  override name = '0008_deliveries';

  override up(): void {
    this.addSql('ALTER TABLE outbox ADD yields boolean NOT NULL DEFAULT false');
    // The bell says whom it rings for: one message per lane and transaction.
    this.addSql(`CREATE OR REPLACE FUNCTION outbox_ring() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_notify('outbox', CASE WHEN NEW.workflow_type <> 'webhookDelivery' THEN 'runs' WHEN NEW.yields THEN 'yielding' ELSE 'deliveries' END);
      RETURN NULL; END $$`);
    this.addSql('DROP TRIGGER outbox_ring ON outbox');
    this.addSql('CREATE TRIGGER outbox_ring AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION outbox_ring()');
    this.addSql(`CREATE INDEX outbox_deliveries ON outbox (yields, outbox_id) WHERE workflow_type = 'webhookDelivery'`);
    this.addSql('CREATE INDEX outbox_run ON outbox (store_id, workflow_id)');
    this.addSql('DROP INDEX outbox_store');
    for (const sql of overdue) this.addSql(sql);
  }
}

/** What still waits for its turn in the outbox is not lost: it is the relay's. A kind may be left out. */
const overdue = [
  ...lookupReads('outbox'),
  ...lookup(
    'lookup_overdue_runs(real_now timestamptz, most integer, left_out text)',
    'TABLE (store_id text, workflow_id text, workflow_type text, entity_id text, order_no text)',
    `SELECT r.store_id, r.workflow_id, r.workflow_type, r.entity_id, r.order_no FROM run r JOIN store s USING (store_id)
     WHERE r.done_at IS NULL AND r.workflow_type <> left_out
       AND (r.loaded_at IS NULL AND r.created_at < real_now - interval '30 seconds'
            OR r.wake_at < real_now + s.clock_offset_ms * interval '1 millisecond' - interval '60 seconds')
       AND (r.woken_at IS NULL OR r.woken_at < real_now - interval '30 seconds' * power(2, least(r.wakes, 7)))
       AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.store_id = r.store_id AND o.workflow_id = r.workflow_id)
     ORDER BY r.woken_at NULLS FIRST, r.wake_at NULLS LAST LIMIT most`,
    'sangjeom_relay',
  ),
];
