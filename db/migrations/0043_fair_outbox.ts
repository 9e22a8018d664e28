import { Migration } from '@mikro-orm/migrations';

/** The relay takes the rows of a lane by store (worker/portions.ts): each lane has an index in which a store's rows lie side by side. */
export class FairOutbox0043 extends Migration {
  override up(): void {
    this.addSql(`CREATE INDEX outbox_runs_of_store ON outbox (store_id, outbox_id) WHERE workflow_type <> 'webhookDelivery'`);
    this.addSql(`CREATE INDEX outbox_deliveries_of_store ON outbox (yields, store_id, outbox_id) WHERE workflow_type = 'webhookDelivery'`);
    this.addSql('DROP INDEX outbox_deliveries');
  }
}
