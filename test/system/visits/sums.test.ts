/**
 * Reports of visits are what adding up the recorded events one by one makes: in whatever order they were committed and counted, by however
 * many at once, on both sides of Korean midnight, in any period. VISIT_CASES=1000 for more; a failure is shrunk and prints its seed.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Pool } from 'pg';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { inTenant, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { countVisits } from '../../../db/visits/counting.ts';
import { listProducts, listSources, readOverview, type VisitFilter } from '../../../db/visits/lists.ts';
import { recordVisit } from '../../../db/visits/record.ts';
import { DAY, HOUR } from '../../../domain/kernel/time.ts';
import { overviewOf } from '../../../domain/visits/overview.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { type Batch, periodAt, plainOverview, plainProducts, plainSources, type Recorded, somePeriods, someParts } from './plain.ts';

const CASES = Number(process.env['VISIT_CASES'] ?? 40);
const MIDNIGHT = Date.parse('2026-03-01T00:00:00+09:00');
const LATER = MIDNIGHT + 10 * DAY;
let url: string;
let pool: Pool;
let orm: MikroORM;

beforeAll(async () => {
  url = await migratedDatabase('visits');
  pool = new Pool({ connectionString: url, max: 2 });
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 4);
}, 60_000);
afterAll(async () => {
  await Promise.all([pool.end(), orm.close()]);
});

let made = 0;
async function newStore(): Promise<string> {
  const { storeId } = await makeStore(url, { code: `visits-${made++}`, name: 'n', sandbox: true, withProduct: false });
  const client = await pool.connect();
  // Products are of no category here.
  await client.query('BEGIN; SET LOCAL session_replication_role = replica');
  for (const [n, productId] of ['prd_a', 'prd_b', 'prd_c'].entries())
    await client.query(
      `INSERT INTO product (store_id, product_id, product_no, name, description, images, sale_price_won, category_id, status,
         inventory_mode, delivery_type, delivery_fee_won, fulfillment_type, methods, option_groups, version, next_variant_seq, created_at,
           updated_at)
       VALUES ($1, $2, $3, $2, '', '{}', 1000, 'c', 'SALE', 'COUNT', 'FREE', 0, 'SHIPPING', '{}', '[]', 1, 1, now(), now())`,
      [storeId, productId, n + 1],
    );
  await client.query('COMMIT');
  client.release();
  return storeId;
}
const at = <T>(storeId: string, time: number, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTenant(orm, { storeId, at: time, realNow: Date.now() }, REQUEST, work);
const record = (storeId: string, { at: time, visitorId, sessionId, events, isTest }: Batch) =>
  at(storeId, MIDNIGHT + time, (tx) => recordVisit(tx, { visitorId, sessionId }, events, { isTest }));
async function count(storeId: string, time = LATER): Promise<void> {
  let isDone = false;
  while (!isDone) isDone = await at(storeId, time, countVisits);
}
const recorded = async (storeId: string): Promise<Recorded[]> =>
  (
    await pool.query<Recorded & Record<string, unknown>>(
      'SELECT *, created_at AS at FROM visit_event WHERE store_id = $1 ORDER BY created_at, batch_id, position',
      [storeId],
    )
  ).rows;

/** Days on which anything counts. */
const happened = <D extends { readonly date: string }>(days: readonly D[]): D[] =>
  days.filter((day) => Object.values(day).some((n) => typeof n === 'number' && n !== 0));

async function reports(storeId: string, filter: VisitFilter) {
  const page = { ...filter, page: 1, size: 100 };
  const [overview, products, sources] = await at(
    storeId,
    LATER,
    async (tx) => [await readOverview(tx, filter), await listProducts(tx, page), await listSources(tx, page)] as const,
  );
  const { totals, days } = overviewOf(filter, overview.days);
  return { totals, days: happened(days), products: products.items, sources: sources.items };
}
const plain = (events: readonly Recorded[], filter: VisitFilter) => {
  const { totals, days } = plainOverview(events, filter);
  const hasAny = ({ productViews, cartAdds, purchaseQuantity, purchaseAmount }: ReturnType<typeof plainProducts>[number]) =>
    productViews + cartAdds + purchaseQuantity + purchaseAmount > 0;
  return { totals, days: happened(days), products: plainProducts(events, filter).filter(hasAny), sources: plainSources(events, filter) };
};

test('reports are what adding up events one by one makes', async () => {
  await fc.assert(
    fc.asyncProperty(someParts, somePeriods, async (parts, periods) => {
      const storeId = await newStore();
      for (const { batches, counters } of parts) {
        for (const one of batches) await record(storeId, one);
        await Promise.all(Array.from({ length: counters }, () => count(storeId)));
      }
      const events = await recorded(storeId);
      for (const filter of periods.map((one) => periodAt(one, MIDNIGHT)))
        expect(await reports(storeId, filter)).toEqual(plain(events, filter));
    }),
    { numRuns: CASES },
  );
}, 600_000);

describe('counting', () => {
  const view = (time: number, sessionId: string, source: string): Batch => ({
    at: time,
    visitorId: 'v',
    sessionId,
    isTest: false,
    events: [{ type: 'PAGE_VIEW', path: '/', from: { source, medium: 'none' } }],
  });
  const all: VisitFilter = { from: '2026-02-20', to: '2026-03-10', includeTest: true };

  test('again changes nothing, and what rolls back was never counted', async () => {
    const storeId = await newStore();
    for (let n = 0; n < 5; n++) await record(storeId, view(n, `s${n}`, 'a'));
    const killed = at(storeId, LATER, async (tx) => {
      await countVisits(tx);
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    expect(await reports(storeId, all)).toEqual({ ...plain([], all) });
    for (let n = 0; n < 3; n++) await count(storeId);
    expect(await reports(storeId, all)).toEqual(plain(await recorded(storeId), all));
  });
  test('takes what had happened by its time, and leaves the rest to the next one', async () => {
    const storeId = await newStore();
    for (const time of [0, HOUR, HOUR + 1]) await record(storeId, view(time, `s${time}`, 'a'));
    await count(storeId, MIDNIGHT + HOUR);
    const { computedAt } = await at(storeId, LATER, (tx) => readOverview(tx, all));
    expect(computedAt).toBe(MIDNIGHT + HOUR);
    expect((await reports(storeId, all)).totals.sessions).toBe(2);
    // An earlier time, of a run that comes late, takes nothing back.
    await count(storeId, MIDNIGHT);
    expect((await at(storeId, LATER, (tx) => readOverview(tx, all))).computedAt).toBe(MIDNIGHT + HOUR);
    await count(storeId);
    expect((await reports(storeId, all)).totals.sessions).toBe(3);
  });
  test('of an event that was committed late moves its session to where that came from', async () => {
    const storeId = await newStore();
    await record(storeId, view(5, 's', 'second'));
    await record(storeId, { at: 9, visitorId: 'v', sessionId: 's', isTest: false, events: [{ type: 'PURCHASE', amountWon: 700 }] });
    await count(storeId);
    expect((await reports(storeId, all)).sources).toMatchObject([{ source: 'second', sessions: 1, purchaseAmount: 700 }]);
    await record(storeId, view(4, 's', 'first'));
    await count(storeId);
    expect((await reports(storeId, all)).sources).toMatchObject([{ source: 'first', sessions: 1, pageViews: 2, purchaseAmount: 700 }]);
  });
  test('goes on in portions, however much there is', async () => {
    const storeId = await newStore();
    const events = Array.from({ length: 100 }, (_, n) => ({ ...view(0, '', `source-${n % 7}`).events[0]! }));
    await Promise.all(Array.from({ length: 24 }, (_, n) => record(storeId, { ...view(n, `s${n}`, ''), events })));
    expect(await at(storeId, LATER, countVisits)).toBe(false);
    expect((await at(storeId, LATER, (tx) => readOverview(tx, all))).computedAt).toBe(null);
    await count(storeId);
    expect(await reports(storeId, all)).toEqual(plain(await recorded(storeId), all));
  });
});

test('a store counts and reads its own visits only', async () => {
  const [one, other] = [await newStore(), await newStore()];
  await record(one, { at: 0, visitorId: 'v', sessionId: 's', isTest: false, events: [{ type: 'CART_ADD', productId: 'prd_a' }] });
  await count(other);
  const { rows } = await pool.query('SELECT 1 FROM visit_batch WHERE store_id = $1', [one]);
  expect(rows).toHaveLength(1);
  await expect(
    at(
      one,
      0,
      ({ sql }) =>
        sql`INSERT INTO visit_sum (store_id, list, key, medium, day, is_test) VALUES (${other}, 'ALL', '', '', '2026-03-01', false)`,
    ),
  ).rejects.toThrow('row-level security');
  await expect(at(one, 0, ({ sql }) => sql`UPDATE visit_event SET type = 'PURCHASE'`)).rejects.toThrow('permission denied');
});
