import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** Checkouts. `is_tried`: a payment was started, which decides how long the row is retained. */
export class Checkout0008 extends Migration {
  override up(): void {
    for (const sql of checkout) this.addSql(sql);
  }
}

const checkout = [
  `CREATE TABLE checkout (
    store_id text NOT NULL REFERENCES store, checkout_id text NOT NULL, session_id text NOT NULL, status text NOT NULL,
    lines jsonb NOT NULL, cart_item_ids text[] NOT NULL DEFAULT '{}', pickup_location_id text, is_tried boolean NOT NULL DEFAULT false,
    expires_at timestamptz(3) NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, checkout_id))`,
  `CREATE INDEX checkout_untried ON checkout (store_id, expires_at) WHERE status = 'OPEN' AND NOT is_tried`,
  ...tenantTable('checkout'),
];
