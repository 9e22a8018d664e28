import { Migration } from '@mikro-orm/migrations';
import { ENTRY_TYPES, GRANT_TYPES } from '../../domain/points/entries.ts';
import { audited } from './auditing.ts';
import { DEFINER, lookup, lookupReads, tenantTable } from './tenancy.ts';

/**
 * Points: the store's policy, and of each member an account, lots, and an append-only history with what each entry moved in which lot
 * (docs/contract.md#points). What a customer has goes with their row, and only with it.
 */
export class Points0029 extends Migration {
  override up(): void {
    for (const sql of [...policies, ...ledger, ...rules, ...accounts, ...access, ...lookups]) this.addSql(sql);
  }
}

const among = (values: readonly string[]): string => `IN (${values.map((value) => `'${value}'`).join(', ')})`;
const KEY = 'FOREIGN KEY (store_id, customer_id) REFERENCES';

/** `opened_at`: the first successful PUT (N13). */
const policies = [
  `CREATE TABLE point_policy (
    store_id text PRIMARY KEY REFERENCES store,
    review_enabled boolean NOT NULL, text_won integer NOT NULL, photo_won integer NOT NULL,
    earn_enabled boolean NOT NULL, earn_rate_bp integer NOT NULL,
    use_enabled boolean NOT NULL, min_balance_won integer NOT NULL, min_amount_won integer NOT NULL, use_unit integer NOT NULL,
    max_ratio_bp integer NOT NULL, includes_delivery_fee boolean NOT NULL,
    expiry_days integer CHECK (expiry_days BETWEEN 30 AND 1825),
    opened_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL,
    CHECK (expiry_days IS NOT NULL OR NOT (review_enabled OR earn_enabled)))`,
  ...tenantTable('point_policy', 'SELECT, INSERT, UPDATE'),
];

/** `entry_count` numbers a member's entries, `last_at` is the time of the last one: neither goes back. */
const ledger = [
  `CREATE TABLE point_account (
    store_id text NOT NULL, customer_id text NOT NULL, balance_won bigint NOT NULL DEFAULT 0 CHECK (balance_won >= 0),
    entry_count integer NOT NULL DEFAULT 0, last_at timestamptz(3) NOT NULL DEFAULT '1970-01-01T00:00:00Z',
    PRIMARY KEY (store_id, customer_id), ${KEY} customer ON DELETE CASCADE)`,
  `CREATE TABLE point_history (
    store_id text NOT NULL, history_id text NOT NULL, customer_id text NOT NULL, seq integer NOT NULL,
    type text NOT NULL CHECK (type ${among(ENTRY_TYPES)}), amount_won bigint NOT NULL, balance_won bigint NOT NULL CHECK (balance_won >= 0),
    memo text, order_id text, order_item_id text, payment_id text, review_id text, reference text, expires_at timestamptz(3),
    created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, history_id), UNIQUE (store_id, customer_id, seq),
    ${KEY} point_account ON DELETE CASCADE,
    CHECK (CASE WHEN type = 'ADJUST' THEN amount_won <> 0 WHEN type ${among(['REVOKE_REVIEW', 'EXPIRE', 'USE_RESERVE'])} THEN amount_won < 0
      ELSE amount_won > 0 END), CHECK (memo IS NULL OR type = 'ADJUST'))`,
  // Once: an earning per item and review, a claw back per review, an opening per customer, a release per reservation, an expiry per refill.
  `CREATE UNIQUE INDEX point_history_once ON point_history (store_id, customer_id, type, reference)`,
  `CREATE UNIQUE INDEX point_history_item ON point_history (store_id, order_item_id) WHERE type = 'EARN_PURCHASE'`,
  `CREATE UNIQUE INDEX point_history_rewarded ON point_history (store_id, order_item_id) WHERE type = 'EARN_REVIEW'`,
  `CREATE INDEX point_history_newest ON point_history (store_id, created_at, seq, history_id)`,
  `CREATE INDEX point_history_type ON point_history (store_id, type, created_at, seq, history_id)`,
  `CREATE INDEX point_history_customer ON point_history (store_id, customer_id, created_at, seq, history_id)`,
  `CREATE INDEX point_history_payment ON point_history (store_id, payment_id, seq) WHERE payment_id IS NOT NULL`,
  `CREATE TABLE point_lot (
    store_id text NOT NULL, lot_id text NOT NULL, customer_id text NOT NULL, history_id text NOT NULL, seq integer NOT NULL,
    type text NOT NULL CHECK (type ${among(GRANT_TYPES)}), amount_won bigint NOT NULL CHECK (amount_won > 0),
    remaining_won bigint NOT NULL CHECK (remaining_won BETWEEN 0 AND amount_won), refills integer NOT NULL DEFAULT 0,
    earned_at timestamptz(3) NOT NULL, expires_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, lot_id), UNIQUE (store_id, history_id),
    ${KEY} point_account ON DELETE CASCADE,
    FOREIGN KEY (store_id, history_id) REFERENCES point_history ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX point_lot_spending ON point_lot (store_id, customer_id, expires_at, earned_at, seq)`,
  `CREATE INDEX point_lot_left ON point_lot (store_id, expires_at, lot_id) WHERE remaining_won > 0`,
  `CREATE TABLE point_movement (
    store_id text NOT NULL, history_id text NOT NULL, lot_id text NOT NULL, amount_won bigint NOT NULL CHECK (amount_won <> 0),
    PRIMARY KEY (store_id, history_id, lot_id),
    FOREIGN KEY (store_id, history_id) REFERENCES point_history ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (store_id, lot_id) REFERENCES point_lot ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX point_movement_lot ON point_movement (store_id, lot_id)`,
];

/** Even the owner of the tables changes and deletes no entry: entries go with the customer, whose account is gone by then (N9). */
const rules = [
  `CREATE FUNCTION points_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT 1 FROM point_account a JOIN point_history h USING (store_id, customer_id)
         WHERE h.store_id = OLD.store_id AND h.history_id = OLD.history_id) THEN
       RETURN OLD;
     END IF;
     RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation', MESSAGE = format('%s is append-only', TG_TABLE_NAME);
   END $$`,
  ...['point_history', 'point_movement'].map(
    (table) => `CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION points_append_only()`,
  ),
  `CREATE TRIGGER append_only BEFORE DELETE ON point_lot FOR EACH ROW EXECUTE FUNCTION points_append_only()`,
  ...audited({
    action: 'POINT_ADJUSTED',
    table: 'point_history',
    on: 'INSERT',
    when: `NEW.type = 'ADJUST'`,
    target: ['CUSTOMER', 'customer_id'],
    metadata: { historyId: 'NEW.history_id', amount: 'NEW.amount_won', balance: 'NEW.balance_won' },
  }),
];

/** Every customer has an account from their first moment on: without one they have withdrawn, or never were. */
const accounts = [
  `CREATE FUNCTION open_point_account() RETURNS trigger LANGUAGE plpgsql ${DEFINER} AS $$ BEGIN
     INSERT INTO point_account (store_id, customer_id) VALUES (NEW.store_id, NEW.customer_id);
     RETURN NULL; END $$`,
  'REVOKE ALL ON FUNCTION open_point_account() FROM PUBLIC',
  `CREATE TRIGGER open_point_account AFTER INSERT ON customer FOR EACH ROW EXECUTE FUNCTION open_point_account()`,
  'ALTER TABLE customer NO FORCE ROW LEVEL SECURITY',
  `INSERT INTO point_account (store_id, customer_id) SELECT store_id, customer_id FROM customer`,
  'ALTER TABLE customer FORCE ROW LEVEL SECURITY',
];

const TABLES = ['point_account', 'point_history', 'point_lot', 'point_movement'];
const access = [
  ...tenantTable('point_account', 'SELECT'),
  `GRANT UPDATE (balance_won, entry_count, last_at) ON point_account TO sangjeom_app`,
  ...tenantTable('point_history', 'SELECT, INSERT'),
  ...tenantTable('point_lot', 'SELECT, INSERT'),
  `GRANT UPDATE (remaining_won, refills) ON point_lot TO sangjeom_app`,
  ...tenantTable('point_movement', 'SELECT, INSERT'),
  ...TABLES.flatMap((table) => lookupReads(table)),
  // Operators read the ledger, but not what sellers wrote into it.
  ...['point_account', 'point_lot', 'point_movement'].map((table) => `GRANT SELECT ON ${table} TO sangjeom_operator`),
  `GRANT SELECT (store_id, history_id, customer_id, seq, type, amount_won, balance_won, order_id, order_item_id, payment_id, review_id,
     reference, expires_at, created_at) ON point_history TO sangjeom_operator`,
  ...TABLES.map((table) => `CREATE POLICY operator ON ${table} FOR SELECT TO sangjeom_operator USING (true)`),
];

/** Accounts, behind a customer, that do not agree with their own history: in all stores, or in one. */
const ACCOUNTS = `SELECT store_id, customer_id, balance_won, entry_count FROM point_account
  WHERE (store_id, customer_id) > (after_store, after_customer) ORDER BY store_id, customer_id LIMIT max_rows`;
const lookups = [
  // Lots in which something is left although they are dead by their store's clock, behind a lot.
  ...lookup(
    'lookup_dead_lots(real_now timestamptz, after_store text, after_at timestamptz, after_lot text, max_rows integer)',
    'TABLE (store_id text, clock_offset_ms bigint, customer_id text, expires_at timestamptz, lot_id text)',
    `SELECT s.store_id, s.clock_offset_ms, l.customer_id, l.expires_at, l.lot_id FROM store s CROSS JOIN LATERAL (
       SELECT x.customer_id, x.expires_at, x.lot_id FROM point_lot x WHERE x.store_id = s.store_id AND x.remaining_won > 0
         AND x.expires_at <= real_now + s.clock_offset_ms * interval '1 millisecond'
         AND (s.store_id > after_store OR (x.expires_at, x.lot_id) > (after_at, after_lot))
       ORDER BY x.expires_at, x.lot_id LIMIT max_rows) l
     WHERE s.store_id >= after_store ORDER BY s.store_id, l.expires_at, l.lot_id LIMIT max_rows`,
    'sangjeom_app',
  ),
  ...lookup(
    'check_point_accounts(after_store text, after_customer text, max_rows integer)',
    `TABLE (store_id text, customer_id text, balance_won bigint, history_won bigint, running_won bigint, lots_won bigint,
      wrong_lots bigint)`,
    `SELECT a.store_id, a.customer_id, a.balance_won, h.total, r.balance_won, l.total, l.wrong FROM (${ACCOUNTS}) a
     CROSS JOIN LATERAL (SELECT coalesce(sum(x.amount_won), 0)::bigint AS total FROM point_history x
       WHERE x.store_id = a.store_id AND x.customer_id = a.customer_id) h
     LEFT JOIN point_history r ON r.store_id = a.store_id AND r.customer_id = a.customer_id AND r.seq = a.entry_count
     CROSS JOIN LATERAL (SELECT coalesce(sum(x.remaining_won), 0)::bigint AS total, count(*) FILTER (WHERE x.remaining_won <>
         (SELECT coalesce(sum(m.amount_won), 0) FROM point_movement m WHERE m.store_id = x.store_id AND m.lot_id = x.lot_id)) AS wrong
       FROM point_lot x WHERE x.store_id = a.store_id AND x.customer_id = a.customer_id) l`,
    'sangjeom_app, sangjeom_operator',
  ),
];
