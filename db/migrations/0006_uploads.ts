import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/** Uploaded files. A buyer's upload for an order is deleted unless an order refers to it (`is_named`). */
export class Uploads0006 extends Migration {
  override up(): void {
    for (const sql of uploads) this.addSql(sql);
  }
}

const uploads = [
  `CREATE TABLE upload (
    store_id text NOT NULL REFERENCES store, upload_id text NOT NULL, purpose text NOT NULL, principal text NOT NULL,
    content_type text NOT NULL, size integer NOT NULL, sha256 bytea NOT NULL, is_named boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL, PRIMARY KEY (store_id, upload_id))`,
  `CREATE INDEX upload_unnamed ON upload (store_id, created_at) WHERE purpose = 'order-input' AND NOT is_named`,
  ...tenantTable('upload', 'SELECT, INSERT'),
];
