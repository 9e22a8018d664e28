import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** Refunds of items, to the original payment. The refund's id identifies it at the provider: it is unique over all stores (X17). */
export class Refunds0011 extends Migration {
  override up(): void {
    for (const sql of refunds) this.addSql(sql);
  }
}

const refunds = [
  `CREATE TABLE refund (
    store_id text NOT NULL, refund_id text NOT NULL, payment_id text NOT NULL, order_id text NOT NULL, order_item_id text NOT NULL,
    amount_won integer NOT NULL CHECK (amount_won > 0), cause text NOT NULL, status text NOT NULL, failure_code text, provider_message text,
    key_seq smallint NOT NULL DEFAULT 1, absences smallint NOT NULL DEFAULT 0, is_answered boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL, requested_at timestamptz(3), call_count integer NOT NULL DEFAULT 0, settled_at timestamptz(3),
    PRIMARY KEY (store_id, refund_id),
    FOREIGN KEY (store_id, payment_id) REFERENCES payment DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (store_id, order_item_id) REFERENCES order_item DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX refund_payment ON refund (store_id, payment_id, created_at)`,
  `CREATE INDEX refund_item ON refund (store_id, order_item_id)`,
  `CREATE UNIQUE INDEX refund_everywhere ON refund (refund_id)`,
  ...tenantTable('refund'),
];
