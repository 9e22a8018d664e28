import { Migration } from '@mikro-orm/migrations';
import { audited } from './auditing.ts';
import { lookup, lookupReads, tenantTable } from './tenancy.ts';

/**
 * The list of customers with their search, statistics and counts; consents with their texts; address book and wishlist; withdrawals.
 * Triggers maintain what is derived, so that processes of an earlier version do too.
 */
export class Customers0031 extends Migration {
  override up(): void {
    for (const sql of [...columns, ...own, ...search, ...statistics, ...counts, ...existing, ...triggers, ...rights, ...withdrawals])
      this.addSql(sql);
  }
}

const KEY = 'FOREIGN KEY (store_id, customer_id) REFERENCES customer ON DELETE CASCADE';
/** `marketing_agreed`: the newest consent. Names are in the order of their code points, which for Korean is the alphabet's. */
const columns = [
  'ALTER TABLE customer ADD marketing_agreed boolean NOT NULL DEFAULT false',
  'ALTER TABLE customer_consent ADD url text',
  `CREATE INDEX customer_joined ON customer (store_id, created_at, customer_id)`,
  `CREATE INDEX customer_marketing ON customer (store_id, marketing_agreed, created_at, customer_id)`,
  `CREATE INDEX customer_name_up ON customer (store_id, name COLLATE "C" NULLS LAST, customer_id)`,
  `CREATE INDEX customer_name_down ON customer (store_id, name COLLATE "C" DESC NULLS LAST, customer_id)`,
];

const own = [
  `CREATE TABLE customer_address (
    store_id text NOT NULL, address_id text NOT NULL, customer_id text NOT NULL, name text, receiver_name text NOT NULL,
    phone text NOT NULL, zip_code text NOT NULL, address1 text NOT NULL, address2 text, is_default boolean NOT NULL,
      created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, address_id), ${KEY})`,
  `CREATE INDEX customer_address_book ON customer_address (store_id, customer_id, created_at)`,
  `CREATE UNIQUE INDEX customer_address_default ON customer_address (store_id, customer_id) WHERE is_default`,
  ...tenantTable('customer_address'),
  `CREATE TABLE wishlist_item (
    store_id text NOT NULL, customer_id text NOT NULL, product_id text NOT NULL, added_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, customer_id, product_id), ${KEY}, FOREIGN KEY (store_id, product_id) REFERENCES product)`,
  `CREATE INDEX wishlist_item_newest ON wishlist_item (store_id, customer_id, added_at DESC, product_id DESC)`,
  `CREATE INDEX wishlist_item_product ON wishlist_item (store_id, product_id)`,
  ...tenantTable('wishlist_item'),
];

/**
 * Names and e-mails by their 1-grams and 2-grams, as products (db/products/search.ts): under row-level security only equality finds them by
 * an index. The last four digits of a phone are a gram of their own shape.
 */
const search = [
  `CREATE FUNCTION text_grams(of_text text) RETURNS SETOF text LANGUAGE sql IMMUTABLE STRICT AS $$
     SELECT DISTINCT substr(letters, i, n) FROM (SELECT lower(of_text)) AS t (letters), generate_series(1, length(letters)) i,
       generate_series(1, 2) n WHERE i + n - 1 <= length(letters) $$`,
  `CREATE FUNCTION phone_end(phone text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
     SELECT right(regexp_replace(phone, '[^0-9]', '', 'g'), 4) $$`,
  `CREATE FUNCTION customer_grams(name text, email text, phone text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
     SELECT text_grams(name) UNION SELECT text_grams(email) UNION SELECT '#' || phone_end(phone) WHERE phone IS NOT NULL $$`,
  `CREATE TABLE customer_gram (store_id text NOT NULL, gram text NOT NULL, customer_id text NOT NULL,
     PRIMARY KEY (store_id, gram, customer_id))`,
  `CREATE INDEX customer_gram_customer ON customer_gram (store_id, customer_id)`,
  `CREATE FUNCTION customer_indexed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     IF TG_OP = 'UPDATE' THEN
       DELETE FROM customer_gram WHERE store_id = NEW.store_id AND customer_id = NEW.customer_id;
     END IF;
     INSERT INTO customer_gram (store_id, gram, customer_id)
       SELECT NEW.store_id, gram, NEW.customer_id FROM customer_grams(NEW.name, NEW.email, NEW.phone) gram;
     RETURN NULL; END $$`,
];

/**
 * What a customer has bought: one row without orders in sandbox mode, one with them (`with_test`). Written by deferred triggers, at the
 * commit, so that their locks are short and come after that of the store's feed.
 */
const ordersBy = ['order_count', 'purchase_won', 'last_ordered_at'] as const;
const statistics = [
  `CREATE TABLE customer_stats (
    store_id text NOT NULL, customer_id text NOT NULL, with_test boolean NOT NULL, order_count integer NOT NULL DEFAULT 0,
    paid_won bigint NOT NULL DEFAULT 0, refunded_won bigint NOT NULL DEFAULT 0,
    purchase_won bigint NOT NULL GENERATED ALWAYS AS (paid_won - refunded_won) STORED, last_ordered_at timestamptz(3),
    PRIMARY KEY (store_id, customer_id, with_test), ${KEY})`,
  ...ordersBy.flatMap((column) => [
    `CREATE INDEX customer_stats_${column}_up ON customer_stats (store_id, with_test, ${column} NULLS LAST, customer_id)`,
    `CREATE INDEX customer_stats_${column}_down ON customer_stats (store_id, with_test, ${column} DESC NULLS LAST, customer_id)`,
  ]),
  `CREATE FUNCTION customer_begins() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO customer_stats (store_id, customer_id, with_test) VALUES (NEW.store_id, NEW.customer_id, false),
       (NEW.store_id, NEW.customer_id, true);
     RETURN NULL; END $$`,
  `CREATE FUNCTION customer_ordered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     UPDATE customer_stats SET order_count = order_count + 1, paid_won = paid_won + NEW.total_won,
       last_ordered_at = greatest(last_ordered_at, NEW.ordered_at)
     WHERE store_id = NEW.store_id AND customer_id = NEW.customer_id AND (with_test OR NOT NEW.test_payment);
     RETURN NULL; END $$`,
  `CREATE FUNCTION customer_refunded() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     won integer := NEW.amount_won * ((NEW.status = 'DONE')::integer - coalesce((OLD.status = 'DONE')::integer, 0));
   BEGIN
     UPDATE customer_stats s SET refunded_won = s.refunded_won + won FROM orders o
     WHERE o.store_id = NEW.store_id AND o.order_id = NEW.order_id AND s.store_id = o.store_id AND s.customer_id = o.customer_id
       AND (s.with_test OR NOT o.test_payment);
     RETURN NULL; END $$`,
];

/** Customers by the Korean day on which they joined and by marketing consent: the total of every filter but the keyword is a short sum. */
const DAY_OF = (column: string) => `(${column} AT TIME ZONE 'Asia/Seoul')::date`;
const counts = [
  `CREATE TABLE customer_count (store_id text NOT NULL REFERENCES store, joined_on date NOT NULL, marketing boolean NOT NULL,
     n bigint NOT NULL, PRIMARY KEY (store_id, joined_on, marketing)) WITH (fillfactor = 50)`,
  `CREATE FUNCTION customer_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     INSERT INTO customer_count AS c (store_id, joined_on, marketing, n)
     SELECT store_id, joined_on, marketing, sum(n) FROM (VALUES
       (OLD.store_id, ${DAY_OF('OLD.created_at')}, OLD.marketing_agreed, -1),
       (NEW.store_id, ${DAY_OF('NEW.created_at')}, NEW.marketing_agreed, 1)) AS changed (store_id, joined_on, marketing, n)
     WHERE store_id IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
     ON CONFLICT (store_id, joined_on, marketing) DO UPDATE SET n = c.n + excluded.n;
     RETURN NULL; END $$`,
];

/** Of the customers that there are. Row-level security is forced on the owner of the tables too. */
const READ = ['customer', 'customer_consent', 'orders', 'refund'];
const existing = [
  ...READ.map((table) => `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`),
  `UPDATE customer c SET marketing_agreed = true WHERE 'AGREE' = (SELECT action FROM customer_consent k WHERE k.store_id = c.store_id
     AND k.customer_id = c.customer_id AND k.kind = 'MARKETING' ORDER BY k.at DESC, k.consent_id DESC LIMIT 1)`,
  `INSERT INTO customer_gram (store_id, gram, customer_id)
   SELECT c.store_id, gram, c.customer_id FROM customer c, customer_grams(c.name, c.email, c.phone) gram`,
  `INSERT INTO customer_stats (store_id, customer_id, with_test, order_count, paid_won, refunded_won, last_ordered_at)
   SELECT c.store_id, c.customer_id, t.with_test, count(o.order_id), coalesce(sum(o.total_won), 0), coalesce(sum((SELECT sum(r.amount_won)
     FROM refund r WHERE r.store_id = o.store_id AND r.payment_id = o.payment_id AND r.status = 'DONE')), 0), max(o.ordered_at)
   FROM customer c CROSS JOIN (VALUES (false), (true)) AS t (with_test)
     LEFT JOIN orders o ON o.store_id = c.store_id AND o.customer_id = c.customer_id AND (t.with_test OR NOT o.test_payment)
   GROUP BY c.store_id, c.customer_id, t.with_test`,
  `INSERT INTO customer_count (store_id, joined_on, marketing, n)
   SELECT store_id, ${DAY_OF('created_at')}, marketing_agreed, count(*) FROM customer GROUP BY 1, 2, 3`,
  ...READ.map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`),
];

const deferred = (name: string, on: string, when: string, run: string): string =>
  `CREATE CONSTRAINT TRIGGER ${name} AFTER ${on} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW ${when} EXECUTE FUNCTION ${run}()`;
const DONE = `OLD.status IS DISTINCT FROM NEW.status AND 'DONE' IN (OLD.status, NEW.status)`;
const triggers = [
  'CREATE TRIGGER customer_begins AFTER INSERT ON customer FOR EACH ROW EXECUTE FUNCTION customer_begins()',
  `CREATE TRIGGER customer_indexed AFTER INSERT OR UPDATE OF name, email, phone ON customer FOR EACH ROW
     EXECUTE FUNCTION customer_indexed()`,
  deferred('customer_made', 'INSERT OR DELETE ON customer', '', 'customer_counted'),
  deferred(
    'customer_moved',
    'UPDATE OF marketing_agreed ON customer',
    'WHEN (OLD.marketing_agreed <> NEW.marketing_agreed)',
    'customer_counted',
  ),
  `CREATE FUNCTION marketing_consented() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     UPDATE customer SET marketing_agreed = (NEW.action = 'AGREE') WHERE store_id = NEW.store_id AND customer_id = NEW.customer_id;
     RETURN NULL; END $$`,
  `CREATE TRIGGER marketing_consented AFTER INSERT ON customer_consent FOR EACH ROW WHEN (NEW.kind = 'MARKETING')
     EXECUTE FUNCTION marketing_consented()`,
  deferred('customer_ordered', 'INSERT ON orders', 'WHEN (NEW.customer_id IS NOT NULL)', 'customer_ordered'),
  deferred('customer_refunded', 'INSERT ON refund', `WHEN (NEW.status = 'DONE')`, 'customer_refunded'),
  deferred('customer_refund_settled', 'UPDATE OF status ON refund', `WHEN (${DONE})`, 'customer_refunded'),
];

const rights = ['customer_gram', 'customer_stats', 'customer_count'].flatMap((table) => tenantTable(table));

/**
 * Who has left, and why; nothing else is left of them but what orders, claims, reviews and inquiries say. The row of a customer is deleted,
 * so that whoever locks it finds nobody.
 */
const withdrawals = [
  `CREATE TABLE customer_withdrawal (
    store_id text NOT NULL REFERENCES store, customer_id text NOT NULL, withdrawn_at timestamptz(3) NOT NULL, reason text,
    PRIMARY KEY (store_id, customer_id))`,
  ...tenantTable('customer_withdrawal', 'SELECT, INSERT'),
  ...audited({
    action: 'CUSTOMER_WITHDRAWN',
    table: 'customer_withdrawal',
    on: 'INSERT',
    target: ['CUSTOMER', 'customer_id'],
    metadata: { reason: 'NEW.reason' },
  }),
  // What stands in the way, and requests for approval whose confirmation is deleted.
  `CREATE INDEX payment_in_progress ON payment (store_id) WHERE status IN ('pending', 'processing')`,
  `CREATE INDEX claim_customer_open ON claim (store_id, customer_id) WHERE closed_at IS NULL`,
  `CREATE INDEX approval_request_withdrawal ON approval_request (store_id) WHERE operation_id = 'customers.withdraw'`,
  ...lookupReads('customer'),
  ...lookupReads('customer_withdrawal'),
  // The store of a customer, for operators.
  ...lookup(
    'lookup_customer(of_customer text)',
    'text',
    `SELECT store_id FROM customer WHERE customer_id = of_customer
     UNION SELECT store_id FROM customer_withdrawal WHERE customer_id = of_customer`,
    'sangjeom_operator',
  ),
];
