/** Reviews are written, changed and deleted: each refusal in its order, what is sent of them, and races (U16). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../kernel/world.ts';
import { type Bought, codeOf, dataOf, PHOTO, ReviewShop, TEXT } from './shop.ts';

let shop: ReviewShop;
beforeAll(async () => {
  shop = await ReviewShop.open();
});

const rows = async (table: string, storeId = shop.storeId): Promise<number> =>
  (await query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE store_id = $1`, [storeId]))[0]!.n;

describe('a review', () => {
  let bought: Bought;
  beforeAll(async () => {
    bought = await shop.decided();
  });

  test('is refused for the first reason of an order that never changes', async () => {
    const other = await shop.product();
    const missing = { ...bought, productId: 'prd_none' };
    // Guests have no reviews, whatever they send.
    const guest = await shop.world.buyer();
    expect(codeOf(await shop.write(missing, { rating: 9 }, guest))).toEqual([401, 'UNAUTHORIZED']);
    const invalid = await shop.write(missing, { rating: 0, content: ' ', images: ['http://images.example.com/a.png'], zz: 1 });
    expect(codeOf(invalid)).toEqual([400, 'VALIDATION_FAILED']);
    expect([...new Set(invalid.body.error!.fieldErrors!.map(({ field }) => field))].toSorted()).toEqual([
      'content',
      'images[0]',
      'rating',
      'zz',
    ]);
    expect(codeOf(await shop.write({ ...missing, orderItemId: 'oit_none' }))).toEqual([404, 'PRODUCT_NOT_FOUND']);
    expect(codeOf(await shop.write({ ...bought, orderItemId: 'oit_none' }))).toEqual([404, 'ORDER_ITEM_NOT_FOUND']);
    // Of another product, and of another member.
    expect(codeOf(await shop.write({ ...bought, productId: other }))).toEqual([404, 'ORDER_ITEM_NOT_FOUND']);
    expect(codeOf(await shop.write(bought, {}, await shop.world.member()))).toEqual([404, 'ORDER_ITEM_NOT_FOUND']);
    expect(await rows('review')).toBe(0);
  });
  test('is of what has been decided', async () => {
    const fresh = await shop.buy(await shop.product());
    expect(codeOf(await shop.write(fresh))).toEqual([409, 'INVALID_STATUS']);
    dataOf(await shop.world.act(fresh.orderItemId, 'fulfill'));
    expect(codeOf(await shop.write(fresh))).toEqual([409, 'INVALID_STATUS']);
  });
  test('of a test order is refused as such, whatever its status', async () => {
    const sandbox = await ReviewShop.open({ live: false });
    const productId = await sandbox.product();
    expect(codeOf(await sandbox.write(await sandbox.buy(productId)))).toEqual([409, 'REVIEW_NOT_ALLOWED_FOR_TEST_ORDER']);
    expect(codeOf(await sandbox.write(await sandbox.decided(productId)))).toEqual([409, 'REVIEW_NOT_ALLOWED_FOR_TEST_ORDER']);
  });
  test('is answered whole, with the name that everybody sees, and stands alone', async () => {
    const reply = await shop.write(bought, { images: [PHOTO] });
    expect(reply.status).toBe(201);
    expect(reply.body.data).toEqual({
      reviewId: expect.stringMatching(/^rev_/),
      productId: bought.productId,
      productName: '양모 머플러',
      orderId: bought.orderId,
      orderItemId: bought.orderItemId,
      optionLabel: null,
      customerId: expect.stringMatching(/^cus_/),
      authorName: '회**',
      ...TEXT,
      images: [PHOTO],
      rewardPoint: 0,
      createdAt: expect.stringMatching(/\+09:00$/),
      updatedAt: reply.body.data.createdAt,
    });
    const { reviewId } = reply.body.data as { reviewId: string };
    expect(codeOf(await shop.write(bought))).toEqual([409, 'REVIEW_ALREADY_EXISTS']);
    expect(await shop.events('REVIEW.CREATED')).toEqual([{ reviewId, productId: bought.productId, rating: 5 }]);
    const { items } = dataOf(await shop.world.seller.call('GET', `/v1/reviews?productId=${bought.productId}`));
    expect(items).toEqual([{ ...reply.body.data, authorName: '회원' }]);
    expect(dataOf(await shop.member.call('GET', '/storefront/v1/me/reviews'))).toEqual({
      items: [reply.body.data],
      page: 1,
      size: 20,
      total: 1,
    });
  });
  test('is repeated under its key, and written once', async () => {
    const again = await shop.decided();
    const path = `/storefront/v1/products/${again.productId}/reviews`;
    const send = () => shop.member.call('POST', path, { orderItemId: again.orderItemId, ...TEXT }, { 'idempotency-key': 'review-once' });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    expect(second.body.data).toEqual(first.body.data);
    expect(codeOf(await shop.write(again))).toEqual([409, 'REVIEW_ALREADY_EXISTS']);
  });
  test('of a hidden product is taken, by its number too; of a deleted one it is not', async () => {
    const seller = shop.world.seller;
    const hidden = await shop.decided();
    dataOf(await seller.call('PATCH', `/v1/products/${hidden.productId}`, { status: 'STOPPED' }));
    const { productNo } = dataOf(await seller.call('GET', `/v1/products/${hidden.productId}`)) as { productNo: number };
    await shop.written({ ...hidden, productId: String(productNo) });
    const gone = await shop.decided();
    dataOf(await seller.call('DELETE', `/v1/products/${gone.productId}`));
    expect(codeOf(await shop.write(gone))).toEqual([404, 'PRODUCT_NOT_FOUND']);
  });
  test('names uploads of this store, and no others', async () => {
    const form = new FormData();
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');
    form.set('file', new Blob([png], { type: 'image/png' }), 'a.png');
    const response = await fetch(`${shop.member.base}/storefront/v1/uploads/order-inputs`, {
      method: 'POST',
      headers: shop.member.headers,
      body: form,
    });
    const { uploadId, url } = ((await response.json()) as { data: { uploadId: string; url: string } }).data;
    const isNamed = async () => (await query('SELECT is_named FROM upload WHERE upload_id = $1', [uploadId]))[0];
    expect(await isNamed()).toEqual({ is_named: false });
    await shop.written(await shop.decided(), { images: [url] });
    expect(await isNamed()).toEqual({ is_named: true });
  });
});

describe('a change', () => {
  test('is of what is sent, sends nothing, and leaves the reward', async () => {
    const bought = await shop.decided();
    const { reviewId } = await shop.written(bought);
    const before = await shop.events('REVIEW.CREATED');
    await shop.world.advance('P1D');
    const changed = dataOf(await shop.change(reviewId, { rating: 2, images: [PHOTO] }));
    expect(changed).toMatchObject({ reviewId, rating: 2, content: TEXT.content, images: [PHOTO], rewardPoint: 0 });
    expect(Date.parse(changed.updatedAt as string)).toBeGreaterThan(Date.parse(changed.createdAt as string));
    expect(dataOf(await shop.change(reviewId, { content: '두 번 빨았더니 줄었습니다', images: [] }))).toMatchObject({
      rating: 2,
      images: [],
    });
    expect(await shop.events('REVIEW.CREATED')).toEqual(before);
    expect(dataOf(await shop.shown(bought.productId))).toMatchObject({ total: 1, summary: { count: 1, averageRating: 2 } });
    expect(codeOf(await shop.change(reviewId, { rating: 6 }))).toEqual([400, 'VALIDATION_FAILED']);
  });
  test('of another member’s review, and of one that is not there, is REVIEW_NOT_FOUND', async () => {
    const { reviewId } = await shop.written(await shop.decided());
    const other = await shop.world.member();
    for (const reply of [
      await shop.change(reviewId, { rating: 1 }, other),
      await shop.remove(reviewId, other),
      await shop.change('rev_none', {}),
    ])
      expect(codeOf(reply)).toEqual([404, 'REVIEW_NOT_FOUND']);
  });
});

test('a deleted review is nowhere, leaves the average, and can be written anew', async () => {
  const bought = await shop.decided();
  const { reviewId } = await shop.written(bought, { rating: 1 });
  expect((await shop.remove(reviewId)).body.data).toBe(null);
  for (const reply of [await shop.remove(reviewId), await shop.change(reviewId, { rating: 1 })])
    expect(codeOf(reply)).toEqual([404, 'REVIEW_NOT_FOUND']);
  expect(dataOf(await shop.shown(bought.productId))).toMatchObject({ items: [], total: 0, summary: { count: 0, averageRating: null } });
  const anew = await shop.written(bought, { rating: 4 });
  expect(anew.reviewId).not.toBe(reviewId);
  expect(dataOf(await shop.shown(bought.productId))).toMatchObject({ total: 1, summary: { count: 1, averageRating: 4 } });
});

test('periods end on the store’s clock: 30 days to change, 90 to write; deleting has no end', async () => {
  const own = await ReviewShop.open();
  const [early, late] = [await own.decided(), await own.decided()];
  const { reviewId } = await own.written(early);
  await own.world.advance('P29DT23H');
  dataOf(await own.change(reviewId, { rating: 3 }));
  await own.world.advance('PT2H');
  expect(codeOf(await own.change(reviewId, { rating: 4 }))).toEqual([409, 'PERIOD_EXPIRED']);
  await own.world.advance('P59DT20H');
  dataOf(await own.remove(reviewId));
  await own.written(early);
  await own.world.advance('PT4H');
  expect(codeOf(await own.write(late))).toEqual([409, 'PERIOD_EXPIRED']);
  // The period comes before the review that stands.
  expect(codeOf(await own.write(early))).toEqual([409, 'PERIOD_EXPIRED']);
});

test('of parallel reviews of one item one stands, with one event', async () => {
  const bought = await shop.decided();
  const before = (await shop.events('REVIEW.CREATED')).length;
  const codes = (await Promise.all([1, 2, 3, 4, 5].map((rating) => shop.write(bought, { rating })))).map((reply) => codeOf(reply)[1]);
  expect(codes.toSorted()).toEqual(['OK', ...Array.from({ length: 4 }, () => 'REVIEW_ALREADY_EXISTS')]);
  expect((await shop.events('REVIEW.CREATED')).length).toBe(before + 1);
  expect(dataOf(await shop.shown(bought.productId)).summary.count).toBe(1);
});

test('a deletion of the product comes before a review or after it, and the counts hold', async () => {
  for (let i = 0; i < 5; i++) {
    const bought = await shop.decided();
    const [review, gone] = await Promise.all([shop.write(bought), shop.world.seller.call('DELETE', `/v1/products/${bought.productId}`)]);
    expect(gone.status).toBe(200);
    expect([201, 404]).toContain(review.status);
    const [row] = await query<{ n: string | null }>('SELECT sum(n) AS n FROM product_list_count WHERE product_id = $1', [bought.productId]);
    expect(Number(row!.n ?? 0)).toBe(review.status === 201 ? 1 : 0);
    expect(codeOf(await shop.shown(bought.productId))).toEqual([404, 'PRODUCT_NOT_FOUND']);
  }
});

test('a member who is none any more writes nothing', async () => {
  const own = await ReviewShop.open();
  const who = await own.world.member();
  const bought = await own.decided(undefined, who);
  await query('DELETE FROM customer WHERE store_id = $1 AND customer_id = (SELECT customer_id FROM orders WHERE order_id = $2)', [
    own.storeId,
    bought.orderId,
  ]);
  expect(codeOf(await own.write(bought, {}, who))).toEqual([401, 'UNAUTHORIZED']);
  expect(await rows('review', own.storeId)).toBe(0);
});

test('another store’s item and review are not there', async () => {
  const rival = await ReviewShop.open();
  const theirs = await rival.decided();
  const { reviewId } = await rival.written(theirs);
  const ours = await shop.decided();
  expect(codeOf(await shop.write(theirs))).toEqual([404, 'PRODUCT_NOT_FOUND']);
  expect(codeOf(await shop.write({ ...ours, orderItemId: theirs.orderItemId }))).toEqual([404, 'ORDER_ITEM_NOT_FOUND']);
  expect(codeOf(await shop.remove(reviewId))).toEqual([404, 'REVIEW_NOT_FOUND']);
  expect(codeOf(await shop.shown(theirs.productId))).toEqual([404, 'PRODUCT_NOT_FOUND']);
  const listed = dataOf(await shop.world.seller.call('GET', `/v1/reviews?productId=${theirs.productId}`));
  expect([listed.items, listed.total]).toEqual([[], 0]);
});
