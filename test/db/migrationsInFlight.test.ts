/** Payments that were in flight when a migration came. */
import { expect, test } from '@jest/globals';
import { Client } from 'pg';
import { migrate } from '../../db/migrate.ts';
import { openOrm } from '../../db/orm.ts';
import { inTenant, TRANSITION } from '../../db/kernel/tx.ts';
import { transitionPayment } from '../../db/payments/transition.ts';
import { createDatabase, roleUrl } from '../kernel/database.ts';

test('an approval under a key that another attempt had first pays nothing and is not voided, looked up in time or late', async () => {
  const url = await createDatabase('in_flight');
  await migrate(url);
  const owner = new Client({ connectionString: url });
  await owner.connect();
  const orm = await openOrm(roleUrl(url, 'sangjeom_app'), 1);
  const call = JSON.stringify({ id: 'read-att-950', kind: 'read', attemptId: 'att', dueAt: 0 });
  await owner.query(`INSERT INTO store (store_id, store_code, name, sandbox, created_at) VALUES ('s', 's', 's', true, now())`);
  await owner.query(
    `INSERT INTO checkout (store_id, checkout_id, session_id, status, lines, expires_at, created_at) VALUES ('s', 'c', 'g', 'OPEN', '[]', now(), now())`,
  );
  await owner.query(
    `INSERT INTO payment (store_id, payment_id, checkout_id, order_no, status, result, lines, amounts, delivery, total_won, return_url, buyer,
       current_attempt_id, attempt_count, test_payment, expires_at, created_at, call)
     VALUES ('s', 'p', 'c', '1', 'processing', 'PROCESSING', '[]', '{}', '{}', 1, '', '{}', 'att', 1, true, now() + interval '5 minutes', now(), $1)`,
    [call],
  );
  await owner.query(
    `INSERT INTO payment_attempt (store_id, attempt_id, payment_id, seq, pg, method, pg_order_id, amount_won, return_url, status, payment_key,
       shares_key, is_unknown, started_at, confirmed_at)
     VALUES ('s', 'att', 'p', 1, 'tosspayments', 'CARD', '1-01', 1, '', 'CONFIRMING', 'key', true, true, now(), now())`,
  );
  const now = Date.now();
  const approve = () => {
    const outcome = { result: 'APPROVED', code: 'DONE', ended: true, approvedMethod: 'CARD' };
    const event = { type: 'outcome', callId: 'read-att-950', outcome } as const;
    return inTenant(
      orm,
      's',
      TRANSITION,
      async (em) => (await transitionPayment(em, { storeId: 's', entityId: 'p' }, event, now, now))?.alarms,
    );
  };
  const alarm = [{ kind: 'mismatch', operation: 'read', id: 'att' }];
  const state = async () =>
    (await owner.query('SELECT p.status, a.status AS attempt, order_id, call FROM payment p JOIN payment_attempt a USING (payment_id)'))
      .rows;
  try {
    expect(await approve()).toEqual(alarm);
    expect(await state()).toEqual([{ status: 'pending', attempt: 'DECLINED', order_id: null, call: null }]);
    await owner.query(`UPDATE payment SET status = 'expired', call = $1`, [call]);
    expect(await approve()).toEqual(alarm);
    expect(await state()).toEqual([{ status: 'expired', attempt: 'DECLINED', order_id: null, call: null }]);
  } finally {
    await orm.close();
    await owner.end();
  }
}, 60_000);
