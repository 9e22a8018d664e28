import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** Options, products that are not shipped, carts, delivery bundles, cancels and refunds. */
export class Breadth0002 extends Migration {
  override name = '0002_breadth';

  override up(): void {
    for (const sql of [...stores, ...catalog, ...carts, ...orders, ...refunds, ...bundlesOfEarlierOrders]) this.addSql(sql);
  }
}

const stores = [
  `ALTER TABLE store
     ADD free_threshold_won integer, ADD jeju_surcharge_won integer NOT NULL DEFAULT 0,
     ADD isolated_surcharge_won integer NOT NULL DEFAULT 0, ADD refund_policy jsonb NOT NULL DEFAULT '{}',
     ADD guest_checkout_enabled boolean NOT NULL DEFAULT true`,
];

const catalog = [
  `ALTER TABLE product
     ADD fulfillment_type text NOT NULL DEFAULT 'SHIPPING', ADD option_groups jsonb NOT NULL DEFAULT '[]',
     ADD next_variant_seq integer NOT NULL DEFAULT 2`,
  `ALTER TABLE variant ADD seq integer NOT NULL DEFAULT 1,
     ADD sku text, ADD barcode text, ADD seller_code text, ADD cost_price_won integer, ADD weight_gram integer, ADD attributes jsonb`,
];

const carts = [
  `CREATE TABLE cart_item (
    store_id text NOT NULL, cart_item_id text NOT NULL, session_id text NOT NULL, product_id text NOT NULL,
    variant_id text NOT NULL, quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999), created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, cart_item_id), UNIQUE (store_id, session_id, variant_id),
    FOREIGN KEY (store_id, session_id) REFERENCES guest_session (store_id, session_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('cart_item'),
  `ALTER TABLE checkout ADD cart_item_ids text[] NOT NULL DEFAULT '{}'`,
  `ALTER TABLE payment ADD bundles jsonb`,
];

const orders = [
  `ALTER TABLE order_item ADD fulfillment jsonb, ADD refund_policy jsonb`,
  `CREATE TABLE order_bundle (
    store_id text NOT NULL, order_id text NOT NULL, bundle_no smallint NOT NULL, base_fee_won integer NOT NULL,
    surcharge_won integer NOT NULL, conditional_free_won integer, rule_fee_won integer NOT NULL,
    fee_refunded_won integer NOT NULL DEFAULT 0, shortfall_charged_won integer NOT NULL DEFAULT 0,
    PRIMARY KEY (store_id, order_id, bundle_no), CHECK (fee_refunded_won BETWEEN 0 AND base_fee_won + surcharge_won),
    FOREIGN KEY (store_id, order_id) REFERENCES orders DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('order_bundle'),
  `CREATE TABLE command_text (
    store_id text NOT NULL REFERENCES store, text_id text NOT NULL, text text NOT NULL, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, text_id))`,
  ...tenantTable('command_text'),
];

const refunds = [
  `CREATE TABLE refund (
    store_id text NOT NULL, refund_id text NOT NULL, payment_id text NOT NULL, order_id text NOT NULL, order_item_id text NOT NULL,
    amount_won integer NOT NULL CHECK (amount_won > 0), cause text NOT NULL, status text NOT NULL, failure_code text,
    key_seq smallint NOT NULL DEFAULT 1, absences smallint NOT NULL DEFAULT 0, is_answered boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL, settled_at timestamptz(3), PRIMARY KEY (store_id, refund_id),
    FOREIGN KEY (store_id, payment_id) REFERENCES payment DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (store_id, order_item_id) REFERENCES order_item DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX refund_payment ON refund (store_id, payment_id, created_at)`,
  `CREATE INDEX refund_item ON refund (store_id, order_item_id)`,
  ...tenantTable('refund'),
];

/** Orders of before get the bundles that they were priced with. Row security is lifted for the owner meanwhile. */
const TABLES = ['order_bundle', 'order_item', 'orders', 'payment'];
const bundlesOfEarlierOrders = [
  ...TABLES.map((table) => `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`),
  `INSERT INTO order_bundle (store_id, order_id, bundle_no, base_fee_won, surcharge_won, conditional_free_won, rule_fee_won)
   SELECT i.store_id, i.order_id, i.bundle_no,
     CASE WHEN min((l.line ->> 'conditionalFreeWon')::int) <= sum(i.total_price_won) THEN 0 ELSE min((l.line ->> 'deliveryFeeWon')::int) END,
     0, min((l.line ->> 'conditionalFreeWon')::int), min((l.line ->> 'deliveryFeeWon')::int)
   FROM order_item i JOIN orders o USING (store_id, order_id) JOIN payment p USING (store_id, payment_id)
   CROSS JOIN LATERAL (SELECT p.lines -> (i.position - 1) AS line) l GROUP BY 1, 2, 3`,
  // A table with checks that still wait cannot be altered.
  'SET CONSTRAINTS ALL IMMEDIATE',
  ...TABLES.map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`),
];
