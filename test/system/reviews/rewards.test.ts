/** What reviews earn: once in the life of an item, in the transaction of the review; what a deletion takes back (U17). */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { deductPoints, grantPoints } from '../../../db/points/ledger.ts';
import type { Buyer } from '../../../bin/dev/client.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query } from '../../kernel/world.ts';
import { type Bought, codeOf, dataOf, PHOTO, ReviewShop } from './shop.ts';

let shop: ReviewShop;
let desk: Desk;
let productId: string;
beforeAll(async () => {
  shop = await ReviewShop.open();
  productId = await shop.product();
  desk = await Desk.open(shop.world);
});
afterAll(() => desk.close());
beforeEach(() => reward());

/** The store's reward from now on. */
async function reward({ enabled = true, text = 100, photo = 300, days = 30 } = {}): Promise<void> {
  await query(
    `INSERT INTO point_policy (store_id, review_enabled, text_won, photo_won, earn_enabled, earn_rate_bp, use_enabled, min_balance_won,
       min_amount_won, use_unit, max_ratio_bp, includes_delivery_fee, expiry_days, opened_at, updated_at)
     VALUES ($1, $2, $3, $4, false, 0, false, 0, 0, 1, 10000, false, $5, now(), now()) ON CONFLICT (store_id) DO UPDATE SET
       review_enabled = excluded.review_enabled, text_won = excluded.text_won, photo_won = excluded.photo_won,
         expiry_days = excluded.expiry_days`,
    [shop.storeId, enabled, text, photo, days],
  );
}
interface Shopper {
  readonly who: Buyer;
  readonly customerId: string;
  readonly bought: Bought;
}
/** A new member with an item that they have decided on. */
async function shopper(): Promise<Shopper> {
  const who = await shop.world.member();
  const bought = await shop.decided(productId, who);
  const [row] = await query<{ id: string }>('SELECT customer_id AS id FROM orders WHERE order_id = $1', [bought.orderId]);
  return { who, customerId: row!.id, bought };
}
/** Type, amount and balance of a member's entries, oldest first. */
const history = async ({ customerId }: Shopper): Promise<unknown[][]> =>
  (
    await query<{ type: string; amount: number; balance: number }>(
      `SELECT type, amount_won::int AS amount, balance_won::int AS balance FROM point_history WHERE customer_id = $1 ORDER BY seq`,
      [customerId],
    )
  ).map(({ type, amount, balance }) => [type, amount, balance]);

test('a text earns the points of a text, a photo those of a photo, with an expiry at the end of a Korean day', async () => {
  const [one, other] = [await shopper(), await shopper()];
  const text = await shop.written(one.bought, {}, one.who);
  const photo = await shop.written(other.bought, { images: [PHOTO, PHOTO] }, other.who);
  expect([text.rewardPoint, photo.rewardPoint]).toEqual([100, 300]);
  expect(await history(one)).toEqual([['EARN_REVIEW', 100, 100]]);
  expect(await history(other)).toEqual([['EARN_REVIEW', 300, 300]]);
  const [entry] = await query('SELECT review_id, order_item_id, expires_at, created_at FROM point_history WHERE customer_id = $1', [
    one.customerId,
  ]);
  expect(entry).toMatchObject({ review_id: text.reviewId, order_item_id: one.bought.orderItemId });
  const [{ expires_at: expires, created_at: created }] = [entry as { expires_at: Date; created_at: Date }];
  const day = (time: Date) => Math.floor((time.getTime() + 9 * 3_600_000) / 86_400_000);
  expect([day(expires) - day(created), expires.toISOString().slice(11)]).toEqual([30, '14:59:59.000Z']);
});

test('while rewards are off a review earns nothing, nor does it when it is written anew', async () => {
  const own = await shopper();
  await reward({ enabled: false });
  const first = await shop.written(own.bought, {}, own.who);
  expect(first.rewardPoint).toBe(0);
  await reward();
  dataOf(await shop.change(first.reviewId, { images: [PHOTO] }, own.who));
  dataOf(await shop.remove(first.reviewId, own.who));
  expect((await shop.written(own.bought, {}, own.who)).rewardPoint).toBe(0);
  expect(await history(own)).toEqual([]);
});

test('an amount of 0 leaves no entry', async () => {
  const own = await shopper();
  await reward({ text: 0 });
  expect((await shop.written(own.bought, {}, own.who)).rewardPoint).toBe(0);
  expect(await history(own)).toEqual([]);
});

test('a change of a review, and of the policy, changes no reward', async () => {
  const own = await shopper();
  const { reviewId } = await shop.written(own.bought, {}, own.who);
  await reward({ text: 700, photo: 900 });
  expect(dataOf(await shop.change(reviewId, { images: [PHOTO] }, own.who))).toMatchObject({ rewardPoint: 100 });
  expect(await history(own)).toEqual([['EARN_REVIEW', 100, 100]]);
});

test('a deletion takes the reward back, also while rewards are off; written anew it earns 0, and nothing is taken twice', async () => {
  const own = await shopper();
  const { reviewId } = await shop.written(own.bought, { images: [PHOTO] }, own.who);
  await reward({ enabled: false });
  dataOf(await shop.remove(reviewId, own.who));
  expect(codeOf(await shop.remove(reviewId, own.who))).toEqual([404, 'REVIEW_NOT_FOUND']);
  await reward();
  const anew = await shop.written(own.bought, { images: [PHOTO] }, own.who);
  expect(anew.rewardPoint).toBe(0);
  dataOf(await shop.remove(anew.reviewId, own.who));
  const entries = [
    ['EARN_REVIEW', 300, 300],
    ['REVOKE_REVIEW', -300, 0],
  ];
  expect(await history(own)).toEqual(entries);
  const [entry] = await query(`SELECT review_id FROM point_history WHERE customer_id = $1 AND type = 'REVOKE_REVIEW'`, [own.customerId]);
  expect(entry).toEqual({ review_id: reviewId });
});

test('what is spent comes from other points, down to 0, and the review goes all the same', async () => {
  const [rich, poor, broke] = [await shopper(), await shopper(), await shopper()];
  const reviews = new Map<Shopper, string>();
  for (const one of [rich, poor, broke]) reviews.set(one, (await shop.written(one.bought, {}, one.who)).reviewId);
  const expiresAt = new Date(Date.now() + 400 * 86_400_000);
  await desk.inTenant(async (tx) => {
    for (const [{ customerId }, amountWon] of [
      [rich, 100],
      [poor, 70],
      [broke, 100],
    ] as const)
      await deductPoints(tx, { customerId, type: 'ADJUST', amountWon, memo: 'spent' });
    await grantPoints(tx, { customerId: rich.customerId, type: 'ADJUST', amountWon: 500, expiresAt, memo: 'other points' });
  });
  for (const [{ who }, reviewId] of reviews) dataOf(await shop.remove(reviewId, who));
  expect((await history(rich)).at(-1)).toEqual(['REVOKE_REVIEW', -100, 400]);
  expect((await history(poor)).at(-1)).toEqual(['REVOKE_REVIEW', -30, 0]);
  // Nothing is left: no entry.
  expect((await history(broke)).at(-1)).toEqual(['ADJUST', -100, 0]);
});

test('parallel reviews of one item, and parallel deletions of it, move its reward once', async () => {
  const own = await shopper();
  const replies = await Promise.all([1, 2, 3, 4].map((rating) => shop.write(own.bought, { rating }, own.who)));
  expect(replies.map((reply) => codeOf(reply)[1]).toSorted()).toEqual(['OK', ...Array.from({ length: 3 }, () => 'REVIEW_ALREADY_EXISTS')]);
  const { reviewId } = replies.find(({ status }) => status === 201)!.body.data as { reviewId: string };
  const gone = await Promise.all([1, 2, 3].map(() => shop.remove(reviewId, own.who)));
  expect(gone.map((reply) => codeOf(reply)[1]).toSorted()).toEqual(['OK', 'REVIEW_NOT_FOUND', 'REVIEW_NOT_FOUND']);
  expect(await history(own)).toEqual([
    ['EARN_REVIEW', 100, 100],
    ['REVOKE_REVIEW', -100, 0],
  ]);
});

test('parallel reviews of several items of one member all earn, and parallel deletions take all of it back', async () => {
  const own = await shopper();
  const items = [own.bought, await shop.decided(productId, own.who), await shop.decided(productId, own.who)];
  const written = await Promise.all(items.map((item) => shop.written(item, {}, own.who)));
  expect((await history(own)).map(([, , balance]) => balance)).toEqual([100, 200, 300]);
  await Promise.all(written.map(async ({ reviewId }) => dataOf(await shop.remove(reviewId, own.who))));
  expect((await history(own)).map(([, , balance]) => balance)).toEqual([100, 200, 300, 200, 100, 0]);
});

test('a review that is refused earns nothing', async () => {
  const own = await shopper();
  await query('DELETE FROM point_policy WHERE store_id = $1', [shop.storeId]);
  await reward({ text: 250 });
  const fresh = await shop.buy(productId, own.who);
  expect(codeOf(await shop.write(fresh, {}, own.who))).toEqual([409, 'INVALID_STATUS']);
  expect(await history(own)).toEqual([]);
  expect(await query('SELECT 1 FROM reviewed_item WHERE order_item_id = $1', [fresh.orderItemId])).toEqual([]);
});
