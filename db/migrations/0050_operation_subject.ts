import { Migration } from '@mikro-orm/migrations';

/** The customer that a request names in its path: a withdrawal deletes what was answered about them (U13). */
export class OperationSubject0050 extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE operation ADD COLUMN customer_id text');
    this.addSql('CREATE INDEX operation_customer ON operation (store_id, customer_id) WHERE customer_id IS NOT NULL');
  }
}
