import { Migration } from '@mikro-orm/migrations';

/** Products are counted by status as they change, as orders are (0014): a shop's total costs the same however many it has (X22). */
export class ProductTotals0018 extends Migration {
  override name = '0018_product_totals';

  override up(): void {
    for (const sql of [...earlierRows, ...changes]) this.addSql(sql);
  }
}

/** Row security is lifted for the owner meanwhile; nobody writes products until the triggers are there. */
const TABLES = ['product', 'list_count'];
const earlierRows = [
  ...TABLES.map((table) => `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`),
  `INSERT INTO list_count (store_id, list, status, is_test, n)
   SELECT store_id, 'product', status, false, count(*) FROM product WHERE deleted_at IS NULL GROUP BY store_id, status`,
  'SET CONSTRAINTS ALL IMMEDIATE',
  ...TABLES.map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`),
];

/**
 * Counted when the transaction commits, under the lock of the store's feed like every other count: many products that change in one
 * transaction cannot wait crosswise for the counts of another.
 */
const changes = [
  `CREATE FUNCTION product_counted() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     of_store text := coalesce(NEW.store_id, OLD.store_id);
     was text := CASE WHEN OLD.deleted_at IS NULL THEN OLD.status END;
     now_is text := CASE WHEN NEW.deleted_at IS NULL THEN NEW.status END;
   BEGIN
     INSERT INTO feed (store_id) VALUES (of_store) ON CONFLICT (store_id) DO NOTHING;
     PERFORM 1 FROM feed WHERE store_id = of_store FOR UPDATE;
     PERFORM list_counts(of_store, 'product', was, now_is, false);
     RETURN NULL;
   END $$`,
  `CREATE CONSTRAINT TRIGGER product_made AFTER INSERT OR DELETE ON product DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW EXECUTE FUNCTION product_counted()`,
  `CREATE CONSTRAINT TRIGGER product_moved AFTER UPDATE OF status, deleted_at ON product DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
   EXECUTE FUNCTION product_counted()`,
];
