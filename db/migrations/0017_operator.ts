import { Migration } from '@mikro-orm/migrations';

/**
 * The rights of operators' commands in all stores, through a role, because the owner of the tables is no superuser and row-level security
 * is forced: they read states of runs and money, but no names, addresses or contents of orders, and re-encrypt secrets.
 */
export class Operator0017 extends Migration {
  override up(): void {
    for (const [table, columns] of Object.entries(READ)) {
      this.addSql(`GRANT SELECT ${columns} ON ${table} TO sangjeom_operator`);
      this.addSql(`CREATE POLICY operator ON ${table} FOR SELECT TO sangjeom_operator USING (true)`);
    }
    this.addSql('GRANT UPDATE (secret_sealed, old_secret_sealed) ON webhook TO sangjeom_operator');
    this.addSql('CREATE POLICY operator_seals ON webhook FOR UPDATE TO sangjeom_operator USING (true) WITH CHECK (true)');
    // Has no store.
    this.addSql('GRANT SELECT, INSERT, UPDATE, DELETE ON signing_key TO sangjeom_operator');
  }
}

const READ = {
  run: '',
  store: '(store_id, store_code, clock_offset_ms)',
  payment: '(store_id, payment_id, status, result, total_won, expires_at, call)',
  payment_attempt: '',
  refund: '(store_id, refund_id, payment_id, amount_won, status, failure_code, provider_message, created_at)',
  orders: '(store_id, order_id, order_no, payment_id)',
  order_item: '(store_id, order_item_id, order_item_no, order_id, status, quantity, canceled_quantity)',
  invitation: '(store_id, invitation_id, role, status, send_no, send_attempts, expires_at, delivery_status, delivery_error_code)',
  webhook_delivery: '(store_id, delivery_id, webhook_id, event_id, event_type, url, status, attempt_count, error_code)',
  webhook: '(store_id, webhook_id, status, suspended_at, deleted_at, secret_sealed, old_secret_sealed)',
} as const;
