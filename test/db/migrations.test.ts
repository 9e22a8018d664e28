/** A database that has been in use is brought to the newest schema with everything in it. */
import { expect, test } from '@jest/globals';
import { Client } from 'pg';
import { createDatabase } from '../kernel/database.ts';
import { migrate } from '../../db/migrate.ts';
import { Thread0001 } from '../../db/migrations/0001_thread.ts';

test('orders of before 0002 get the bundles that they were priced with; guest sessions of before 0004 live on', async () => {
  const url = await createDatabase('migrate');
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('GRANT CREATE, USAGE ON SCHEMA public TO sangjeom_lookup');
  const first = new Thread0001(undefined as never, undefined as never);
  first.up();
  for (const query of first.getQueries()) await client.query(query as string);
  await client.query('CREATE TABLE mikro_orm_migrations (id serial PRIMARY KEY, name varchar(255), executed_at timestamptz DEFAULT now())');
  await client.query(`INSERT INTO mikro_orm_migrations (name) VALUES ('0001_thread')`);
  const line = (fee: number, free: number | null) => ({ deliveryFeeWon: fee, conditionalFreeWon: free });
  const lines = JSON.stringify([line(3000, null), line(2500, 30_000), line(3000, null)]);
  await client.query(`INSERT INTO store (store_id, store_code, name, sandbox, created_at) VALUES ('s', 's', 's', true, now())`);
  // A session of before counts as used: it must not end after a day (0004).
  await client.query(`INSERT INTO guest_session VALUES ('s', 'g', '\\x01', now() - interval '3 days', now() + interval '27 days')`);
  await client.query(
    `INSERT INTO checkout (store_id, checkout_id, session_id, status, lines, expires_at, created_at) VALUES ('s', 'c', 'g', 'OPEN', '[]', now(), now())`,
  );
  await client.query(
    `INSERT INTO payment (store_id, payment_id, checkout_id, order_no, status, result, lines, amounts, delivery, total_won, return_url, buyer,
       order_password_hash, current_attempt_id, attempt_count, test_payment, expires_at, created_at)
     VALUES ('s', 'p', 'c', '1', 'completed', 'COMPLETED', $1, '{}', '{}', 1, '', '{}', '', '', 1, true, now(), now())`,
    [lines],
  );
  await client.query(
    `INSERT INTO orders (store_id, order_id, order_no, checkout_id, payment_id, pg, method, buyer, order_password_hash, amounts, delivery,
       total_won, test_payment, requires_shipping, representative_status, progress_status, ordered_at, last_changed_at)
     VALUES ('s', 'o', '1', 'c', 'p', 't', 'CARD', '{}', '', '{}', '{}', 1, true, true, 'PAID', 'PAID', now(), now())`,
  );
  for (const [position, bundle] of [
    [1, 1],
    [2, 2],
    [3, 1],
  ] as const)
    await client.query(
      `INSERT INTO order_item (store_id, order_item_id, order_item_no, order_id, position, product_id, variant_id, product_name, unit_price_won,
         quantity, total_price_won, status, bundle_no, fulfillment_snapshot, flow_key, flow_version, flow_state, last_changed_at)
       VALUES ('s', $1, $1, 'o', $2, 'x', 'v', 'n', 30000, 1, 30000, 'PAID', $3, '{}', 'shipping-standard', 1, '{}', now())`,
      [`i${position}`, position, bundle],
    );

  await migrate(url);
  const { rows } = await client.query(
    'SELECT bundle_no, base_fee_won, surcharge_won, conditional_free_won, rule_fee_won FROM order_bundle ORDER BY 1',
  );
  expect(rows).toEqual([
    { bundle_no: 1, base_fee_won: 3000, surcharge_won: 0, conditional_free_won: null, rule_fee_won: 3000 },
    { bundle_no: 2, base_fee_won: 0, surcharge_won: 0, conditional_free_won: 30_000, rule_fee_won: 2500 },
  ]);
  const loose = await client.query(
    `SELECT relname FROM pg_class WHERE relname IN ('guest_session', 'order_bundle', 'order_item', 'orders', 'payment') AND NOT relforcerowsecurity`,
  );
  expect(loose.rows).toEqual([]);
  const sessions = await client.query('SELECT used_at = created_at AS is_used FROM guest_session');
  expect(sessions.rows).toEqual([{ is_used: true }]);
  await client.end();
});
