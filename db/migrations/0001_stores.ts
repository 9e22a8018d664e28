import { Migration } from '@mikro-orm/migrations';
import { lookup, lookupReads, tenantTable } from './tenancy.ts';

/** Stores, the tenants. Times are `timestamptz(3)` everywhere: the precision of JavaScript's Date. */
export class Stores0001 extends Migration {
  override up(): void {
    for (const sql of [...schema, ...stores, ...access]) this.addSql(sql);
  }
}

// The default since Postgres 15; a database that was upgraded may still let every role create functions there.
const schema = ['REVOKE CREATE ON SCHEMA public FROM PUBLIC'];

const stores = [
  `CREATE TABLE store (
    store_id text PRIMARY KEY, store_code text NOT NULL UNIQUE, name text NOT NULL, sandbox boolean NOT NULL,
    clock_offset_ms bigint NOT NULL DEFAULT 0, clock_lease text, clock_lease_until timestamptz(3),
    next_product_no integer NOT NULL DEFAULT 1,
    auto_deliver_days smallint NOT NULL DEFAULT 7, auto_confirm_days smallint NOT NULL DEFAULT 7,
    base_delivery_fee_won integer NOT NULL DEFAULT 3000, free_threshold_won integer,
    jeju_surcharge_won integer NOT NULL DEFAULT 0, isolated_surcharge_won integer NOT NULL DEFAULT 0,
    refund_policy jsonb NOT NULL DEFAULT '{}', guest_checkout_enabled boolean NOT NULL DEFAULT true,
    terms_version text, terms_url text, privacy_version text, privacy_url text,
    analytics_allowed_origins text[] NOT NULL DEFAULT '{}', created_at timestamptz(3) NOT NULL)`,
  // Sandboxes with an advanced clock: their runs are overdue by the store's time.
  `CREATE INDEX store_ahead ON store (store_id) INCLUDE (clock_offset_ms) WHERE clock_offset_ms > 0`,
];

const access = [
  ...tenantTable('store', 'SELECT, UPDATE'),
  ...lookupReads('store'),
  ...lookup(
    'lookup_store(code text)',
    'TABLE (store_id text, status text, sandbox boolean, clock_offset_ms bigint)',
    `SELECT store_id, 'ACTIVE', sandbox, clock_offset_ms FROM store WHERE store_code = code`,
    'sangjeom_app',
  ),
];
