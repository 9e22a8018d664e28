import { Migration } from '@mikro-orm/migrations';
import { lookup, lookupReads, tenantTable } from './tenancy.ts';

/** Customers, guest sessions and carts. Times are business times. */
export class Customers0007 extends Migration {
  override up(): void {
    for (const sql of [...guests, ...customers, ...carts]) this.addSql(sql);
  }
}

const guests = [
  `CREATE TABLE guest_session (
    store_id text NOT NULL REFERENCES store, session_id text NOT NULL, token_hash bytea NOT NULL,
    created_at timestamptz(3) NOT NULL, used_at timestamptz(3), expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, session_id), UNIQUE (store_id, token_hash))`,
  `CREATE INDEX guest_session_expires ON guest_session (store_id, expires_at)`,
  `CREATE INDEX guest_session_unused ON guest_session (store_id, created_at) WHERE used_at IS NULL`,
  ...tenantTable('guest_session'),
  ...lookupReads('guest_session'),
  // The store of a code with the session of a token in it: one statement for each request of a guest.
  ...lookup(
    'lookup_guest(code text, hash bytea)',
    `TABLE (store_id text, status text, sandbox boolean, clock_offset_ms bigint, session_id text, created_at timestamptz,
      used_at timestamptz,
       expires_at timestamptz)`,
    `SELECT s.store_id, 'ACTIVE', s.sandbox, s.clock_offset_ms, g.session_id, g.created_at, g.used_at, g.expires_at
     FROM store s LEFT JOIN guest_session g ON g.store_id = s.store_id AND g.token_hash = hash WHERE s.store_code = code`,
    'sangjeom_app',
  ),
];

/** Tokens carry the customer's `token_generation`; it is increased when the account is taken over, which revokes earlier tokens (X8). */
const customers = [
  `CREATE TABLE customer (
    store_id text NOT NULL REFERENCES store, customer_id text NOT NULL, email text NOT NULL, name text, phone text,
    password_hash text, token_generation integer NOT NULL DEFAULT 0, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, customer_id), UNIQUE (store_id, email))`,
  ...tenantTable('customer'),
  `CREATE TABLE customer_consent (
    store_id text NOT NULL, consent_id text NOT NULL, customer_id text NOT NULL, kind text NOT NULL, action text NOT NULL,
    version text, path text NOT NULL, at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, consent_id),
    FOREIGN KEY (store_id, customer_id) REFERENCES customer ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)`,
  `CREATE INDEX customer_consent_newest ON customer_consent (store_id, customer_id, at DESC)`,
  ...tenantTable('customer_consent'),
];

/** A cart belongs to a guest session or to a customer: `session_id` is the id of either, hence no foreign key. */
const carts = [
  `CREATE TABLE cart_item (
    store_id text NOT NULL, cart_item_id text NOT NULL, session_id text NOT NULL, product_id text NOT NULL,
    variant_id text NOT NULL, check_in date, check_out date, quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999), visit jsonb,
    created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, cart_item_id))`,
  `CREATE UNIQUE INDEX cart_item_line ON cart_item (store_id, session_id, variant_id, check_in, check_out) NULLS NOT DISTINCT`,
  ...tenantTable('cart_item'),
];
