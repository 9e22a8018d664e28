/** The seller's list of claims and its filters, the detail, and what buyers may do about claims (issue 19, point 5). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { type ClaimFilter, listClaims } from '../../../db/claims/queries.ts';
import type { Tx } from '../../../db/kernel/tx.ts';
import { viewClaims } from '../../../db/claims/views.ts';
import { openOrm } from '../../../db/orm.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { indexesOf, scansOf } from '../db/plan.ts';
import { type Bought, ClaimShop, codeOf, dataOf, MANUAL, MIND, PICKUP } from './shop.ts';

describe('the list', () => {
  let shop: ClaimShop;
  /** Claims by what they wait for, in the order of their filing. */
  let claims: Readonly<Record<'requested' | 'held' | 'collecting' | 'collected' | 'completed' | 'withdrawn', string>>;
  let order: Bought;
  beforeAll(async () => {
    shop = await ClaimShop.open();
    order = await shop.buyAll(
      'DELIVERED',
      Array.from({ length: 5 }, () => ({})),
    );
    const [a, b, c, d, e] = order.itemIds as [string, string, string, string, string];
    const requested = await shop.filed(a, { type: 'RETURN' });
    const held = await shop.filed(b, { type: 'EXCHANGE' });
    await shop.acted(held, 'hold', { reason: '확인 중입니다' });
    const collecting = await shop.filed(c, { type: 'RETURN' });
    await shop.acted(collecting, 'collect', PICKUP);
    const collected = await shop.collected(d, { type: 'EXCHANGE' });
    const withdrawn = await shop.filed(e, { type: 'RETURN' });
    await shop.withdraw(withdrawn);
    const completed = await shop.filed((await shop.buy()).orderItemId, { type: 'CANCEL' });
    claims = { requested, held, collecting, collected, completed, withdrawn };
  });
  const page = async (search: string) =>
    dataOf(await shop.world.seller.call('GET', `/v1/claims${search}`)) as {
      items: { claimId: string }[];
      total: number;
      nextCursor: string | null;
    };
  const ids = async (search: string) => (await page(search)).items.map(({ claimId }) => claimId);

  test('is newest first, with its total', async () => {
    const { items, total, nextCursor } = await page('');
    expect(items.map(({ claimId }) => claimId)).toEqual([
      claims.completed,
      claims.withdrawn,
      claims.collected,
      claims.collecting,
      claims.held,
      claims.requested,
    ]);
    expect([total, nextCursor]).toEqual([6, null]);
    expect(items[0]).toEqual(await shop.claim(claims.completed));
    expect(items[2]).toEqual(await shop.claim(claims.collected));
  });
  test('takes statuses separated by commas: what waits for the seller, and what is on its way', async () => {
    expect(await ids('?status=REQUESTED,COLLECTED')).toEqual([claims.collected, claims.requested]);
    expect(await ids('?status=HELD,COLLECTING,REDELIVERING')).toEqual([claims.collecting, claims.held]);
    expect(await ids('?status=COLLECTED,REQUESTED,COLLECTED')).toEqual([claims.collected, claims.requested]);
    expect((await page('?status=REQUESTED,COLLECTED&size=1')).total).toBe(2);
    expect((await page('?status=REJECTED')).total).toBe(0);
  });
  test('takes type, order and order item, alone and together', async () => {
    expect(await ids('?type=EXCHANGE')).toEqual([claims.collected, claims.held]);
    expect((await page(`?orderId=${order.orderId}`)).total).toBe(5);
    expect(await ids(`?orderItemId=${order.itemIds[1]!}`)).toEqual([claims.held]);
    expect(await ids(`?orderId=${order.orderId}&type=RETURN&status=REQUESTED,WITHDRAWN`)).toEqual([claims.withdrawn, claims.requested]);
    expect(await page('?orderId=ord_none&size=1')).toMatchObject({ items: [], total: 0, nextCursor: null });
  });
  test.each([
    'status=LOST',
    'status=REQUESTED,LOST',
    'status=',
    'status=REQUESTED,',
    'status=requested',
    'status=REQUESTED%20',
    'type=REFUND',
    'type=',
  ])('%s is INVALID_PARAMETER', async (search) => {
    const { status, body } = await shop.world.seller.call('GET', `/v1/claims?${search}`);
    expect([status, body.error?.code, body.error?.details]).toEqual([400, 'INVALID_PARAMETER', { parameter: search.split('=')[0] }]);
  });
  test.each(['cursor=x', 'size=0', 'size=101', 'page=0', `orderId=${'x'.repeat(65)}`])('%s is VALIDATION_FAILED', async (search) => {
    expect(codeOf(await shop.world.seller.call('GET', `/v1/claims?${search}`))).toEqual([400, 'VALIDATION_FAILED']);
  });
  test('is read on from a cursor, with its filter, and page by page, without a gap', async () => {
    for (const filter of ['', '&type=RETURN', `&orderId=${order.orderId}`, '&status=REQUESTED,HELD,COLLECTED']) {
      const all = await ids(`?size=100${filter}`);
      const read: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const found = await page(`?size=2${filter}${cursor && `&cursor=${cursor}`}`);
        expect([filter, found.total]).toEqual([filter, all.length]);
        read.push(...found.items.map(({ claimId }) => claimId));
        cursor = found.nextCursor;
      }
      expect(read).toEqual(all);
      expect([...(await ids(`?size=2&page=1${filter}`)), ...(await ids(`?size=2&page=2${filter}`))]).toEqual(all.slice(0, 4));
    }
  });
  test('a claim that there is not is CLAIM_NOT_FOUND', async () => {
    for (const id of ['clm_none', 'x', order.orderId])
      expect(codeOf(await shop.world.seller.call('GET', `/v1/claims/${id}`))).toEqual([404, 'CLAIM_NOT_FOUND']);
  });
});

test('an open claim shows what its approval would give back now, a closed one what it gave', async () => {
  const shop = await ClaimShop.open();
  const { itemIds } = await shop.buyAll('CONFIRMED', [{}, {}]);
  const [first, second] = [await shop.filed(itemIds[0]!, { type: 'CANCEL' }), await shop.filed(itemIds[1]!, { type: 'CANCEL' })];
  expect(await shop.claim(first)).toMatchObject({ expectedRefundAmount: 10_000, expectedDeliveryFeeRefundAmount: 0 });
  await shop.acted(second, 'approve');
  // The last of the bundle takes the fee with it.
  expect(await shop.claim(first)).toMatchObject({ expectedRefundAmount: 13_000, expectedDeliveryFeeRefundAmount: 3000, refundAmount: 0 });
  await shop.acted(first, 'approve', { deductAmount: 1000 });
  expect(await shop.claim(first)).toMatchObject({ expectedRefundAmount: 13_000, refundAmount: 12_000 });
  expect(await shop.claim(second)).toMatchObject({ expectedRefundAmount: 10_000, refundAmount: 10_000 });
});

describe('actions', () => {
  let shop: ClaimShop;
  beforeAll(async () => {
    shop = await ClaimShop.open();
  });
  const CLAIMS = new Set(['cancel', 'return', 'exchange', 'withdraw']);
  const actionsOf = async (bought: Bought) =>
    ((await shop.buyersItem(bought)).actions as { key: string; disabled: { reason: string } | null }[])
      .filter(({ key }) => CLAIMS.has(key))
      .map(({ key, disabled }) => [key, disabled?.reason ?? null]);
  test('of a buyer say what may be done, and why not', async () => {
    const bought = await shop.buy('DELIVERED');
    expect(await actionsOf(bought)).toEqual([
      ['return', null],
      ['exchange', null],
    ]);
    const claimId = await shop.filed(bought.orderItemId, { type: 'RETURN' });
    expect(await actionsOf(bought)).toEqual([
      ['return', 'CLAIM_IN_PROGRESS'],
      ['exchange', 'CLAIM_IN_PROGRESS'],
      ['withdraw', null],
    ]);
    await shop.acted(claimId, 'collect', PICKUP);
    expect((await actionsOf(bought)).at(-1)).toEqual(['withdraw', 'NOT_IN_STATE']);
    await shop.acted(claimId, 'collect/complete');
    await shop.acted(claimId, 'approve');
    expect(await actionsOf(bought)).toEqual([]);
    const provided = await shop.buy('DELIVERED', { product: MANUAL });
    expect(await actionsOf(provided)).toEqual([['return', null]]);
  });
  test('while a claim is open no flow action is enabled; the seller’s list has flow actions only', async () => {
    const bought = await shop.buy('CONFIRMED');
    await shop.filed(bought.orderItemId, { type: 'CANCEL' });
    const { actions } = (await shop.item(bought.orderItemId)) as { actions: { key: string; by: string; disabled: object }[] };
    expect(actions.map(({ key, disabled }) => [key, disabled])).toEqual([['dispatch', { reason: 'CLAIM_IN_PROGRESS' }]]);
    const flow = dataOf(await shop.world.seller.call('GET', `/v1/order-items/${bought.orderItemId}/flow`));
    expect(flow.actions.filter(({ key }: { key: string }) => CLAIMS.has(key))).toEqual([]);
    expect(flow.moveTargets).toEqual([]);
  });
  test('agree with what a preview says', async () => {
    const bought = await shop.buy('DISPATCHED');
    for (const [key, reason] of await actionsOf(bought)) {
      const reply = await shop.preview(bought.orderItemId, { type: (key as string).toUpperCase(), ...MIND });
      expect([key, codeOf(reply)[1]]).toEqual([key, reason ?? 'OK']);
    }
  });
});

describe('among stores that each have many claims', () => {
  const NOW = Date.now();
  const LARGE: ReadonlySet<string> = new Set(['claim', 'claim_step', 'orders', 'order_item']);
  let orm: MikroORM;
  let storeId: string;
  beforeAll(async () => {
    const url = await migratedDatabase('claimplans');
    const owner = new Client({ connectionString: url });
    await owner.connect();
    await owner.query('SET session_replication_role = replica');
    for (let s = 0; s < 6; s++) {
      ({ storeId } = await makeStore(url, { code: `claims-${s}`, name: 'n', sandbox: true, withProduct: false }));
      const at = `to_timestamp(${NOW / 1000}) - n * interval '1 minute'`;
      await owner.query(
        `INSERT INTO claim (store_id, claim_id, claim_no, type, status, order_id, order_no, order_item_id, variant_id, quantity, reason,
           images, is_shipped, delivery_fee_won, test_payment, requested_at, closed_at, last_changed_at)
         SELECT $1, 'clm_' || n, 'C' || n, (ARRAY['RETURN', 'EXCHANGE'])[1 + (n % 50 = 0)::int],
           (ARRAY['COMPLETED', 'REQUESTED'])[1 + (n % 50
           = 7)::int], 'ord_' || n / 3, 'n', 'oit_' || n / 2, 'v', 1, 'OTHER', '{}', true, 0, true, ${at}, CASE WHEN n % 50 = 7 THEN NULL ELSE
           ${at} END, ${at} FROM generate_series(1, 1500) n`,
        [storeId],
      );
      await owner.query(
        `INSERT INTO claim_step (store_id, claim_id, seq, name, by, at) SELECT $1, 'clm_' || n, 1, 'request', 'BUYER', ${at}
         FROM generate_series(1, 1500) n`,
        [storeId],
      );
      await owner.query(
        `INSERT INTO orders (store_id, order_id, order_no, checkout_id, payment_id, pg, method, buyer, amounts, delivery, total_won,
           test_payment, requires_shipping, representative_status, progress_status, ordered_at, last_changed_at)
         SELECT $1, 'ord_' || n, (26010100000000 + n)::text, 'c' || n, 'p' || n, 'x', 'CARD', '{}', '{}', '{}', 1, true, true, 'PAID',
           'PAID', ${at}, ${at} FROM generate_series(0, 500) n`,
        [storeId],
      );
      await owner.query(
        `INSERT INTO order_item (store_id, order_item_id, order_item_no, order_id, position, product_id, variant_id, product_name,
           unit_price_won, quantity, total_price_won, status, bundle_no, fulfillment_snapshot, flow_key, flow_version, flow_state,
           last_changed_at)
         SELECT $1, 'oit_' || n, (2601010000000000 + n)::text, 'ord_' || n / 2, n, 'p', 'v', 'n', 1, 1, 1, 'DELIVERED', 1,
           '{"type":"SHIPPING"}', 'shipping-standard', 1, '{}', ${at} FROM generate_series(0, 750) n`,
        [storeId],
      );
    }
    await owner.query('ANALYZE');
    await owner.end();
    orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
  }, 120_000);
  afterAll(() => orm.close());
  const after = { at: NOW - 3_600_000, id: 'clm_60' };
  const FILTERS: readonly (readonly [string, Partial<ClaimFilter>, RegExp])[] = [
    ['no filter', {}, /^claim_newest$/],
    ['a status', { statuses: ['REQUESTED'] }, /^claim_status$/],
    ['statuses', { statuses: ['REQUESTED', 'COLLECTED'] }, /^claim_status$/],
    ['a type', { type: 'EXCHANGE' }, /^claim_type$/],
    ['an order', { orderId: 'ord_7' }, /^claim_order_id$/],
    ['an order item', { orderItemId: 'oit_7' }, /^claim_order_item_id$/],
    ['all of them', { statuses: ['REQUESTED'], type: 'RETURN', orderId: 'ord_7', orderItemId: 'oit_7' }, /^claim_order_(item_)?id$/],
  ];
  const listed = (filter: Partial<ClaimFilter>) => (tx: Tx) => listClaims(tx, { page: 1, size: 20, ...filter });
  /** Page, total and the page behind a cursor: nothing is scanned, and no index but the filter's is used. */
  test.each(FILTERS)('%s: page, total and cursor are served by its index', async (_, filter, index) => {
    for (const work of [listed(filter), listed({ ...filter, after })]) {
      expect(await scansOf(orm, storeId, LARGE, work)).toEqual([]);
      const indexes = (await indexesOf(orm, storeId, work)).filter((name) => name.startsWith('claim_'));
      expect(indexes.length).toBeGreaterThan(0);
      expect(indexes.filter((name) => !index.test(name))).toEqual([]);
    }
  });
  test('what a page shows of its claims is read without a scan', async () => {
    const work = async (tx: Tx) => viewClaims(tx, (await listClaims(tx, { page: 1, size: 20, statuses: ['REQUESTED'] })).items);
    expect(await scansOf(orm, storeId, LARGE, work)).toEqual([]);
  });
});
