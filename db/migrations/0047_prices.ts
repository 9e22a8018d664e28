import { Migration } from '@mikro-orm/migrations';

/** The Korean day of the transaction's business time (db/kernel/tx.ts); null where it has none. */
const TODAY = `(to_timestamp((nullif(current_setting('app.origin', true), '')::jsonb ->> 'at')::numeric / 1000)
  AT TIME ZONE 'Asia/Seoul')::date`;

const REFUSE = (what: string) => `RAISE EXCEPTION '${what} below 10 won' USING ERRCODE = 'check_violation'`;

/**
 * A price is the sum of columns of two tables, so that no CHECK can hold it (D58, D95): the sale price or a night's own, and the variant's
 * additional price. At the commit for products and variants, whose rows are written in either order; at once for nights, whose writer has
 * locked the product. Rows of before stay as they are.
 */
export class Prices0047 extends Migration {
  override up(): void {
    this.addSql(`CREATE FUNCTION check_variant_price() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$ BEGIN
      IF EXISTS (SELECT 1 FROM variant v JOIN product p USING (store_id, product_id)
          WHERE v.store_id = NEW.store_id AND v.variant_id = NEW.variant_id AND v.deleted_at IS NULL AND p.deleted_at IS NULL
            AND p.sale_price_won::bigint + v.additional_price_won < 10)
        OR EXISTS (SELECT 1 FROM variant v JOIN variant_night n USING (store_id, variant_id)
          WHERE v.store_id = NEW.store_id AND v.variant_id = NEW.variant_id AND v.deleted_at IS NULL AND n.night >= ${TODAY}
            AND n.price_won::bigint + v.additional_price_won < 10)
      THEN ${REFUSE('A variant')}; END IF;
      RETURN NULL; END $$`);
    this.addSql(`CREATE FUNCTION check_product_price() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$ BEGIN
      IF EXISTS (SELECT 1 FROM product p JOIN variant v USING (store_id, product_id)
          WHERE p.store_id = NEW.store_id AND p.product_id = NEW.product_id AND p.deleted_at IS NULL AND v.deleted_at IS NULL
            AND p.sale_price_won::bigint + v.additional_price_won < 10)
      THEN ${REFUSE('A variant')}; END IF;
      RETURN NULL; END $$`);
    this.addSql(`CREATE FUNCTION check_night_prices() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$ BEGIN
      IF EXISTS (SELECT 1 FROM written n JOIN variant v USING (store_id, variant_id)
          WHERE v.deleted_at IS NULL AND v.additional_price_won < 0 AND n.price_won::bigint + v.additional_price_won < 10)
      THEN ${REFUSE('A night')}; END IF;
      RETURN NULL; END $$`);
    this.addSql(`CREATE FUNCTION check_changed_nights() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$ BEGIN
      IF EXISTS (SELECT 1 FROM written n JOIN variant v USING (store_id, variant_id) JOIN former f USING (store_id, variant_id, night)
          WHERE n.price_won IS DISTINCT FROM f.price_won AND v.deleted_at IS NULL AND v.additional_price_won < 0
            AND n.price_won::bigint + v.additional_price_won < 10)
      THEN ${REFUSE('A night')}; END IF;
      RETURN NULL; END $$`);
    for (const [name, on, table, when, work] of [
      ['variant_price_of_new', 'INSERT', 'variant', 'NEW.additional_price_won < 0', 'check_variant_price'],
      [
        'variant_price',
        'UPDATE OF additional_price_won',
        'variant',
        'NEW.additional_price_won < OLD.additional_price_won',
        'check_variant_price',
      ],
      ['product_price', 'UPDATE OF sale_price_won', 'product', 'NEW.sale_price_won < OLD.sale_price_won', 'check_product_price'],
    ])
      this.addSql(`CREATE CONSTRAINT TRIGGER ${name} AFTER ${on} ON ${table} DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${work}()`);
    this.addSql(`CREATE TRIGGER night_price_of_new AFTER INSERT ON variant_night REFERENCING NEW TABLE AS written
      FOR EACH STATEMENT EXECUTE FUNCTION check_night_prices()`);
    this.addSql(`CREATE TRIGGER night_price AFTER UPDATE ON variant_night REFERENCING NEW TABLE AS written OLD TABLE AS former
      FOR EACH STATEMENT EXECUTE FUNCTION check_changed_nights()`);
  }
}
