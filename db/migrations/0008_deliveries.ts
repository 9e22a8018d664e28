import { Migration } from '@mikro-orm/migrations';

/** Deliveries to receivers that fail are started after all others. */
export class Deliveries0008 extends Migration {
  override name = '0008_deliveries';

  override up(): void {
    this.addSql('ALTER TABLE outbox ADD yields boolean NOT NULL DEFAULT false');
    // The bell says whom it rings for: one message per lane and transaction.
    this.addSql(`CREATE OR REPLACE FUNCTION outbox_ring() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      PERFORM pg_notify('outbox', CASE WHEN NEW.kind <> 'webhookDelivery' THEN 'runs' WHEN NEW.yields THEN 'yielding' ELSE 'deliveries' END);
      RETURN NULL; END $$`);
    this.addSql('DROP TRIGGER outbox_ring ON outbox');
    this.addSql('CREATE TRIGGER outbox_ring AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION outbox_ring()');
    this.addSql(`CREATE INDEX outbox_deliveries ON outbox (yields, outbox_id) WHERE kind = 'webhookDelivery'`);
  }
}
