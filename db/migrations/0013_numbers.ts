import { Migration } from '@mikro-orm/migrations';
import { lookupReads } from './tenancy.ts';

/**
 * One provider account may serve all stores, so what a provider knows us by is unique over all of them (X17): order numbers, provider
 * order ids, payment keys, and the ids that its idempotency keys are made of. Numbers that are there stay: where two stores have the
 * same, the later row says so, and only rows of before can.
 */
export class Numbers0013 extends Migration {
  override name = '0013_numbers';

  override up(): void {
    for (const sql of [...columns, ...earlierRows, ...indexes, ...taken]) this.addSql(sql);
  }
}

const columns = [
  'ALTER TABLE payment ADD shares_number boolean NOT NULL DEFAULT false',
  `ALTER TABLE payment_attempt ADD shares_number boolean NOT NULL DEFAULT false, ADD shares_key boolean NOT NULL DEFAULT false,
     ADD unknown_since timestamptz(3)`,
  'ALTER TABLE refund ADD asked_at timestamptz(3)',
];

/** Marks all rows but the first of each value. */
const share = (table: string, mark: string, value: string, at: string): string =>
  `UPDATE ${table} t SET ${mark} = true FROM (SELECT ctid AS place, row_number() OVER (PARTITION BY ${value} ORDER BY ${at}, store_id) AS n
     FROM ${table}) d WHERE d.place = t.ctid AND d.n > 1`;

/** Row security is lifted for the owner meanwhile. */
const TABLES = ['payment', 'payment_attempt'];
const earlierRows = [
  ...TABLES.map((table) => `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`),
  share('payment', 'shares_number', 'order_no', 'created_at'),
  share('payment_attempt', 'shares_number', 'pg, pg_order_id', 'started_at'),
  `${share('payment_attempt', 'shares_key', 'pg, payment_key', 'confirmed_at')} AND t.payment_key IS NOT NULL`,
  // A table with checks that still wait cannot be altered.
  'SET CONSTRAINTS ALL IMMEDIATE',
  ...TABLES.map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`),
];

const indexes = [
  'CREATE UNIQUE INDEX payment_number ON payment (order_no) WHERE NOT shares_number',
  'CREATE UNIQUE INDEX payment_attempt_number ON payment_attempt (pg, pg_order_id) WHERE NOT shares_number',
  'CREATE UNIQUE INDEX payment_attempt_key ON payment_attempt (pg, payment_key) WHERE payment_key IS NOT NULL AND NOT shares_key',
  'CREATE UNIQUE INDEX payment_attempt_everywhere ON payment_attempt (attempt_id)',
  'CREATE UNIQUE INDEX refund_everywhere ON refund (refund_id)',
  // Marked rows too are found when a number or a key is looked for.
  'CREATE INDEX payment_number_shared ON payment (order_no) WHERE shares_number',
  'CREATE INDEX payment_attempt_key_shared ON payment_attempt (pg, payment_key) WHERE shares_key',
];

/**
 * Whether any store has it; until the transaction ends nobody else is told otherwise. Each statement sees what was committed before it,
 * so the look comes after the lock.
 */
const taken = [
  ...lookupReads('payment_attempt'),
  ...question(
    'order_no_taken(number text)',
    'order_no_taken(text)',
    `PERFORM pg_advisory_xact_lock(hashtextextended('order-no/' || number, 0));
     RETURN EXISTS (SELECT 1 FROM payment p WHERE p.order_no = number AND NOT p.shares_number)
         OR EXISTS (SELECT 1 FROM payment p WHERE p.order_no = number AND p.shares_number);`,
  ),
  ...question(
    'payment_key_taken(known_pg text, known_key text, own_attempt text)',
    'payment_key_taken(text, text, text)',
    `PERFORM pg_advisory_xact_lock(hashtextextended('payment-key/' || known_pg || '/' || known_key, 0));
     RETURN EXISTS (SELECT 1 FROM payment_attempt a WHERE a.pg = known_pg AND a.payment_key = known_key AND NOT a.shares_key AND a.attempt_id <> own_attempt)
         OR EXISTS (SELECT 1 FROM payment_attempt a WHERE a.pg = known_pg AND a.payment_key = known_key AND a.shares_key AND a.attempt_id <> own_attempt);`,
  ),
];

/** A question about all stores that is answered yes or no; asked by the app, answered as `sangjeom_lookup`. */
function question(signature: string, name: string, body: string): string[] {
  return [
    `CREATE FUNCTION ${signature} RETURNS boolean LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public AS $$ BEGIN ${body} END $$`,
    `ALTER FUNCTION ${name} OWNER TO sangjeom_lookup`,
    `REVOKE ALL ON FUNCTION ${name} FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${name} TO sangjeom_app`,
  ];
}
