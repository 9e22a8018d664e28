import { Migration } from '@mikro-orm/migrations';
import { DEFINER } from './tenancy.ts';

/**
 * A payment key belongs to one attempt that may still be paid with it, or was (X17). An attempt that has ended keeps its key for its last
 * readings, and stands in no other's way: its buyer may have come back with a key of another payment.
 */
export class PaymentKeys0049 extends Migration {
  override up(): void {
    for (const sql of [...index, ...holder]) this.addSql(sql);
  }
}

const LIVE = `status IN ('OPEN', 'CONFIRMING', 'APPROVED')`;

const index = [
  'DROP INDEX payment_attempt_key',
  `CREATE UNIQUE INDEX payment_attempt_key ON payment_attempt (pg, payment_key) WHERE payment_key IS NOT NULL AND ${LIVE}`,
];

/** As `payment_key_taken` of 0009, which processes of the version before still call. */
const SIGNATURE = 'payment_key_holder(text, text, text)';
const holder = [
  `CREATE FUNCTION payment_key_holder(known_pg text, known_key text, own_attempt text) RETURNS text LANGUAGE plpgsql VOLATILE ${DEFINER}
   AS $$ BEGIN
     PERFORM pg_advisory_xact_lock(hashtextextended('payment-key/' || known_pg || '/' || known_key, 0));
     RETURN (SELECT a.status FROM payment_attempt a WHERE a.pg = known_pg AND a.payment_key = known_key AND a.attempt_id <> own_attempt
       AND a.${LIVE} LIMIT 1);
   END $$`,
  `ALTER FUNCTION ${SIGNATURE} OWNER TO sangjeom_lookup`,
  `REVOKE ALL ON FUNCTION ${SIGNATURE} FROM PUBLIC`,
  `GRANT EXECUTE ON FUNCTION ${SIGNATURE} TO sangjeom_app`,
];
