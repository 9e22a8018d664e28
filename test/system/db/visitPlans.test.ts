/** Reports of visits are one statement each, served by indexes among stores that each have much: by the plan of the very query. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { MikroORM } from '@mikro-orm/postgresql';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { newId } from '../../../db/kernel/clock.ts';
import { inTenant, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { countVisits, isDue } from '../../../db/visits/counting.ts';
import { readBatches, readEarlier } from '../../../db/visits/events.ts';
import { listProducts, listSources, readOverview } from '../../../db/visits/lists.ts';
import { DAY, koreanDate } from '../../../domain/kernel/time.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { tenancy } from '../../kernel/tenancy.ts';
import { indexesOf, scansOf } from './plan.ts';

const LARGE: ReadonlySet<string> = new Set(['visit_event', 'visit_batch', 'visit_session', 'visit_member', 'visit_distinct', 'visit_sum']);
const NOW = Date.now();
let orm: MikroORM;
let storeId: string;
let batchId: string;

beforeAll(async () => {
  const url = await migratedDatabase('visitplans');
  const owner = new Client({ connectionString: url });
  await owner.connect();
  await owner.query('SET session_replication_role = replica');
  batchId = newId('vis', NOW);
  for (let s = 0; s < 4; s++) {
    ({ storeId } = await makeStore(url, { code: `plans-${s}`, name: 'n', sandbox: true, withProduct: false }));
    const day = `to_timestamp(${NOW / 1000})::date - n % 400`;
    const list = `(ARRAY['PRODUCT', 'SOURCE', 'PRODUCT_VISITOR', 'SOURCE_VISITOR', 'SOURCE_SESSION'])[1 + n % 5]`;
    await owner.query(
      `INSERT INTO visit_sum (store_id, list, key, medium, day, is_test, page_views)
       SELECT $1, ${list}, 'key-' || n, '', ${day}, false, 1 FROM generate_series(1, 4000) n
       UNION ALL SELECT $1, 'ALL', '', '', ${day}, false, 1 FROM generate_series(1, 400) n`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO visit_distinct (store_id, list, key, medium, day, day_before, n)
       SELECT $1, ${list}, 'key-' || n, '', ${day}, '-infinity'::date, 1 FROM generate_series(1, 4000) n
       UNION ALL SELECT $1, l, '', '', ${day}, '-infinity'::date, 1 FROM generate_series(1, 400) n, unnest(ARRAY['VISITOR', 'SESSION']) l`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO visit_member (store_id, list, key, medium, who, day, n, created_at)
       SELECT $1, 'VISITOR', '', '', visit_key(n::text), ${day}, 1, now() FROM generate_series(1, 4000) n`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO visit_session SELECT $1, visit_key('s' || n), now(), $2, 0, 'direct', 'none' FROM generate_series(1, 4000) n`,
      [storeId, batchId],
    );
    await owner.query(
      `INSERT INTO visit_event (store_id, batch_id, position, type, created_at, visitor_id, session_id)
       SELECT $1, $2 || n, 0, 'PAGE_VIEW', now(), 'v' || n, 's' || n FROM generate_series(1, 4000) n`,
      [storeId, batchId],
    );
    await owner.query(`INSERT INTO visit_batch SELECT $1, now() + n * interval '1 second', $2 || n, 1 FROM generate_series(1, 4000) n`, [
      storeId,
      batchId,
    ]);
  }
  await owner.query('ANALYZE');
  await owner.end();
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
}, 120_000);
afterAll(() => orm.close());

const period = (days: number) => ({ from: koreanDate(NOW - (days - 1) * DAY), to: koreanDate(NOW), includeTest: false, page: 1, size: 20 });
const REPORTS: Readonly<Record<string, (tx: Tx, days: number) => Promise<unknown>>> = {
  overview: (tx, days) => readOverview(tx, period(days)),
  products: (tx, days) => listProducts(tx, period(days)),
  sources: (tx, days) => listSources(tx, period(days)),
};

test.each(Object.entries(REPORTS))('%s: one statement, and an index for its list and days', async (_, report) => {
  for (const days of [30, 366]) expect(await scansOf(orm, storeId, LARGE, (tx) => report(tx, days))).toEqual([]);
  const found = await indexesOf(orm, storeId, (tx) => report(tx, 30));
  expect(found.filter((name) => /^visit_(?:sum|distinct)_(?:day|pkey)$/.test(name)).length).toBeGreaterThanOrEqual(2);
  const statements = await inTenant(orm, tenancy(storeId), REQUEST, async (tx) => {
    let sent = 0;
    const sql: Tx['sql'] = (strings, ...values) => {
      sent++;
      return tx.sql(strings, ...values);
    };
    await report({ ...tx, sql }, 30);
    return sent;
  });
  expect(statements).toBe(1);
});

test('counting reads what it counts, however much there is', async () => {
  const work: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
    due: isDue,
    count: countVisits,
    batches: (tx) => readBatches(tx, [{ batch_id: `${batchId}7` }]),
    earlier: (tx) => readEarlier(tx, ['s7'], [{ batch_id: `${batchId}7` }]),
  };
  for (const [name, task] of Object.entries(work)) expect([name, await scansOf(orm, storeId, LARGE, task)]).toEqual([name, []]);
});
