import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** Orders, their items with every step of their flows, their delivery bundles. */
export class Orders0010 extends Migration {
  override up(): void {
    for (const sql of [...orders, ...items, ...bundles, ...steps]) this.addSql(sql);
  }
}

/** A customer's order has no order password. */
const orders = [
  `CREATE TABLE orders (
    store_id text NOT NULL REFERENCES store, order_id text NOT NULL, order_no text NOT NULL, checkout_id text NOT NULL,
    payment_id text NOT NULL, pg text NOT NULL, method text NOT NULL, approved_method text, customer_id text, buyer jsonb NOT NULL,
    visit jsonb, shipping_address jsonb, order_password_hash text, amounts jsonb NOT NULL, delivery jsonb NOT NULL,
    total_won integer NOT NULL, test_payment boolean NOT NULL, requires_shipping boolean NOT NULL, representative_status text NOT NULL,
    progress_status text NOT NULL, ordered_at timestamptz(3) NOT NULL, last_changed_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, order_id), UNIQUE (store_id, order_no), UNIQUE (store_id, checkout_id),
    FOREIGN KEY (store_id, payment_id) REFERENCES payment DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX orders_ordered ON orders (store_id, ordered_at DESC, order_id DESC)`,
  `CREATE INDEX orders_changed ON orders (store_id, last_changed_at, order_id)`,
  `CREATE INDEX orders_customer ON orders (store_id, customer_id, ordered_at DESC, order_id DESC) WHERE customer_id IS NOT NULL`,
  `CREATE INDEX orders_status ON orders (store_id, progress_status, ordered_at DESC, order_id DESC)`,
  `CREATE INDEX orders_test ON orders (store_id, ordered_at DESC, order_id DESC) WHERE test_payment`,
  `CREATE INDEX orders_payment ON orders (store_id, payment_id)`,
  ...tenantTable('orders'),
];

const items = [
  `CREATE TABLE order_item (
    store_id text NOT NULL, order_item_id text NOT NULL, order_item_no text NOT NULL, order_id text NOT NULL,
    position smallint NOT NULL, product_id text NOT NULL, variant_id text NOT NULL, product_name text NOT NULL,
    option_label text, unit_price_won integer NOT NULL, quantity integer NOT NULL, canceled_quantity integer NOT NULL DEFAULT 0,
    total_price_won integer NOT NULL, status text NOT NULL, bundle_no smallint NOT NULL, stay jsonb, fulfillment_snapshot jsonb NOT NULL,
    fulfillment jsonb, ship_from jsonb, return_to jsonb, refund_policy jsonb, dispatch jsonb, tracking jsonb, tracking_reading jsonb,
    hold jsonb, auto_decision_at timestamptz(3), seller_memo text, flow_key text NOT NULL, flow_version integer NOT NULL,
    flow_state jsonb NOT NULL, last_changed_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, order_item_id), UNIQUE (store_id, order_item_no),
    FOREIGN KEY (store_id, order_id) REFERENCES orders DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX order_item_order ON order_item (store_id, order_id, position)`,
  `CREATE INDEX order_item_changed ON order_item (store_id, last_changed_at, order_item_id)`,
  `CREATE INDEX order_item_status ON order_item (store_id, status, last_changed_at, order_item_id)`,
  `CREATE INDEX order_item_product ON order_item (store_id, product_id)`,
  `CREATE INDEX order_item_variant ON order_item (store_id, variant_id)`,
  ...tenantTable('order_item'),
];

/** Delivery bundles of orders. */
const bundles = [
  `CREATE TABLE order_bundle (
    store_id text NOT NULL, order_id text NOT NULL, bundle_no smallint NOT NULL, base_fee_won integer NOT NULL,
    surcharge_won integer NOT NULL, conditional_free_won integer, rule_fee_won integer NOT NULL,
    fee_refunded_won integer NOT NULL DEFAULT 0, shortfall_charged_won integer NOT NULL DEFAULT 0,
    PRIMARY KEY (store_id, order_id, bundle_no), CHECK (fee_refunded_won BETWEEN 0 AND base_fee_won + surcharge_won),
    FOREIGN KEY (store_id, order_id) REFERENCES orders DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('order_bundle'),
];

const steps = [
  `CREATE TABLE flow_step (
    store_id text NOT NULL, order_item_id text NOT NULL, seq integer NOT NULL, event jsonb NOT NULL, at timestamptz(3) NOT NULL,
    trace jsonb NOT NULL, effects jsonb NOT NULL, PRIMARY KEY (store_id, order_item_id, seq),
    FOREIGN KEY (store_id, order_item_id) REFERENCES order_item DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('flow_step', 'SELECT, INSERT'),
];
