import { Migration } from '@mikro-orm/migrations';
import { lookup, lookupReads, tenantTable } from './tenancy.ts';

/** Everything that one bought, shipped and decided item needs. Times are `timestamptz(3)`: what JavaScript can hold. */
export class Thread0001 extends Migration {
  override name = '0001_thread';

  override up(): void {
    for (const sql of [...stores, ...runs, ...catalog, ...checkout, ...orders, ...webhooks, ...access]) this.addSql(sql);
  }
}

const stores = [
  `CREATE TABLE store (
    store_id text PRIMARY KEY, store_code text NOT NULL UNIQUE, name text NOT NULL, sandbox boolean NOT NULL,
    clock_offset_ms bigint NOT NULL DEFAULT 0, clock_lease text, clock_lease_until timestamptz(3),
    next_product_no integer NOT NULL DEFAULT 1,
    auto_deliver_days smallint NOT NULL DEFAULT 7, auto_confirm_days smallint NOT NULL DEFAULT 7,
    base_delivery_fee_won integer NOT NULL DEFAULT 3000, created_at timestamptz(3) NOT NULL)`,
  `CREATE TABLE client (
    store_id text NOT NULL REFERENCES store, client_id text NOT NULL UNIQUE, name text NOT NULL,
    secret_hash bytea NOT NULL, secret_prefix text NOT NULL, scopes text[] NOT NULL, status text NOT NULL,
    created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, client_id))`,
  `CREATE TABLE signing_key (
    kid text PRIMARY KEY, public_jwk jsonb NOT NULL, private_sealed text NOT NULL, status text NOT NULL,
    created_at timestamptz(3) NOT NULL)`,
  `CREATE UNIQUE INDEX signing_key_current ON signing_key (status) WHERE status = 'current'`,
  `GRANT SELECT, INSERT ON signing_key TO sangjeom_app`,
];

const runs = [
  `CREATE TABLE operation (
    store_id text NOT NULL, principal text NOT NULL, key text NOT NULL, operation_id text NOT NULL,
    fingerprint text NOT NULL, status smallint, body jsonb, location text, created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, principal, key))`,
  `CREATE INDEX operation_expires ON operation (expires_at)`,
  `CREATE TABLE run (
    store_id text NOT NULL, workflow_id text NOT NULL, workflow_type text NOT NULL, entity_id text NOT NULL, order_no text,
    wake_at timestamptz(3), loaded_at timestamptz(3), done_at timestamptz(3), created_at timestamptz(3) NOT NULL,
    woken_at timestamptz(3), wakes integer NOT NULL DEFAULT 0, PRIMARY KEY (store_id, workflow_id),
    UNIQUE (store_id, workflow_type, entity_id))`,
  `CREATE INDEX run_wake ON run (store_id, wake_at) WHERE done_at IS NULL`,
  `CREATE INDEX run_open ON run (created_at) WHERE done_at IS NULL AND loaded_at IS NULL`,
  `CREATE INDEX run_overdue ON run (wake_at) WHERE done_at IS NULL`,
  `CREATE TABLE outbox (
    outbox_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, store_id text NOT NULL, message text NOT NULL,
    workflow_type text NOT NULL, workflow_id text NOT NULL, entity_id text NOT NULL, order_no text,
    status text,
    wake_at timestamptz(3), created_at timestamptz(3) NOT NULL, attempts integer NOT NULL DEFAULT 0, not_before timestamptz(3))`,
  `CREATE INDEX outbox_store ON outbox (store_id)`,
  `CREATE FUNCTION outbox_ring() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NOTIFY outbox; RETURN NULL; END $$`,
  `CREATE TRIGGER outbox_ring AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION outbox_ring()`,
  `CREATE TABLE temporal_namespace (namespace text PRIMARY KEY, namespace_id text NOT NULL)`,
];

const catalog = [
  `CREATE TABLE category (
    store_id text NOT NULL REFERENCES store, category_id text NOT NULL, name text NOT NULL, parent_id text,
    depth smallint NOT NULL, is_leaf boolean NOT NULL DEFAULT true, flow_id text, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, category_id),
    FOREIGN KEY (store_id, parent_id) REFERENCES category DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE TABLE product (
    store_id text NOT NULL REFERENCES store, product_id text NOT NULL, product_no integer NOT NULL, name text NOT NULL,
    description text, images jsonb NOT NULL DEFAULT '[]', sale_price_won integer NOT NULL CHECK (sale_price_won >= 10),
    original_price_won integer, category_id text NOT NULL, status text NOT NULL, inventory_mode text NOT NULL,
    delivery_type text NOT NULL, delivery_fee_won integer NOT NULL, conditional_free_won integer, methods text[] NOT NULL,
    created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, deleted_at timestamptz(3),
    PRIMARY KEY (store_id, product_id), UNIQUE (store_id, product_no),
    FOREIGN KEY (store_id, category_id) REFERENCES category DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX product_category ON product (store_id, category_id)`,
  `CREATE INDEX product_status ON product (store_id, status, product_no DESC)`,
  `CREATE TABLE variant (
    store_id text NOT NULL, variant_id text NOT NULL, product_id text NOT NULL, variant_no text NOT NULL,
    option_values text[] NOT NULL DEFAULT '{}', stock_quantity integer NOT NULL CHECK (stock_quantity >= 0),
    additional_price_won integer NOT NULL DEFAULT 0, is_sellable boolean NOT NULL DEFAULT true,
    PRIMARY KEY (store_id, variant_id), UNIQUE (store_id, variant_no),
    FOREIGN KEY (store_id, product_id) REFERENCES product DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX variant_product ON variant (store_id, product_id)`,
  `CREATE TABLE stock_movement (
    store_id text NOT NULL, movement_id text NOT NULL, variant_id text NOT NULL, quantity integer NOT NULL,
    reason text NOT NULL, reference text NOT NULL, note text, at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, movement_id), UNIQUE (store_id, variant_id, reason, reference),
    FOREIGN KEY (store_id, variant_id) REFERENCES variant DEFERRABLE INITIALLY DEFERRED)`,
];

const checkout = [
  `CREATE TABLE guest_session (
    store_id text NOT NULL REFERENCES store, session_id text NOT NULL, token_hash bytea NOT NULL,
    created_at timestamptz(3) NOT NULL, expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, session_id), UNIQUE (store_id, token_hash))`,
  `CREATE TABLE checkout (
    store_id text NOT NULL REFERENCES store, checkout_id text NOT NULL, session_id text NOT NULL, status text NOT NULL,
    lines jsonb NOT NULL, expires_at timestamptz(3) NOT NULL, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, checkout_id))`,
  `CREATE TABLE payment (
    store_id text NOT NULL REFERENCES store, payment_id text NOT NULL UNIQUE, checkout_id text NOT NULL, order_no text NOT NULL,
    status text NOT NULL, result text NOT NULL, lines jsonb NOT NULL, amounts jsonb NOT NULL, delivery jsonb NOT NULL,
    total_won integer NOT NULL, return_url text NOT NULL, shipping_address jsonb, buyer jsonb NOT NULL,
    order_password_hash text NOT NULL, current_attempt_id text NOT NULL, attempt_count smallint NOT NULL, last_failure jsonb,
    order_id text, test_payment boolean NOT NULL, expires_at timestamptz(3) NOT NULL, wake_at timestamptz(3),
    call jsonb, created_at timestamptz(3) NOT NULL, completed_at timestamptz(3),
    PRIMARY KEY (store_id, payment_id), UNIQUE (store_id, order_no),
    FOREIGN KEY (store_id, checkout_id) REFERENCES checkout DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE UNIQUE INDEX payment_open ON payment (store_id, checkout_id) WHERE status IN ('pending', 'processing', 'completed')`,
  `CREATE TABLE payment_attempt (
    store_id text NOT NULL, attempt_id text NOT NULL, payment_id text NOT NULL, seq smallint NOT NULL, pg text NOT NULL,
    method text NOT NULL, provider text, pg_order_id text NOT NULL, amount_won integer NOT NULL, return_url text NOT NULL,
    status text NOT NULL, payment_key text, approved_method text, is_unknown boolean NOT NULL DEFAULT false,
    readings smallint NOT NULL DEFAULT 0, failure jsonb, provider_message text, started_at timestamptz(3) NOT NULL,
    confirmed_at timestamptz(3), ended_at timestamptz(3),
    PRIMARY KEY (store_id, attempt_id), UNIQUE (store_id, payment_id, seq), UNIQUE (store_id, pg_order_id),
    FOREIGN KEY (store_id, payment_id) REFERENCES payment DEFERRABLE INITIALLY DEFERRED)`,
];

const orders = [
  `CREATE TABLE orders (
    store_id text NOT NULL REFERENCES store, order_id text NOT NULL, order_no text NOT NULL, checkout_id text NOT NULL,
    payment_id text NOT NULL, pg text NOT NULL, method text NOT NULL, approved_method text, buyer jsonb NOT NULL, shipping_address jsonb,
    order_password_hash text NOT NULL, amounts jsonb NOT NULL, delivery jsonb NOT NULL, total_won integer NOT NULL,
    test_payment boolean NOT NULL, requires_shipping boolean NOT NULL, representative_status text NOT NULL,
    progress_status text NOT NULL, ordered_at timestamptz(3) NOT NULL, last_changed_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, order_id), UNIQUE (store_id, order_no), UNIQUE (store_id, checkout_id),
    FOREIGN KEY (store_id, payment_id) REFERENCES payment DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX orders_ordered ON orders (store_id, ordered_at DESC, order_id DESC)`,
  `CREATE TABLE order_item (
    store_id text NOT NULL, order_item_id text NOT NULL, order_item_no text NOT NULL, order_id text NOT NULL,
    position smallint NOT NULL, product_id text NOT NULL, variant_id text NOT NULL, product_name text NOT NULL,
    option_label text, unit_price_won integer NOT NULL, quantity integer NOT NULL, canceled_quantity integer NOT NULL DEFAULT 0,
    total_price_won integer NOT NULL, status text NOT NULL, bundle_no smallint NOT NULL, fulfillment_snapshot jsonb NOT NULL,
    dispatch jsonb, auto_decision_at timestamptz(3), seller_memo text, flow_key text NOT NULL, flow_version integer NOT NULL,
    flow_state jsonb NOT NULL, last_changed_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, order_item_id), UNIQUE (store_id, order_item_no),
    FOREIGN KEY (store_id, order_id) REFERENCES orders DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX order_item_order ON order_item (store_id, order_id, position)`,
  `CREATE INDEX order_item_changed ON order_item (store_id, last_changed_at, order_item_id)`,
  `CREATE INDEX order_item_variant ON order_item (store_id, variant_id)`,
  `CREATE TABLE flow_step (
    store_id text NOT NULL, order_item_id text NOT NULL, seq integer NOT NULL, event jsonb NOT NULL, at timestamptz(3) NOT NULL,
    trace jsonb NOT NULL, effects jsonb NOT NULL, PRIMARY KEY (store_id, order_item_id, seq),
    FOREIGN KEY (store_id, order_item_id) REFERENCES order_item DEFERRABLE INITIALLY DEFERRED)`,
];

const webhooks = [
  `CREATE TABLE webhook (
    store_id text NOT NULL REFERENCES store, webhook_id text NOT NULL, url text NOT NULL, event_types text[] NOT NULL,
    status text NOT NULL, secret_sealed text NOT NULL, secret_prefix text NOT NULL, old_secret_sealed text,
    old_secret_expires_at timestamptz(3), suspended_at timestamptz(3), first_failure_at timestamptz(3),
    last_failure_at timestamptz(3), created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, webhook_id))`,
  `CREATE TABLE event (
    store_id text NOT NULL REFERENCES store, event_id text NOT NULL, type text NOT NULL, body text NOT NULL,
    created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, event_id))`,
  `CREATE TABLE webhook_delivery (
    store_id text NOT NULL, delivery_id text NOT NULL, webhook_id text NOT NULL, event_id text NOT NULL, event_type text NOT NULL,
    url text NOT NULL, status text NOT NULL, error_code text, attempt_count smallint NOT NULL DEFAULT 0, attempted_at timestamptz(3),
    next_attempt_at timestamptz(3), attempt_outcome jsonb, response_status_code smallint, response_time_ms integer, response_body_excerpt text,
    redelivery_of text, redelivered_as text, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, delivery_id),
    FOREIGN KEY (store_id, webhook_id) REFERENCES webhook ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (store_id, event_id) REFERENCES event DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE UNIQUE INDEX webhook_delivery_redelivery ON webhook_delivery (store_id, redelivery_of) WHERE redelivery_of IS NOT NULL`,
  `CREATE INDEX webhook_delivery_newest ON webhook_delivery (store_id, webhook_id, created_at DESC, delivery_id DESC)`,
];

const tenantTables = [
  'client',
  'category',
  'product',
  'variant',
  'guest_session',
  'checkout',
  'payment',
  'payment_attempt',
  'orders',
  'order_item',
  'webhook',
  'webhook_delivery',
  'run',
  'outbox',
  'operation',
];

const access = [
  ...tenantTables.flatMap((table) => tenantTable(table)),
  ...['event', 'stock_movement', 'flow_step'].flatMap((table) => tenantTable(table, 'SELECT, INSERT')),
  ...tenantTable('store', 'SELECT, UPDATE'),
  ...['run', 'outbox'].flatMap((table) => [
    `GRANT SELECT, UPDATE, DELETE ON ${table} TO sangjeom_relay`,
    `CREATE POLICY relay ON ${table} TO sangjeom_relay USING (true) WITH CHECK (true)`,
  ]),
  `GRANT SELECT, INSERT, UPDATE ON temporal_namespace TO sangjeom_relay`,
  ...['store', 'client', 'payment', 'run'].flatMap(lookupReads),
  ...lookup(
    'lookup_store(code text)',
    'TABLE (store_id text, status text, sandbox boolean, clock_offset_ms bigint)',
    `SELECT store_id, 'ACTIVE', sandbox, clock_offset_ms FROM store WHERE store_code = code`,
    'sangjeom_app',
  ),
  ...lookup(
    'lookup_client(id text)',
    'TABLE (store_id text, status text, sandbox boolean, clock_offset_ms bigint)',
    `SELECT store_id, c.status, s.sandbox, s.clock_offset_ms FROM client c JOIN store s USING (store_id) WHERE client_id = id`,
    'sangjeom_app',
  ),
  ...lookup(
    'lookup_payment(id text)',
    'TABLE (store_id text, status text, sandbox boolean, clock_offset_ms bigint)',
    `SELECT store_id, p.status, s.sandbox, s.clock_offset_ms FROM payment p JOIN store s USING (store_id) WHERE payment_id = id`,
    'sangjeom_app',
  ),
  ...lookup(
    'lookup_overdue_runs(real_now timestamptz, most integer)',
    'TABLE (store_id text, workflow_id text, workflow_type text, entity_id text, order_no text)',
    `SELECT r.store_id, r.workflow_id, r.workflow_type, r.entity_id, r.order_no FROM run r JOIN store s USING (store_id)
     WHERE r.done_at IS NULL
       AND (r.loaded_at IS NULL AND r.created_at < real_now - interval '30 seconds'
            OR r.wake_at < real_now + s.clock_offset_ms * interval '1 millisecond' - interval '60 seconds')
       AND (r.woken_at IS NULL OR r.woken_at < real_now - interval '30 seconds' * power(2, least(r.wakes, 7)))
     ORDER BY r.woken_at NULLS FIRST, r.wake_at NULLS LAST LIMIT most`,
    'sangjeom_relay',
  ),
];
