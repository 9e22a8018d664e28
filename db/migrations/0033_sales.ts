import { Migration } from '@mikro-orm/migrations';
import { tenantTable } from './tenancy.ts';

/**
 * What the sales report adds up, and what the list of payments is filtered by (docs/contract.md#sales-report).
 *
 * `sales_sum` has, for a store's Korean day, provider and method, what was paid and what went back, written in the very transaction that
 * completes a payment or learns that a refund is done. A plain upsert would make the day's row a lock for which every completion and every
 * refund of a busy store waits until the one before it is on disk, and in which two transactions with two such rows could deadlock. So a
 * sum stands in as many rows (slots) as there were transactions at once: deferred triggers add to any slot that nobody has locked, and make
 * another where there is none. They never wait, they fire at the commit, so that a slot is held for the commit alone, and a report adds up
 * the few slots. Appended deltas would not wait either, but would need a job that folds them, and a report would cost what that job left.
 */
export class Sales0033 extends Migration {
  override up(): void {
    for (const sql of [...methods, ...lists, ...sums, ...finals, ...fill, ...tenancy]) this.addSql(sql);
  }
}

/**
 * A payment's provider and method: those of its last attempt, then of the approved one. Without an attempt it is of no provider and POINT,
 * and so it is where nothing was to be paid in the end. Set by triggers, so that processes of before write them too; a payment and its
 * first attempt are inserted in either order.
 */
const methods = [
  `ALTER TABLE payment NO FORCE ROW LEVEL SECURITY, ADD COLUMN pg text, ADD COLUMN method text NOT NULL DEFAULT 'POINT'`,
  'ALTER TABLE payment_attempt NO FORCE ROW LEVEL SECURITY',
  'ALTER TABLE refund NO FORCE ROW LEVEL SECURITY',
  `UPDATE payment p SET pg = a.pg, method = a.method FROM (
     SELECT DISTINCT ON (store_id, payment_id) store_id, payment_id, pg,
       CASE WHEN status = 'APPROVED' THEN coalesce(approved_method, method) ELSE method END AS method
     FROM payment_attempt ORDER BY store_id, payment_id, status = 'APPROVED' DESC, seq DESC) a
   WHERE p.store_id = a.store_id AND p.payment_id = a.payment_id AND NOT (p.status = 'completed' AND p.total_won = 0)`,
  `CREATE UNIQUE INDEX payment_attempt_approved ON payment_attempt (store_id, payment_id) WHERE status = 'APPROVED'`,
  `CREATE FUNCTION payment_paid_by() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     paid_by text := CASE WHEN NEW.status = 'APPROVED' THEN coalesce(NEW.approved_method, NEW.method) ELSE NEW.method END;
   BEGIN
     UPDATE payment SET pg = NEW.pg, method = paid_by
     WHERE store_id = NEW.store_id AND payment_id = NEW.payment_id AND (pg, method) IS DISTINCT FROM (NEW.pg, paid_by);
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION payment_after_attempt() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE
     last payment_attempt;
   BEGIN
     SELECT * INTO last FROM payment_attempt WHERE store_id = NEW.store_id AND payment_id = NEW.payment_id ORDER BY seq DESC LIMIT 1;
     IF FOUND THEN
       NEW.pg := last.pg;
       NEW.method := last.method;
     END IF;
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER payment_after_attempt BEFORE INSERT ON payment FOR EACH ROW EXECUTE FUNCTION payment_after_attempt()`,
  `CREATE TRIGGER payment_tried_by AFTER INSERT ON payment_attempt FOR EACH ROW EXECUTE FUNCTION payment_paid_by()`,
  `CREATE TRIGGER payment_paid_by AFTER UPDATE OF status ON payment_attempt FOR EACH ROW
     WHEN (NEW.status = 'APPROVED' AND OLD.status <> 'APPROVED') EXECUTE FUNCTION payment_paid_by()`,
  `CREATE FUNCTION payment_by_points() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     NEW.pg := NULL; NEW.method := 'POINT'; RETURN NEW; END $$`,
  `CREATE TRIGGER payment_by_points BEFORE INSERT OR UPDATE OF status ON payment FOR EACH ROW
     WHEN (NEW.status = 'completed' AND NEW.total_won = 0) EXECUTE FUNCTION payment_by_points()`,
];

/** Newest first, by each filter. Real payments have an index of their own: the list shows nothing else unless it is told to. */
const lists = [
  'CREATE INDEX payment_newest ON payment (store_id, created_at DESC, payment_id DESC)',
  'CREATE INDEX payment_newest_real ON payment (store_id, created_at DESC, payment_id DESC) WHERE NOT test_payment',
  ...['status', 'pg', 'method'].map(
    (column) => `CREATE INDEX payment_${column} ON payment (store_id, ${column}, created_at DESC, payment_id DESC) INCLUDE (test_payment)`,
  ),
  `CREATE INDEX refund_held ON refund (store_id, payment_id) WHERE status = 'HELD'`,
];

const KEY = 'store_id, day, pg, method, is_test, slot';
const AMOUNTS = ['payment_count', 'payment_won', 'point_won', 'refund_count', 'refund_won'] as const;
const pointWon = `coalesce((p.amounts ->> 'pointAmount')::bigint, 0)`;
/** `pg` is empty where nothing was paid in cash. The Korean day is that of domain/kernel/time.ts, in every year. */
const sums = [
  `CREATE TABLE sales_sum (
    store_id text NOT NULL REFERENCES store, day date NOT NULL, pg text NOT NULL, method text NOT NULL, is_test boolean NOT NULL,
    slot bigint NOT NULL, ${AMOUNTS.map((amount) => `${amount} bigint NOT NULL DEFAULT 0`).join(', ')}, PRIMARY KEY (${KEY}))
   WITH (fillfactor = 50)`,
  `CREATE FUNCTION korean_day(at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE
   RETURN (at AT TIME ZONE 'UTC' + interval '9 hours')::date`,
  `CREATE FUNCTION add_sale(paid payment, on_day date, n_paid bigint, n_refunded bigint, back_won bigint)
   RETURNS void LANGUAGE plpgsql AS $$
   DECLARE
     free bigint;
   BEGIN
     SELECT slot INTO free FROM sales_sum WHERE store_id = paid.store_id AND day = on_day AND pg = coalesce(paid.pg, '')
       AND method = paid.method AND is_test = paid.test_payment LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
     INSERT INTO sales_sum AS s (${KEY}, ${AMOUNTS.join(', ')})
     SELECT paid.store_id, on_day, coalesce(p.pg, ''), p.method, p.test_payment, coalesce(free, pg_current_xact_id()::text::bigint),
       n_paid, n_paid * p.total_won, n_paid * ${pointWon}, n_refunded, back_won FROM (SELECT paid.*) p
     ON CONFLICT (${KEY}) DO UPDATE SET ${AMOUNTS.map((amount) => `${amount} = s.${amount} + excluded.${amount}`).join(', ')};
   END $$`,
  `CREATE FUNCTION payment_sold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     PERFORM add_sale(p, korean_day(p.completed_at), 1, 0, 0) FROM payment p
     WHERE p.store_id = NEW.store_id AND p.payment_id = NEW.payment_id;
     RETURN NULL; END $$`,
  `CREATE FUNCTION refund_done() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     PERFORM add_sale(p, korean_day(NEW.settled_at), 0, 1, NEW.amount_won) FROM payment p
     WHERE p.store_id = NEW.store_id AND p.payment_id = NEW.payment_id;
     RETURN NULL; END $$`,
  ...(
    [
      ['payment', 'payment_sold', 'completed'],
      ['refund', 'refund_done', 'DONE'],
    ] as const
  ).flatMap(([table, name, status]) => [
    `CREATE CONSTRAINT TRIGGER ${name}_at_once AFTER INSERT ON ${table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
       WHEN (NEW.status = '${status}') EXECUTE FUNCTION ${name}()`,
    `CREATE CONSTRAINT TRIGGER ${name} AFTER UPDATE OF status ON ${table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
       WHEN (NEW.status = '${status}' AND OLD.status <> '${status}') EXECUTE FUNCTION ${name}()`,
  ]),
];

/** What was counted stays what it is: no completed payment and no refund that is done changes in what the report says of it. */
const finals = [
  `CREATE FUNCTION refuse_recount() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
     RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation',
       MESSAGE = format('%s %s is in the sales report and final', TG_TABLE_NAME, to_jsonb(OLD) ->> TG_ARGV[0]);
   END $$`,
  ...(
    [
      ['payment', 'completed', ['status', 'completed_at', 'total_won', 'amounts', 'test_payment']],
      ['refund', 'DONE', ['status', 'settled_at', 'amount_won', 'payment_id']],
    ] as const
  ).map(([table, status, columns]) => {
    const row = (which: string) => columns.map((column) => `${which}.${column}`).join(', ');
    return `CREATE TRIGGER ${table}_final BEFORE UPDATE OF ${columns.join(', ')} ON ${table} FOR EACH ROW
      WHEN (OLD.status = '${status}' AND (${row('NEW')}) IS DISTINCT FROM (${row('OLD')}))
      EXECUTE FUNCTION refuse_recount('${table}_id')`;
  }),
];

/** The triggers stand, so that nothing is written meanwhile: what there is, is counted once. */
const fill = [
  `INSERT INTO sales_sum (${KEY}, ${AMOUNTS.join(', ')})
   SELECT store_id, day, coalesce(pg, ''), method, test_payment, 0, sum(n_paid), sum(won), sum(points), sum(n_back), sum(back) FROM (
     SELECT p.store_id, korean_day(p.completed_at) AS day, p.pg, p.method, p.test_payment, 1 AS n_paid, p.total_won AS won,
       ${pointWon} AS points, 0 AS n_back, 0 AS back
     FROM payment p WHERE p.status = 'completed' AND p.completed_at IS NOT NULL
     UNION ALL
     SELECT p.store_id, korean_day(r.settled_at), p.pg, p.method, p.test_payment, 0, 0, 0, 1, r.amount_won
     FROM refund r JOIN payment p USING (store_id, payment_id) WHERE r.status = 'DONE' AND r.settled_at IS NOT NULL) sale
   GROUP BY 1, 2, 3, 4, 5`,
];

const tenancy = [
  ...tenantTable('sales_sum', 'SELECT, INSERT, UPDATE'),
  ...['payment', 'payment_attempt', 'refund'].map((table) => `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`),
];
