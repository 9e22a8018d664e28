import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** Categories, products, variants; what lists of products are searched by; stock, also per night. */
export class Products0005 extends Migration {
  override up(): void {
    for (const sql of [...categories, ...products, ...words, ...variants, ...nights]) this.addSql(sql);
  }
}

const categories = [
  `CREATE TABLE category (
    store_id text NOT NULL REFERENCES store, category_id text NOT NULL, name text NOT NULL, parent_id text,
    depth smallint NOT NULL, is_leaf boolean NOT NULL DEFAULT true, flow_id text, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, category_id),
    FOREIGN KEY (store_id, parent_id) REFERENCES category DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX category_parent ON category (store_id, parent_id)`,
  ...tenantTable('category'),
];

/** A deleted product has no category, so that the category can be deleted too. */
const products = [
  `CREATE TABLE product (
    store_id text NOT NULL REFERENCES store, product_id text NOT NULL, product_no integer NOT NULL, version integer NOT NULL DEFAULT 1,
    name text NOT NULL, description text, images jsonb NOT NULL DEFAULT '[]', sale_price_won integer NOT NULL CHECK (sale_price_won >= 10),
    original_price_won integer, discount jsonb, point_earn_rate_bp integer, category_id text, flow_id text, status text NOT NULL,
    inventory_mode text NOT NULL, option_groups jsonb NOT NULL DEFAULT '[]', next_variant_seq integer NOT NULL DEFAULT 2,
    fulfillment_type text NOT NULL DEFAULT 'SHIPPING', delivery_type text NOT NULL, delivery_fee_won integer NOT NULL,
    conditional_free_won integer, methods text[] NOT NULL, shipping_address_id text, return_address_id text, refund_policy jsonb,
    created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL, deleted_at timestamptz(3),
    PRIMARY KEY (store_id, product_id), UNIQUE (store_id, product_no), CHECK (category_id IS NOT NULL OR deleted_at IS NOT NULL),
    FOREIGN KEY (store_id, category_id) REFERENCES category DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (store_id, shipping_address_id) REFERENCES seller_address DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (store_id, return_address_id) REFERENCES seller_address DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX product_category ON product (store_id, category_id)`,
  `CREATE INDEX product_status ON product (store_id, status, product_no DESC)`,
  `CREATE INDEX product_shipping_address ON product (store_id, shipping_address_id) WHERE shipping_address_id IS NOT NULL`,
  `CREATE INDEX product_return_address ON product (store_id, return_address_id) WHERE return_address_id IS NOT NULL`,
  `CREATE INDEX product_newest ON product (store_id, product_no DESC) WHERE deleted_at IS NULL`,
  `CREATE INDEX product_in_category ON product (store_id, category_id, product_no DESC) WHERE deleted_at IS NULL`,
  ...tenantTable('product'),
];

/**
 * 1-grams and 2-grams of product names. Under row-level security an index is used only for LEAKPROOF operators, which `=` is and LIKE is
 * not: a keyword is found by equal 2-grams.
 */
const words = [
  `CREATE TABLE product_gram (
    store_id text NOT NULL, gram text NOT NULL, product_id text NOT NULL, PRIMARY KEY (store_id, gram, product_id),
    FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX product_gram_product ON product_gram (store_id, product_id)`,
  ...tenantTable('product_gram'),
];

const variants = [
  `CREATE TABLE variant (
    store_id text NOT NULL, variant_id text NOT NULL, product_id text NOT NULL, variant_no text NOT NULL, seq integer NOT NULL DEFAULT 1,
    option_values text[] NOT NULL DEFAULT '{}', stock_quantity integer NOT NULL CHECK (stock_quantity >= 0),
    additional_price_won integer NOT NULL DEFAULT 0, is_sellable boolean NOT NULL DEFAULT true,
    sku text, barcode text, seller_code text, cost_price_won integer, weight_gram integer, attributes jsonb, deleted_at timestamptz(3),
    PRIMARY KEY (store_id, variant_id), UNIQUE (store_id, variant_no),
    FOREIGN KEY (store_id, product_id) REFERENCES product DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX variant_product ON variant (store_id, product_id)`,
  ...tenantTable('variant'),
  `CREATE TABLE stock_movement (
    store_id text NOT NULL, movement_id text NOT NULL, variant_id text NOT NULL, quantity integer NOT NULL,
    reason text NOT NULL, reference text NOT NULL, note text, at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, movement_id), UNIQUE (store_id, variant_id, reason, reference),
    FOREIGN KEY (store_id, variant_id) REFERENCES variant DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('stock_movement', 'SELECT, INSERT'),
];

/** A night without a row has no stock. A null price means the sale price. */
const nights = [
  `CREATE TABLE variant_night (
    store_id text NOT NULL, variant_id text NOT NULL, night date NOT NULL, stock integer NOT NULL CHECK (stock >= 0), price_won integer,
    PRIMARY KEY (store_id, variant_id, night), FOREIGN KEY (store_id, variant_id) REFERENCES variant DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('variant_night'),
  `CREATE TABLE night_movement (
    store_id text NOT NULL, movement_id text NOT NULL, variant_id text NOT NULL, night date NOT NULL, quantity integer NOT NULL,
    reason text NOT NULL, reference text NOT NULL, at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, movement_id), UNIQUE (store_id, variant_id, night, reason, reference),
    FOREIGN KEY (store_id, variant_id) REFERENCES variant DEFERRABLE INITIALLY DEFERRED)`,
  ...tenantTable('night_movement', 'SELECT, INSERT'),
];
