import { Migration } from '@mikro-orm/migrations';
import { DEFINER, lookup, lookupReads, tenantTable } from './tenancy.ts';

/**
 * Payments and their attempts. One provider account may serve all stores, so the identifiers at the provider are unique over all stores
 * (X17): order numbers, provider order ids, payment keys, and the ids that idempotency keys are made of.
 */
export class Payments0009 extends Migration {
  override up(): void {
    for (const sql of [...payments, ...attempts, ...tries, ...lookups]) this.addSql(sql);
  }
}

/**
 * A customer's payment has no order password. `created_at` is the business time of the start, `started_at` its real time.
 */
const payments = [
  `CREATE TABLE payment (
    store_id text NOT NULL REFERENCES store, payment_id text NOT NULL UNIQUE, checkout_id text NOT NULL, order_no text NOT NULL,
    status text NOT NULL, result text NOT NULL, lines jsonb NOT NULL, bundles jsonb NOT NULL DEFAULT '[]',
    amounts jsonb NOT NULL, delivery jsonb NOT NULL, total_won integer NOT NULL, return_url text NOT NULL, shipping_address jsonb,
    buyer jsonb NOT NULL, visit jsonb, order_password_hash text, current_attempt_id text NOT NULL, attempt_count smallint NOT NULL,
    last_failure jsonb, order_id text, test_payment boolean NOT NULL, expires_at timestamptz(3) NOT NULL, wake_at timestamptz(3),
    call jsonb, created_at timestamptz(3) NOT NULL, started_at timestamptz(3) NOT NULL, completed_at timestamptz(3),
    PRIMARY KEY (store_id, payment_id),
    FOREIGN KEY (store_id, checkout_id) REFERENCES checkout DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE UNIQUE INDEX payment_open ON payment (store_id, checkout_id) WHERE status IN ('pending', 'processing', 'completed')`,
  `CREATE INDEX payment_checkout ON payment (store_id, checkout_id)`,
  `CREATE INDEX payment_unpaid ON payment (started_at) WHERE order_id IS NULL`,
  `CREATE UNIQUE INDEX payment_number ON payment (order_no)`,
  ...tenantTable('payment'),
  ...lookupReads('payment'),
];

const attempts = [
  `CREATE TABLE payment_attempt (
    store_id text NOT NULL, attempt_id text NOT NULL, payment_id text NOT NULL, seq smallint NOT NULL, pg text NOT NULL,
    method text NOT NULL, provider text, pg_order_id text NOT NULL,
    amount_won integer NOT NULL, return_url text NOT NULL, status text NOT NULL, payment_key text,
    approved_method text, is_unknown boolean NOT NULL DEFAULT false,
    confirm_answered boolean NOT NULL DEFAULT true, readings smallint NOT NULL DEFAULT 0, call_count integer NOT NULL DEFAULT 0,
    unknown_since timestamptz(3), failure jsonb, provider_message text,
    started_at timestamptz(3) NOT NULL, confirmed_at timestamptz(3), ended_at timestamptz(3),
    PRIMARY KEY (store_id, attempt_id), UNIQUE (store_id, payment_id, seq),
    FOREIGN KEY (store_id, payment_id) REFERENCES payment DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE UNIQUE INDEX payment_attempt_number ON payment_attempt (pg, pg_order_id)`,
  `CREATE UNIQUE INDEX payment_attempt_key ON payment_attempt (pg, payment_key) WHERE payment_key IS NOT NULL`,
  `CREATE UNIQUE INDEX payment_attempt_everywhere ON payment_attempt (attempt_id)`,
  ...tenantTable('payment_attempt'),
  ...lookupReads('payment_attempt'),
];

/** A trigger, so that every way to start a payment sets `is_tried`. The checkout is locked already. */
const tries = [
  `CREATE FUNCTION payment_tries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     UPDATE checkout SET is_tried = true WHERE store_id = NEW.store_id AND checkout_id = NEW.checkout_id AND NOT is_tried;
     RETURN NULL; END $$`,
  `CREATE TRIGGER payment_tries AFTER INSERT ON payment FOR EACH ROW EXECUTE FUNCTION payment_tries()`,
];

/**
 * Uniqueness checks over all stores. The advisory lock is held until the transaction ends, so that no other transaction gets a different
 * answer; the query follows the lock in a statement of its own, whose snapshot sees everything committed before.
 */
const lookups = [
  ...lookup(
    'lookup_payment(id text)',
    'TABLE (store_id text, status text, sandbox boolean, clock_offset_ms bigint)',
    `SELECT store_id, p.status, s.sandbox, s.clock_offset_ms FROM payment p JOIN store s USING (store_id) WHERE payment_id = id`,
    'sangjeom_app',
  ),
  ...question(
    'order_no_taken(number text)',
    'order_no_taken(text)',
    `PERFORM pg_advisory_xact_lock(hashtextextended('order-no/' || number, 0));
     RETURN EXISTS (SELECT 1 FROM payment p WHERE p.order_no = number);`,
  ),
  ...question(
    'payment_key_taken(known_pg text, known_key text, own_attempt text)',
    'payment_key_taken(text, text, text)',
    `PERFORM pg_advisory_xact_lock(hashtextextended('payment-key/' || known_pg || '/' || known_key, 0));
     RETURN EXISTS (SELECT 1 FROM payment_attempt a
       WHERE a.pg = known_pg AND a.payment_key = known_key AND a.attempt_id <> own_attempt);`,
  ),
];

/** A boolean SECURITY DEFINER function over all stores: executed by the app with the rights of `sangjeom_lookup`. */
function question(signature: string, name: string, body: string): string[] {
  return [
    `CREATE FUNCTION ${signature} RETURNS boolean LANGUAGE plpgsql VOLATILE ${DEFINER} AS $$ BEGIN ${body} END $$`,
    `ALTER FUNCTION ${name} OWNER TO sangjeom_lookup`,
    `REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${name} TO sangjeom_app`,
  ];
}
