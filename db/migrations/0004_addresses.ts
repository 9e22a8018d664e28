import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** Where a store ships from and takes returns; where buyers pick up. */
export class Addresses0004 extends Migration {
  override up(): void {
    for (const sql of [...addresses, ...pickupLocations]) this.addSql(sql);
  }
}

const addresses = [
  `CREATE TABLE seller_address (
    store_id text NOT NULL REFERENCES store, address_id text NOT NULL, type text NOT NULL CHECK (type IN ('SHIPPING', 'RETURN')),
    name text NOT NULL, receiver text NOT NULL, mobile text NOT NULL, zip_code text NOT NULL, address text NOT NULL, detail_address text,
    is_default boolean NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, address_id))`,
  `CREATE UNIQUE INDEX seller_address_default ON seller_address (store_id, type) WHERE is_default`,
  ...tenantTable('seller_address'),
];

const pickupLocations = [
  `CREATE TABLE pickup_location (
    store_id text NOT NULL REFERENCES store, pickup_location_id text NOT NULL, name text NOT NULL, address text NOT NULL,
    contact text NOT NULL, available_hours text, is_active boolean NOT NULL, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (store_id, pickup_location_id))`,
  ...tenantTable('pickup_location'),
];
