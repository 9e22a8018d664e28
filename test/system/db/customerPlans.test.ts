/** Every filter and every order of customers is served by an index, among stores that each have many. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { MikroORM } from '@mikro-orm/postgresql';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { listBuyerAddresses } from '../../../db/customers/addressBook.ts';
import { currentConsents, listConsents } from '../../../db/customers/consents.ts';
import { type CustomerFilter, listCustomers, readCustomer } from '../../../db/customers/list.ts';
import { listWishlist } from '../../../db/customers/wishlist.ts';
import { withdrawCustomer } from '../../../db/customers/withdrawal.ts';
import type { Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { listOrders } from '../../../db/orders/queries.ts';
import { CUSTOMER_SORTS } from '../../../domain/customers/rules.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { indexesOf, scansOf } from './plan.ts';

const LARGE: ReadonlySet<string> = new Set([
  'customer',
  'customer_stats',
  'customer_gram',
  'customer_consent',
  'customer_address',
  'wishlist_item',
  'orders',
  'order_item',
  'claim',
  'payment',
]);
const STORES = 6;
const CUSTOMERS = 1500;
let orm: MikroORM;
let storeId: string;

/** In the store of `storeId`. */
async function plantCustomers(owner: Client): Promise<void> {
  await owner.query(
    `INSERT INTO customer (store_id, customer_id, email, name, phone, created_at)
     SELECT $1, 'cus_' || n, 'm' || md5(n::text) || '@x.example', chr(44032 + n * 3) || chr(45000 + n),
       '010-1234-' || lpad(n::text, 4, '0'), timestamptz '2026-01-01' + n * interval '1 hour' FROM generate_series(1, ${CUSTOMERS}) n`,
    [storeId],
  );
  await owner.query(
    `INSERT INTO customer_consent (store_id, consent_id, customer_id, kind, action, path, at)
     SELECT $1, 'con_' || n, 'cus_' || n, (ARRAY['TERMS', 'MARKETING'])[1 + (n % 50 = 0)::int], 'AGREE', 'SIGNUP', now()
     FROM generate_series(1, ${CUSTOMERS}) n`,
    [storeId],
  );
  await owner.query(
    `UPDATE customer_stats SET order_count = substr(customer_id, 5)::int % 97, paid_won = substr(customer_id, 5)::int * 100,
       last_ordered_at = now() - substr(customer_id, 5)::int * interval '1 minute' WHERE store_id = $1`,
    [storeId],
  );
}
/** What a new customer brings along. Their trigrams, 64 of each, are cheaper to copy than to make in each store. */
const OF_CUSTOMERS = ['customer', 'customer_stats', 'customer_gram', 'customer_count', 'customer_consent', 'point_account'];
/** The same customers as in another store, without triggers. */
async function copyCustomers(owner: Client, from: string): Promise<void> {
  await owner.query('SET session_replication_role = replica');
  for (const table of OF_CUSTOMERS) {
    const { rows } = await owner.query<{ names: string }>(
      `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'store_id'`,
      [table],
    );
    const { names } = rows[0]!;
    await owner.query(`INSERT INTO ${table} (store_id, ${names}) SELECT $1, ${names} FROM ${table} WHERE store_id = $2`, [storeId, from]);
  }
  await owner.query('SET session_replication_role = origin');
}

beforeAll(async () => {
  const url = await migratedDatabase('customerplans');
  const owner = new Client({ connectionString: url });
  await owner.connect();
  let first = '';
  for (let s = 0; s < STORES; s++) {
    ({ storeId } = await makeStore(url, { code: `plans-${s}`, name: 'n', sandbox: true, withProduct: false }));
    if (s === 0) await plantCustomers(owner);
    else await copyCustomers(owner, first);
    first ||= storeId;
    await owner.query('SET session_replication_role = replica');
    await owner.query(
      `INSERT INTO orders (store_id, order_id, order_no, checkout_id, payment_id, pg, method, buyer, amounts, delivery, total_won,
         test_payment, requires_shipping, representative_status, progress_status, ordered_at, last_changed_at, customer_id)
       SELECT $1, 'ord_' || n, (${s + 1}0000000000000 + n)::text, 'c' || n, 'p' || n, 'x', 'CARD', '{}', '{}', '{}', 1, n % 500 = 0, true,
         'PAID', 'PAID', now(), now(), 'cus_' || n FROM generate_series(1, ${CUSTOMERS}) n`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO order_item (store_id, order_item_id, order_item_no, order_id, position, product_id, variant_id, product_name,
         unit_price_won, quantity, total_price_won, status, bundle_no, fulfillment_snapshot, flow_key, flow_version, flow_state,
           last_changed_at)
       SELECT $1, 'oit_' || n, (${s + 1}000000000000000 + n)::text, 'ord_' || n, 1, 'p', 'v', 'n', 1, 1, 1, 'CANCELED', 1, '{}', 'k', 1,
         '{}', now() FROM generate_series(1, ${CUSTOMERS}) n`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO customer_address SELECT $1, 'adr_' || n, 'cus_' || n, NULL, 'r', '010', '06236', 'a', NULL, true, now()
       FROM generate_series(1, ${CUSTOMERS}) n`,
      [storeId],
    );
    await owner.query(`INSERT INTO wishlist_item SELECT $1, 'cus_' || n, 'prd_' || n, now() FROM generate_series(1, ${CUSTOMERS}) n`, [
      storeId,
    ]);
    await owner.query(
      `INSERT INTO claim (store_id, claim_id, claim_no, type, status, order_id, order_no, order_item_id, variant_id, quantity, reason,
         images, customer_id, is_shipped, delivery_fee_won, test_payment, requested_at, closed_at, last_changed_at)
       SELECT $1, 'clm_' || n, 'C' || n, 'CANCEL', 'COMPLETED', 'ord_' || n, '1', 'oit_' || n, 'v', 1, 'OTHER', '{}', 'cus_' || n, true, 0,
         true, now(), now(), now() FROM generate_series(1, ${CUSTOMERS}) n`,
      [storeId],
    );
    await owner.query(
      `INSERT INTO payment (store_id, payment_id, checkout_id, order_no, status, result, lines, amounts, delivery, total_won, return_url,
         buyer, current_attempt_id, attempt_count, test_payment, expires_at, created_at, started_at, completed_at)
       SELECT $1, 'p' || n || $1, 'c' || n, '${s}-' || n, 'completed', 'COMPLETED', '[]', '{}', '{}', 1, '', '{}', '', 1, true, now(),
         now(), now(), now() FROM generate_series(1, ${CUSTOMERS}) n`,
      [storeId],
    );
    await owner.query('SET session_replication_role = origin');
  }
  await owner.query('ANALYZE');
  await owner.end();
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
}, 180_000);
afterAll(() => orm.close());

const filter: CustomerFilter = { page: 1, size: 20, sort: '-joinedAt', includeTest: false };
const customers = (changes: Partial<CustomerFilter>) => (tx: Tx) => listCustomers(tx, { ...filter, ...changes });
const name = String.fromCodePoint(44032 + 30, 45010);
test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ...CUSTOMER_SORTS.map((sort): [string, (tx: Tx) => Promise<unknown>] => [`by ${sort}`, customers({ sort })]),
  ...CUSTOMER_SORTS.map((sort): [string, (tx: Tx) => Promise<unknown>] => [
    `by ${sort}, tests too`,
    customers({ sort, includeTest: true, joinedFrom: '2026-02-01', joinedTo: '2026-04-01', marketingConsent: false }),
  ]),
  ['by days', customers({ joinedFrom: '2026-01-10', joinedTo: '2026-01-11' })],
  ['by consent', customers({ marketingConsent: true })],
  ['by name', customers({ keyword: name })],
  ['by a letter', customers({ keyword: name[0]! })],
  ['by phone or e-mail', customers({ keyword: '0042' })],
  ['by all', customers({ keyword: 'example', joinedFrom: '2026-01-10', marketingConsent: true, sort: '-purchaseAmount' })],
  ['one', (tx) => readCustomer(tx, 'cus_7', false)],
  ['its orders', (tx) => listOrders(tx, 'orderedAt', { page: 1, size: 20, customerId: 'cus_7', testPayment: false })],
  ['its consents', (tx) => listConsents(tx, 'cus_7', { page: 1, size: 20, kind: 'TERMS' })],
  ['how they stand', (tx) => currentConsents(tx, 'cus_7')],
  ['its addresses', (tx) => listBuyerAddresses(tx, 'cus_7')],
  ['its wishlist', (tx) => listWishlist(tx, 'cus_7', { page: 1, size: 20 })],
  ['its end', (tx) => withdrawCustomer(tx, 'cus_7', 'r')],
])('%s', async (_, work) => expect(await scansOf(orm, storeId, LARGE, work)).toEqual([]));

test.each([
  ['joinedAt', 'customer_joined'],
  ['-joinedAt', 'customer_joined'],
  ['name', 'customer_name_up'],
  ['-name', 'customer_name_down'],
  ['orderCount', 'customer_stats_order_count_up'],
  ['-orderCount', 'customer_stats_order_count_down'],
  ['purchaseAmount', 'customer_stats_purchase_won_up'],
  ['-purchaseAmount', 'customer_stats_purchase_won_down'],
  ['lastOrderedAt', 'customer_stats_last_ordered_at_up'],
  ['-lastOrderedAt', 'customer_stats_last_ordered_at_down'],
] as const)('the order of %s is that of an index: nothing is sorted', async (sort, index) => {
  expect(await indexesOf(orm, storeId, customers({ sort }))).toContain(index);
});
