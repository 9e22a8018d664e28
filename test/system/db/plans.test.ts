/** Every filter of the catalog is served by an index, as the app role sees it through row security: by the plan of the very query. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { scansOf } from './plan.ts';
import type { MikroORM } from '@mikro-orm/postgresql';
import { fillStore } from '../../../bin/ops/store/fill.ts';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { deleteAddress } from '../../../db/addresses/commands.ts';
import { readCalendar, shownCalendar } from '../../../db/products/calendar.ts';
import { readNights } from '../../../db/products/nights.ts';
import { findSellable, listProducts, readProduct } from '../../../db/products/queries.ts';
import { listShown, readShown } from '../../../db/products/storefront.ts';
import { openOrm } from '../../../db/orm.ts';
import { hasApiRequest, listApiRequests } from '../../../db/apiRequestLogs/queries.ts';
import { newId } from '../../../db/kernel/clock.ts';
import type { Tx } from '../../../db/kernel/tx.ts';

/** Tables that grow with the shop; the others are small for ever. */
const LARGE: ReadonlySet<string> = new Set([
  'product',
  'variant',
  'product_gram',
  'variant_night',
  'night_movement',
  'stock_movement',
  'order_item',
  'api_request_log',
]);
const STORES = 4;
const PRODUCTS = 500;
let orm: MikroORM;
let storeId: string;
let one: { productId: string; variantId: string; categoryId: string; addressId: string };

beforeAll(async () => {
  const url = await migratedDatabase('plans');
  for (let n = 0; n < STORES; n++) {
    ({ storeId } = await makeStore(url, { code: `plans-${n}`, name: 'n', sandbox: true, withProduct: true }));
    await fillStore(url, { code: `plans-${n}`, products: PRODUCTS, variants: 3 }, () => {});
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO variant_night (store_id, variant_id, night, stock) SELECT store_id, variant_id, d, 1
     FROM (SELECT store_id, variant_id, product_id FROM variant WHERE product_id IN (SELECT product_id FROM product
       WHERE product_no % 10 = 2)) v,
       generate_series(date '2026-01-01', date '2026-03-31', interval '1 day') d`,
  );
  await client.query(
    `INSERT INTO seller_address SELECT store_id, 'adr_' || store_code, 'SHIPPING', 'n', 'r', '010', '06236', 'a', NULL, false, now()
     FROM store`,
  );
  await client.query(`UPDATE product SET inventory_mode = 'DATED' WHERE product_no % 10 = 2`);
  // Orders are not what is looked at: sold items alone, without what they belong to.
  await client.query(`SET session_replication_role = replica`);
  await client.query(
    `INSERT INTO order_item (store_id, order_item_id, order_item_no, order_id, position, product_id, variant_id, product_name,
     unit_price_won, quantity,
       total_price_won, status, bundle_no, fulfillment_snapshot, flow_key, flow_version, flow_state, last_changed_at)
     SELECT store_id, 'oit' || variant_id, variant_no, variant_id, 1, product_id, variant_id, 'n', 1, 1, 1, 'PAID', 1, '{}', 'k', 1, '{}',
       now() FROM variant`,
  );
  await client.query(
    `INSERT INTO api_request_log SELECT store_id, $1 || n, now() - n * interval '1 second',
       (ARRAY['GET', 'POST', 'PUT', 'DELETE'])[1 + n % 4], '/v1/x', 'a.b' || n % 50, 400 + n % 100, 4, NULL, 1, 'USER', 'usr_' || n % 50,
       'n', NULL, NULL
     FROM store, generate_series(1, 2000) n`,
    [newId('req', Date.now())],
  );
  await client.query('ANALYZE');
  const { rows } = await client.query<{ product_id: string; variant_id: string; category_id: string }>(
    `SELECT p.product_id, v.variant_id, p.category_id FROM product p JOIN variant v USING (store_id, product_id) WHERE p.store_id = $1
     AND p.product_no % 10 = 2 LIMIT 1`,
    [storeId],
  );
  await client.end();
  one = {
    productId: rows[0]!.product_id,
    variantId: rows[0]!.variant_id,
    categoryId: rows[0]!.category_id,
    addressId: `adr_plans-${STORES - 1}`,
  };
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
}, 120_000);
afterAll(() => orm.close());

const scans = (work: (tx: Tx) => Promise<unknown>) => scansOf(orm, storeId, LARGE, work);

const page = { page: 1, size: 20 };
const logged = { from: 0, after: null, limit: 50 };
test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ['the seller’s list', (tx) => listProducts(tx, page)],
  ['… by number', (tx) => listProducts(tx, { ...page, productNo: 7 })],
  ['… by status', (tx) => listProducts(tx, { ...page, status: 'STOPPED' })],
  ['… by category', (tx) => listProducts(tx, { ...page, categoryId: one.categoryId })],
  ['… by keyword', (tx) => listProducts(tx, { ...page, keyword: '캐시미어' })],
  ['… by all of them', (tx) => listProducts(tx, { ...page, productNo: 7, status: 'ON_SALE', categoryId: one.categoryId, keyword: '양모' })],
  ['one product', (tx) => readProduct(tx, one.productId)],
  ['the shelf', (tx) => listShown(tx, page)],
  ['… by category', (tx) => listShown(tx, { ...page, categoryId: one.categoryId })],
  ['… by keyword', (tx) => listShown(tx, { ...page, keyword: '캐시미어 장갑' })],
  ['… by both', (tx) => listShown(tx, { ...page, categoryId: one.categoryId, keyword: '캐' })],
  ['one on the shelf, by id', (tx) => readShown(tx, one.productId)],
  ['… by number', (tx) => readShown(tx, '7')],
  ['what a cart is priced by', (tx) => findSellable(tx, [one.productId], [one.variantId])],
  ['a calendar', (tx) => readCalendar(tx, { storeId, productId: one.productId }, { from: '2026-01-01', to: '2026-01-31' })],
  ['a shown calendar', (tx) => shownCalendar(tx, one.productId, { from: '2026-01-01', to: '2026-01-31' })],
  [
    'the nights of a stay',
    (tx) => readNights(tx, [{ variantId: one.variantId, quantity: 1, stay: { checkIn: '2026-01-01', checkOut: '2026-01-05' } }]),
  ],
  ['the request log', (tx) => listApiRequests(tx, logged)],
  ['… behind a request', (tx) => listApiRequests(tx, { ...logged, after: { at: Date.now(), id: 'req_x' } })],
  ['… by method', (tx) => listApiRequests(tx, { ...logged, method: 'DELETE' })],
  ['… by status', (tx) => listApiRequests(tx, { ...logged, statusCode: 404 })],
  ['… by class of status', (tx) => listApiRequests(tx, { ...logged, statusClass: 5 })],
  ['… by operation', (tx) => listApiRequests(tx, { ...logged, operationId: 'a.b7' })],
  ['… by request', (tx) => listApiRequests(tx, { ...logged, requestId: 'req_x' })],
  ['… by actor', (tx) => listApiRequests(tx, { ...logged, actorId: 'usr_7' })],
  ['… by period', (tx) => listApiRequests(tx, { ...logged, from: Date.now() - 60_000, to: Date.now() })],
  ['… and whether a cursor is of it', (tx) => hasApiRequest(tx, { at: Date.now(), id: 'req_x' })],
  ['whether an address is used', (tx) => deleteAddress(tx, one.addressId)],
])('%s', async (_, work) => expect(await scans(work)).toEqual([]));
