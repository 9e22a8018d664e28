import { Migration } from '@mikro-orm/migrations';
import { INQUIRY_STATUSES } from '../../domain/inquiries/rules.ts';
import { MAX_REVIEW_IMAGES } from '../../domain/reviews/rules.ts';
import { tenantTable } from './tenancy.ts';

/** Reviews of order items, inquiries about products, and their counts. */
export class Reviews0032 extends Migration {
  override up(): void {
    for (const sql of [...counts, ...reviews, ...inquiries]) this.addSql(sql);
  }
}

/**
 * Counts of a product's reviews by rating and of its inquiries by status, beside those of the store (`list_count`): a total and an average
 * cost the same however many rows there are. A transaction writes one review or one inquiry, and every trigger takes the rows of the store
 * before those of the product, each in the order of their values, so that counts cannot deadlock.
 */
const counts = [
  `CREATE TABLE product_list_count (store_id text NOT NULL REFERENCES store, product_id text NOT NULL, list text NOT NULL,
     value text NOT NULL, n bigint NOT NULL, PRIMARY KEY (store_id, product_id, list, value)) WITH (fillfactor = 50)`,
  ...tenantTable('product_list_count'),
  `CREATE FUNCTION product_list_counts(of_store text, of_product text, of_list text, was text, now_is text) RETURNS void LANGUAGE sql AS $$
     SELECT list_counts(of_store, of_list, was, now_is, false);
     INSERT INTO product_list_count AS c (store_id, product_id, list, value, n)
     SELECT of_store, of_product, of_list, value, n FROM (VALUES (was, -1), (now_is, 1)) AS changed (value, n)
       WHERE value IS NOT NULL ORDER BY value
     ON CONFLICT (store_id, product_id, list, value) DO UPDATE SET n = c.n + excluded.n $$`,
];

/** Triggers that count the rows of a table by a column; at the commit, so that nobody waits for another one's work. */
const counted = (table: string, column: string): string[] => [
  `CREATE FUNCTION ${table}_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     PERFORM product_list_counts(coalesce(NEW.store_id, OLD.store_id), coalesce(NEW.product_id, OLD.product_id), '${table}',
       OLD.${column}::text, NEW.${column}::text); RETURN NULL; END $$`,
  `CREATE CONSTRAINT TRIGGER ${table}_made AFTER INSERT OR DELETE ON ${table} DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW EXECUTE FUNCTION ${table}_counted()`,
  `CREATE CONSTRAINT TRIGGER ${table}_moved AFTER UPDATE OF ${column} ON ${table} DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW WHEN (OLD.${column} IS DISTINCT FROM NEW.${column}) EXECUTE FUNCTION ${table}_counted()`,
];

/** One standing review of an item. It has no foreign key to its customer, whom it outlives. */
const reviews = [
  `CREATE TABLE review (
    store_id text NOT NULL, review_id text NOT NULL, product_id text NOT NULL, product_name text NOT NULL, order_id text NOT NULL,
    order_item_id text NOT NULL, option_label text, customer_id text NOT NULL, rating smallint NOT NULL CHECK (rating BETWEEN 1 AND 5),
    content text NOT NULL, images text[] NOT NULL CHECK (cardinality(images) <= ${MAX_REVIEW_IMAGES}),
    reward_point integer NOT NULL DEFAULT 0 CHECK (reward_point >= 0), created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, review_id), UNIQUE (store_id, order_item_id),
    FOREIGN KEY (store_id, order_item_id) REFERENCES order_item DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX review_newest ON review (store_id, created_at DESC, review_id DESC)`,
  `CREATE INDEX review_rating ON review (store_id, rating, created_at DESC, review_id DESC)`,
  `CREATE INDEX review_product ON review (store_id, product_id, created_at DESC, review_id DESC)`,
  `CREATE INDEX review_product_rating ON review (store_id, product_id, rating, created_at DESC, review_id DESC)`,
  `CREATE INDEX review_customer ON review (store_id, customer_id, created_at DESC, review_id DESC)`,
  ...tenantTable('review'),
  ...counted('review', 'rating'),
  // What was reviewed once earns nothing by another review.
  `CREATE TABLE reviewed_item (store_id text NOT NULL, order_item_id text NOT NULL, reviewed_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, order_item_id), FOREIGN KEY (store_id, order_item_id) REFERENCES order_item DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('reviewed_item', 'SELECT, INSERT'),
];

const inquiries = [
  `CREATE TABLE inquiry (
    store_id text NOT NULL, inquiry_id text NOT NULL, product_id text NOT NULL, customer_id text NOT NULL, title text,
    content text NOT NULL, is_secret boolean NOT NULL DEFAULT false,
    status text NOT NULL DEFAULT 'WAITING' CHECK (status IN (${INQUIRY_STATUSES.map((status) => `'${status}'`).join(', ')})),
    answer text, answered_at timestamptz(3), created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, inquiry_id),
    CHECK ((status = 'ANSWERED') = (answer IS NOT NULL) AND (answer IS NULL) = (answered_at IS NULL)),
    FOREIGN KEY (store_id, product_id) REFERENCES product DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX inquiry_newest ON inquiry (store_id, created_at DESC, inquiry_id DESC)`,
  `CREATE INDEX inquiry_status ON inquiry (store_id, status, created_at DESC, inquiry_id DESC)`,
  `CREATE INDEX inquiry_product ON inquiry (store_id, product_id, created_at DESC, inquiry_id DESC)`,
  `CREATE INDEX inquiry_product_status ON inquiry (store_id, product_id, status, created_at DESC, inquiry_id DESC)`,
  `CREATE INDEX inquiry_customer ON inquiry (store_id, customer_id, created_at DESC, inquiry_id DESC)`,
  ...tenantTable('inquiry'),
  ...counted('inquiry', 'status'),
];
