import { Migration } from '@mikro-orm/migrations';
import { CLAIM_STATUSES, CLAIM_TYPES } from '../../domain/claims/rules.ts';
import { audited } from './auditing.ts';
import { tenantTable } from './tenancy.ts';

/** Claims of buyers, their history, and what refunds need to know of orders. */
export class Claims0026 extends Migration {
  override up(): void {
    for (const sql of [...paid, ...movements, ...claims, ...steps, ...refunds, ...operators, ...images]) this.addSql(sql);
  }
}

const oneOf = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

/** Coupon and points of an order, as they were paid, and the claims that an item shows. */
const paid = [
  `ALTER TABLE orders ADD coupon_min_order_won integer, ADD coupon_charged_won integer NOT NULL DEFAULT 0,
     ADD coupon_charged_point_won integer NOT NULL DEFAULT 0`,
  `ALTER TABLE order_item ADD exchanged_quantity integer NOT NULL DEFAULT 0, ADD coupon_discount_won integer NOT NULL DEFAULT 0,
     ADD point_allocation_won integer NOT NULL DEFAULT 0, ADD claims jsonb NOT NULL DEFAULT '[]',
     ADD CHECK (canceled_quantity BETWEEN exchanged_quantity AND quantity)`,
  `ALTER TABLE order_bundle ADD point_allocation_won integer NOT NULL DEFAULT 0,
     ADD shortfall_charged_point_won integer NOT NULL DEFAULT 0`,
];

/** Units that came back, or should have, and are no stock: damaged, missing, sold meanwhile. Their `quantity` is 0. */
const movements = ['ALTER TABLE stock_movement ADD unsellable_quantity integer NOT NULL DEFAULT 0'];

/** One open claim of an item. */
const claims = [
  `CREATE TABLE claim (
    store_id text NOT NULL, claim_id text NOT NULL, claim_no text NOT NULL, type text NOT NULL CHECK (type IN (${oneOf(CLAIM_TYPES)})),
    status text NOT NULL CHECK (status IN (${oneOf(CLAIM_STATUSES)})), order_id text NOT NULL, order_no text NOT NULL,
    order_item_id text NOT NULL, variant_id text NOT NULL, quantity integer NOT NULL CHECK (quantity > 0), reason text NOT NULL,
    detail text, images text[] NOT NULL, customer_id text, is_shipped boolean NOT NULL, exchange_option_id text,
    delivery_fee_won integer NOT NULL, hold_reason text, hold_until timestamptz(3), is_hold_used boolean NOT NULL DEFAULT false,
    collection jsonb, inspection jsonb, redelivery jsonb, rejection jsonb, restocked_quantity integer NOT NULL DEFAULT 0,
    stock_shortfall integer NOT NULL DEFAULT 0, amounts jsonb, expected jsonb, step_count integer NOT NULL DEFAULT 0,
    test_payment boolean NOT NULL, requested_at timestamptz(3) NOT NULL, closed_at timestamptz(3), last_changed_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, claim_id), UNIQUE (store_id, claim_no),
    FOREIGN KEY (store_id, order_item_id) REFERENCES order_item DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE UNIQUE INDEX claim_open ON claim (store_id, order_item_id) WHERE closed_at IS NULL`,
  `CREATE INDEX claim_newest ON claim (store_id, requested_at DESC, claim_id DESC)`,
  ...['status', 'type', 'order_id', 'order_item_id'].map(
    (column) => `CREATE INDEX claim_${column} ON claim (store_id, ${column}, requested_at DESC, claim_id DESC)`,
  ),
  ...tenantTable('claim'),
  `CREATE FUNCTION claim_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     PERFORM list_counts(coalesce(NEW.store_id, OLD.store_id), 'claim', OLD.status, NEW.status, false); RETURN NULL; END $$`,
  `CREATE CONSTRAINT TRIGGER claim_made AFTER INSERT OR DELETE ON claim DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW EXECUTE FUNCTION claim_counted()`,
  `CREATE CONSTRAINT TRIGGER claim_moved AFTER UPDATE OF status ON claim DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION claim_counted()`,
];

/** The history of a claim: nothing changes or deletes it. */
const steps = [
  `CREATE TABLE claim_step (
    store_id text NOT NULL, claim_id text NOT NULL, seq integer NOT NULL, name text NOT NULL, by text NOT NULL, at timestamptz(3) NOT NULL,
    detail jsonb, PRIMARY KEY (store_id, claim_id, seq), FOREIGN KEY (store_id, claim_id) REFERENCES claim DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('claim_step', 'SELECT, INSERT'),
  ...audited({
    action: 'CLAIM_REFUNDED',
    table: 'claim_step',
    on: 'INSERT',
    when: `NEW.name = 'approve'`,
    target: ['CLAIM', 'claim_id'],
    metadata: { refundAmount: `NEW.detail -> 'refundAmount'`, pointRefundAmount: `NEW.detail -> 'pointRefundAmount'` },
    refundId: `NEW.detail ->> 'refundId'`,
  }),
];

/**
 * Never more is to go back than was paid, whatever requests it. Refunds count in every status, FAILED among them: what the provider has
 * refused is still due, and may be run again.
 */
const refunds = [
  `CREATE FUNCTION refund_within_payment() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF (SELECT sum(r.amount_won) FROM refund r WHERE r.store_id = NEW.store_id AND r.payment_id = NEW.payment_id)
       > (SELECT p.total_won FROM payment p WHERE p.store_id = NEW.store_id AND p.payment_id = NEW.payment_id) THEN
       RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation',
         MESSAGE = format('refunds of %s exceed what was paid', NEW.payment_id);
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE CONSTRAINT TRIGGER refund_within_payment AFTER INSERT ON refund DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW EXECUTE FUNCTION refund_within_payment()`,
];

/** Operators read states and amounts; what buyers and sellers typed is not theirs. */
const operators = [
  `GRANT SELECT (store_id, claim_id, claim_no, type, status, quantity, order_id, order_no, order_item_id, hold_until, amounts)
     ON claim TO sangjeom_operator`,
  'CREATE POLICY operator ON claim FOR SELECT TO sangjeom_operator USING (true)',
];

/** A claim names the uploads among its images. */
const images = ['GRANT UPDATE (is_named) ON upload TO sangjeom_app'];
