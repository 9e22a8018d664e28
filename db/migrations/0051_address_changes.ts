import { Migration } from '@mikro-orm/migrations';

/** The newest address that the buyer of an order has asked for (D14). */
export class AddressChanges0051 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE orders ADD COLUMN address_change jsonb');
  }
}
