import { Migration } from '@mikro-orm/migrations';

/** What a suspension has ended is told by its epoch, so that its subscription's run may come to it later. */
export class Subscriptions0019 extends Migration {
  override name = '0019_subscriptions';

  override up(): void {
    this.addSql('ALTER TABLE webhook ADD epoch integer NOT NULL DEFAULT 0');
    // Deliveries of before belong to the first epoch. One that a process of before makes knows none: the subscription's state judges it alone.
    this.addSql('ALTER TABLE webhook_delivery ADD epoch integer DEFAULT 0');
    this.addSql('ALTER TABLE webhook_delivery ALTER epoch DROP DEFAULT');
    this.addSql('DROP INDEX webhook_delivery_waiting');
    this.addSql(
      `CREATE INDEX webhook_delivery_waiting ON webhook_delivery (store_id, webhook_id, epoch, delivery_id) WHERE status IN ('PENDING', 'PENDING_RETRY')`,
    );
    // What the support command explains.
    this.addSql('GRANT SELECT (status, suspended_at, deleted_at) ON webhook TO sangjeom_operator');
  }
}
