/** Lists of reviews: what the shop shows, the seller's filters, and that none of it is scanned. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { listInquiries, listInquiriesOf, listShownInquiries } from '../../../db/inquiries/queries.ts';
import type { Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { listReviews, listShownReviews, readReview } from '../../../db/reviews/queries.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { query } from '../../kernel/world.ts';
import { indexesOf, scansOf } from '../db/plan.ts';
import { codeOf, dataOf, PHOTO, ReviewShop } from './shop.ts';

describe('the lists', () => {
  let shop: ReviewShop;
  let [productId, other] = ['', ''];
  /** Of the product, oldest first, with these ratings. */
  const ratings = [5, 4, 4];
  const written: string[] = [];
  beforeAll(async () => {
    shop = await ReviewShop.open();
    [productId, other] = [await shop.product(), await shop.product()];
    for (const rating of ratings)
      written.push((await shop.written(await shop.decided(productId), { rating, content: `${rating}점`, images: [PHOTO] })).reviewId);
    written.push((await shop.written(await shop.decided(other), { rating: 1 })).reviewId);
  });
  const ids = async (search: string) =>
    (dataOf(await shop.world.seller.call('GET', `/v1/reviews${search}`)).items as { reviewId: string }[]).map(({ reviewId }) => reviewId);

  test('a shop shows the reviews of a product, newest first, with the average of all of them on every page', async () => {
    const [first, second] = [
      dataOf(await shop.shown(productId, 'reviews', '?size=2')),
      dataOf(await shop.shown(productId, 'reviews', '?size=2&page=2')),
    ];
    expect(first).toMatchObject({ page: 1, size: 2, total: 3, summary: { count: 3, averageRating: 4.3 } });
    expect(second).toMatchObject({ page: 2, size: 2, total: 3, summary: { count: 3, averageRating: 4.3 } });
    expect([...first.items, ...second.items].map(({ reviewId }) => reviewId as string)).toEqual(written.slice(0, 3).toReversed());
    expect(second.items[0]).toEqual({
      reviewId: written[0],
      rating: 5,
      content: '5점',
      images: [PHOTO],
      authorName: '회**',
      optionLabel: null,
      createdAt: expect.stringMatching(/\+09:00$/),
    });
  });
  test('by the product’s number too; of none there is no average; of what buyers do not see there is no list', async () => {
    const seller = shop.world.seller;
    const { productNo } = dataOf(await seller.call('GET', `/v1/products/${productId}`)) as { productNo: number };
    expect(dataOf(await shop.shown(String(productNo))).total).toBe(3);
    const quiet = await shop.product();
    expect(dataOf(await shop.shown(quiet))).toEqual({ items: [], page: 1, size: 20, total: 0, summary: { count: 0, averageRating: null } });
    dataOf(await seller.call('PATCH', `/v1/products/${quiet}`, { status: 'STOPPED' }));
    for (const id of [quiet, 'prd_none', '999999999', 'x'])
      for (const path of ['reviews', 'inquiries']) expect(codeOf(await shop.shown(id, path))).toEqual([404, 'PRODUCT_NOT_FOUND']);
  });
  test('a seller filters by product, customer and rating, alone and together', async () => {
    const [a, b, c, d] = written as [string, string, string, string];
    expect(await ids('')).toEqual([d, c, b, a]);
    expect(await ids('?rating=4')).toEqual([c, b]);
    expect(await ids(`?productId=${productId}`)).toEqual([c, b, a]);
    expect(await ids(`?productId=${productId}&rating=5`)).toEqual([a]);
    expect(await ids(`?productId=${other}&rating=5`)).toEqual([]);
    const [{ customerId }] = dataOf(await shop.world.seller.call('GET', '/v1/reviews')).items as [{ customerId: string }];
    expect(await ids(`?customerId=${customerId}&rating=4`)).toEqual([c, b]);
    expect(await ids('?customerId=cus_none')).toEqual([]);
    for (const search of ['', '?rating=4', `?productId=${productId}&rating=4`, `?customerId=${customerId}`, '?rating=3']) {
      const { total } = dataOf(await shop.world.seller.call('GET', `/v1/reviews${search}`)) as { total: number };
      expect([search, total]).toEqual([search, (await ids(search)).length]);
    }
    for (const search of ['rating=0', 'rating=6', 'rating=x', 'page=0', 'size=101'])
      expect(codeOf(await shop.world.seller.call('GET', `/v1/reviews?${search}`))).toEqual([400, 'VALIDATION_FAILED']);
  });
  test('who is no member any more has no name', async () => {
    const who = await shop.world.member();
    const bought = await shop.decided(undefined, who);
    await shop.written(bought, {}, who);
    await query('UPDATE customer SET name = NULL WHERE customer_id = (SELECT customer_id FROM orders WHERE order_id = $1)', [
      bought.orderId,
    ]);
    const nameless = async () => {
      const [mine] = dataOf(await shop.shown(bought.productId)).items as [{ authorName: string | null }];
      const [sellers] = dataOf(await shop.world.seller.call('GET', `/v1/reviews?productId=${bought.productId}`)).items as [typeof mine];
      return [mine.authorName, sellers.authorName];
    };
    expect(await nameless()).toEqual([null, null]);
    await query('DELETE FROM customer WHERE customer_id = (SELECT customer_id FROM orders WHERE order_id = $1)', [bought.orderId]);
    expect(await nameless()).toEqual([null, null]);
  });
});

describe('among stores that each have many reviews and inquiries', () => {
  const LARGE: ReadonlySet<string> = new Set(['review', 'inquiry', 'product_list_count', 'customer', 'product']);
  let orm: MikroORM;
  let storeId: string;
  beforeAll(async () => {
    const url = await migratedDatabase('reviewplans');
    const owner = new Client({ connectionString: url });
    await owner.connect();
    await owner.query('SET session_replication_role = replica');
    for (let s = 0; s < 6; s++) {
      ({ storeId } = await makeStore(url, { code: `reviews-${s}`, name: 'n', sandbox: true, withProduct: false }));
      const at = `now() - n * interval '1 minute'`;
      for (const text of [
        `INSERT INTO review (store_id, review_id, product_id, product_name, order_id, order_item_id, customer_id, rating, content, images,
           created_at, updated_at) SELECT $1, 'rev_' || n, 'prd_' || n % 30, 'n', 'ord_' || n, 'oit_' || n, 'cus_' || n % 300, 1 + n % 5,
             'c', '{}', ${at}, ${at}
         FROM generate_series(1, 1500) n`,
        `INSERT INTO inquiry (store_id, inquiry_id, product_id, customer_id, content, status, answer, answered_at, created_at)
         SELECT $1, 'inq_' || n, 'prd_' || n % 30, 'cus_' || n % 300, 'c', 'ANSWERED', 'a', ${at}, ${at} FROM generate_series(1, 1470) n
         UNION ALL SELECT $1, 'inq_' || n, 'prd_' || n % 30, 'cus_' || n % 300, 'c', 'WAITING', NULL, NULL, ${at}
           FROM generate_series(1471, 1500) n`,
        `INSERT INTO product_list_count (store_id, product_id, list, value, n) SELECT $1, 'prd_' || n, 'review', r::text, 10
         FROM generate_series(0, 29) n, generate_series(1, 5) r`,
        `INSERT INTO customer (store_id, customer_id, email, created_at) SELECT $1, 'cus_' || n, n || '@example.com', ${at}
          FROM generate_series(0, 300) n`,
        `INSERT INTO product (store_id, product_id, product_no, name, images, sale_price_won, category_id, status, inventory_mode,
           delivery_type, delivery_fee_won, methods, fulfillment_type, option_groups, next_variant_seq, created_at, updated_at)
         SELECT $1, 'prd_' || n, ${s} * 1000 + n, 'n', '[]', 1000, 'c', 'ON_SALE', 'COUNTED', 'FREE', 0, '{}', 'MANUAL', '[]', 1, ${at},
           ${at}
         FROM generate_series(0, 300) n`,
      ])
        await owner.query(text, [storeId]);
    }
    await owner.query('ANALYZE');
    await owner.end();
    orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
  }, 120_000);
  afterAll(() => orm.close());

  const page = { page: 1, size: 20 };
  const [productId, customerId] = ['prd_7', 'cus_7'];
  const WORK: readonly (readonly [string, (tx: Tx) => Promise<unknown>, readonly string[]])[] = [
    ['all reviews', (tx) => listReviews(tx, page), ['review_newest']],
    ['reviews by rating', (tx) => listReviews(tx, { ...page, rating: 3 }), ['review_rating']],
    ['reviews of a product', (tx) => listReviews(tx, { ...page, productId }), ['review_product']],
    ['reviews of a product by rating', (tx) => listReviews(tx, { ...page, productId, rating: 3 }), ['review_product_rating']],
    ['reviews of a customer', (tx) => listReviews(tx, { ...page, customerId }), ['review_customer']],
    ['reviews in the shop', (tx) => listShownReviews(tx, productId, page), ['review_product']],
    ['a review', (tx) => readReview(tx, 'rev_7'), ['review_pkey']],
    ['all inquiries', (tx) => listInquiries(tx, page), ['inquiry_newest']],
    ['waiting inquiries', (tx) => listInquiries(tx, { ...page, status: 'WAITING' }), ['inquiry_status']],
    ['inquiries about a product', (tx) => listInquiries(tx, { ...page, productId }), ['inquiry_product']],
    ['waiting ones about a product', (tx) => listInquiries(tx, { ...page, productId, status: 'WAITING' }), ['inquiry_product_status']],
    ['inquiries of a customer', (tx) => listInquiriesOf(tx, customerId, page), ['inquiry_customer']],
    ['inquiries in the shop', (tx) => listShownInquiries(tx, productId, page), ['inquiry_product']],
  ];
  test.each(WORK)('%s: page, total and names are served by indexes', async (_, work, expected) => {
    expect(await scansOf(orm, storeId, LARGE, work)).toEqual([]);
    const used = (await indexesOf(orm, storeId, work)).filter((name) => /^(?:review|inquiry)_/.test(name));
    expect([...new Set(used)]).toEqual(expected);
  });
});
