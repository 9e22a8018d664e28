/** Every filter of the histories of points is served by an index, among stores that each have much: by the plan of the very query. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { MikroORM } from '@mikro-orm/postgresql';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { newId } from '../../../db/kernel/clock.ts';
import type { Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { expiringMembers, nextExpiry } from '../../../db/points/expiry.ts';
import { grantPoints, readBalance, reservePoints, restoreExpiry } from '../../../db/points/ledger.ts';
import { type HistoryFilter, listHistory, readPoints } from '../../../db/points/queries.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { indexesOf, scansOf } from './plan.ts';

const LARGE: ReadonlySet<string> = new Set(['point_history', 'point_lot', 'point_movement', 'point_account']);
const ENTRIES = 4000;
const NOW = Date.now();
let orm: MikroORM;
let storeId: string;

beforeAll(async () => {
  const url = await migratedDatabase('pointplans');
  const owner = new Client({ connectionString: url });
  await owner.connect();
  await owner.query('SET session_replication_role = replica');
  for (let s = 0; s < 4; s++) {
    ({ storeId } = await makeStore(url, { code: `plans-${s}`, name: 'n', sandbox: true, withProduct: false }));
    const at = `to_timestamp(${NOW / 1000}) - n * interval '1 minute'`;
    const ids = [storeId, newId('pth', NOW)];
    await owner.query(`INSERT INTO point_account SELECT $1, 'cus_' || n, 100, 20 FROM generate_series(0, 199) n`, [storeId]);
    await owner.query(
      `INSERT INTO point_history (store_id, history_id, customer_id, seq, type, amount_won, balance_won, payment_id, created_at)
       SELECT $1, $2 || n, 'cus_' || n % 200, n, (ARRAY['ADJUST', 'OPENING', 'USE_RELEASE'])[1 + (n % 50 = 0)::int + (n % 100 = 0)::int], 5,
         5, CASE WHEN n % 10 = 0 THEN 'pay_' || n END, ${at} FROM generate_series(1, ${ENTRIES}) n`,
      ids,
    );
    await owner.query(
      `INSERT INTO point_lot SELECT $1, 'lot_' || n, 'cus_' || n % 200, $2 || n, n, 'ADJUST', 5, 5 * (n % 20 = 0)::int, 0, ${at},
         ${at} + interval '1 day' FROM generate_series(1, ${ENTRIES}) n`,
      ids,
    );
    await owner.query(`INSERT INTO point_movement SELECT $1, $2 || n, 'lot_' || n, 5 FROM generate_series(1, ${ENTRIES}) n`, ids);
  }
  await owner.query('ANALYZE');
  await owner.end();
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
}, 120_000);
afterAll(() => orm.close());

const FILTERS: Readonly<Record<string, readonly [filter: Partial<HistoryFilter>, index: string]>> = {
  'without a filter': [{}, 'newest'],
  'behind an entry': [{ after: { at: NOW - 60_000, seq: 5, historyId: 'pth_x' } }, 'newest'],
  'by member': [{ customerId: 'cus_7' }, 'customer'],
  'by type': [{ types: ['USE_RELEASE'] }, 'type'],
  'by types': [{ types: ['USE_RELEASE', 'OPENING'] }, 'type'],
  'by member and type': [{ customerId: 'cus_7', types: ['ADJUST'] }, 'customer|once|type'],
  'by period': [{ from: NOW - 3_600_000, to: NOW - 1_800_000 }, 'newest'],
};
test.each(Object.entries(FILTERS))('history %s', async (_, [filter, index]) => {
  const list = (tx: Tx) => listHistory(tx, { page: 1, size: 20, ...filter });
  const found = await indexesOf(orm, storeId, list);
  const served = new RegExp(`point_history_(?:${index})`);
  expect(found.filter((name) => name.startsWith('point_history'))).toEqual(expect.arrayContaining([expect.stringMatching(served)]));
});

test('nothing of the ledger is read without an index', async () => {
  const work: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
    points: (tx) => readPoints(tx, 'cus_7'),
    balance: (tx) => readBalance(tx, 'cus_7'),
    reserve: (tx) => reservePoints(tx, { customerId: 'cus_7', paymentId: 'pay_x', amountWon: 1 }),
    grant: (tx) =>
      grantPoints(tx, {
        customerId: 'cus_7',
        type: 'EARN_REVIEW',
        reviewId: 'r',
        orderItemId: 'i',
        amountWon: 1,
        expiresAt: new Date(NOW),
      }),
    restore: (tx) => restoreExpiry(tx, 'pay_10', NOW),
    due: (tx) => expiringMembers(tx),
    next: (tx) => nextExpiry(tx, NOW, NOW + 1),
  };
  for (const [name, run] of Object.entries(work)) expect([name, await scansOf(orm, storeId, LARGE, run)]).toEqual([name, []]);
});
