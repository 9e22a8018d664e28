import { Migration } from '@mikro-orm/migrations';

/** A claim has the time of its order's change: in its row, in its answer and under its key. */
export class ClaimFeed0028 extends Migration {
  override up(): void {
    for (const sql of feeds) this.addSql(sql);
  }
}

/** The feed of a transaction that changes claims: moves them along, and returns the time that they all have now. */
const feeds = [
  `CREATE OR REPLACE FUNCTION write_claim_feed(of_store text, business_at timestamptz, changed_orders text[], changed_items text[],
     changed_claims text[], events jsonb, of_principal text, of_key text) RETURNS timestamptz LANGUAGE plpgsql AS $$
   DECLARE
     latest timestamptz;
   BEGIN
     PERFORM write_feed(of_store, business_at, changed_orders, changed_items, events, of_principal, of_key);
     SELECT changed_at INTO STRICT latest FROM feed WHERE store_id = of_store;
     IF latest > business_at THEN
       UPDATE claim SET last_changed_at = latest WHERE store_id = of_store AND claim_id = ANY (changed_claims);
     END IF;
     RETURN latest;
   END $$`,
];
