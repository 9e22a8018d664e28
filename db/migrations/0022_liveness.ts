import { Migration } from '@mikro-orm/migrations';

/** Whether agents may change a store without approvals (G8), and the store's tax registration number (G17). */
export class Liveness0022 extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE store ADD COLUMN ever_public_at timestamptz(3), ADD COLUMN first_live_order_at timestamptz(3),
      ADD COLUMN tax_registration_number text`);
  }
}
