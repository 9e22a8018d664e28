import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** Store settings, addresses, discounts, overrides, per-date stock and price, stays, uploads, and what lists are filtered by. */
export class Catalog0006 extends Migration {
  override name = '0006_catalog';

  override up(): void {
    for (const sql of [...stores, ...addresses, ...products, ...words, ...nights, ...stays, ...uploads]) this.addSql(sql);
  }
}

const stores = [
  `ALTER TABLE store ADD terms_version text, ADD privacy_version text, ADD terms_url text, ADD privacy_url text,
     ADD analytics_allowed_origins text[] NOT NULL DEFAULT '{}'`,
];

const addresses = [
  `CREATE TABLE seller_address (
    store_id text NOT NULL REFERENCES store, address_id text NOT NULL, type text NOT NULL CHECK (type IN ('SHIPPING', 'RETURN')),
    name text NOT NULL, receiver text NOT NULL, mobile text NOT NULL, zip_code text NOT NULL, address text NOT NULL, detail_address text,
    is_default boolean NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, address_id))`,
  `CREATE UNIQUE INDEX seller_address_default ON seller_address (store_id, type) WHERE is_default`,
  ...tenantTable('seller_address'),
  `CREATE TABLE pickup_location (
    store_id text NOT NULL REFERENCES store, pickup_location_id text NOT NULL, name text NOT NULL, address text NOT NULL, contact text NOT NULL,
    available_hours text, is_active boolean NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, pickup_location_id))`,
  ...tenantTable('pickup_location'),
];

const products = [
  `ALTER TABLE product ADD shipping_address_id text, ADD return_address_id text, ADD refund_policy jsonb, ADD point_earn_rate_bp integer,
     ADD flow_id text, ADD discount jsonb, ADD version integer NOT NULL DEFAULT 1,
     ADD FOREIGN KEY (store_id, shipping_address_id) REFERENCES seller_address DEFERRABLE INITIALLY DEFERRED,
     ADD FOREIGN KEY (store_id, return_address_id) REFERENCES seller_address DEFERRABLE INITIALLY DEFERRED`,
  // A deleted product lets go of its category, so that it can be deleted too.
  `ALTER TABLE product ALTER category_id DROP NOT NULL, ADD CHECK (category_id IS NOT NULL OR deleted_at IS NOT NULL)`,
  `CREATE INDEX product_shipping_address ON product (store_id, shipping_address_id) WHERE shipping_address_id IS NOT NULL`,
  `CREATE INDEX product_return_address ON product (store_id, return_address_id) WHERE return_address_id IS NOT NULL`,
  `CREATE INDEX product_newest ON product (store_id, product_no DESC) WHERE deleted_at IS NULL`,
  `CREATE INDEX product_in_category ON product (store_id, category_id, product_no DESC) WHERE deleted_at IS NULL`,
  `CREATE INDEX category_parent ON category (store_id, parent_id)`,
  `ALTER TABLE variant ADD deleted_at timestamptz(3)`,
  `CREATE INDEX order_item_product ON order_item (store_id, product_id)`,
];

/**
 * One and two letters in a row of every product's name. Row security allows an index only for operators that are known not to
 * leak, which equality is and LIKE is not: a keyword is found by equal pairs of letters.
 */
const words = [
  `CREATE TABLE product_gram (store_id text NOT NULL, gram text NOT NULL, product_id text NOT NULL, PRIMARY KEY (store_id, gram, product_id),
    FOREIGN KEY (store_id, product_id) REFERENCES product ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX product_gram_product ON product_gram (store_id, product_id)`,
  `ALTER TABLE product NO FORCE ROW LEVEL SECURITY`,
  `INSERT INTO product_gram (store_id, gram, product_id)
   SELECT DISTINCT p.store_id, substr(lower(p.name), i, n), p.product_id
   FROM product p, generate_series(1, length(p.name)) i, generate_series(1, 2) n WHERE i + n <= length(p.name) + 1`,
  'SET CONSTRAINTS ALL IMMEDIATE',
  `ALTER TABLE product FORCE ROW LEVEL SECURITY`,
  ...tenantTable('product_gram'),
];

/** A night that is not here has no stock. A price that is null follows the sale price. */
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

const stays = [
  `ALTER TABLE cart_item ADD check_in date, ADD check_out date`,
  `ALTER TABLE cart_item DROP CONSTRAINT cart_item_store_id_session_id_variant_id_key`,
  `CREATE UNIQUE INDEX cart_item_line ON cart_item (store_id, session_id, variant_id, check_in, check_out) NULLS NOT DISTINCT`,
  `ALTER TABLE checkout ADD pickup_location_id text`,
  `ALTER TABLE order_item ADD stay jsonb, ADD ship_from jsonb, ADD return_to jsonb`,
];

const uploads = [
  `CREATE TABLE upload (
    store_id text NOT NULL REFERENCES store, upload_id text NOT NULL, purpose text NOT NULL, principal text NOT NULL, content_type text NOT NULL,
    size integer NOT NULL, sha256 bytea NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, upload_id))`,
  ...tenantTable('upload', 'SELECT, INSERT'),
];
