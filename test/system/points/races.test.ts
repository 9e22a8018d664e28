/**
 * Two checkouts never get the same point: starts at the same time, over two API processes (issue 21, proof). POINT_ROUNDS=100 by command.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Buyer } from '../../../bin/dev/client.ts';
import { sharedApi } from '../../kernel/secondApi.ts';
import { closeShops, codeOf, dataOf, Member, PointShop } from './shop.ts';

const ROUNDS = Number(process.env['POINT_ROUNDS'] ?? 1);
const STARTS = 50;
const LOST: ReadonlySet<string> = new Set(['POINT_BALANCE_INSUFFICIENT', 'POINT_BALANCE_CHANGED']);
let second: string;
let shop: PointShop;
beforeAll(async () => {
  [second, shop] = await Promise.all([sharedApi(), PointShop.open()]);
});
afterAll(closeShops);

test(
  `of ${STARTS} starts with the same points one has them`,
  async () => {
    const member = await shop.member(7000);
    const elsewhere = new Member(shop, new Buyer(second, member.buyer.headers), member.customerId);
    const productId = await shop.product(10_000, { stockQuantity: 100_000 });
    const checkouts: string[] = [];
    for (let i = 0; i < STARTS; i++) checkouts.push(await member.checkout({ productId, quantity: 1 }));
    for (let round = 0; round < ROUNDS; round++) {
      // Every other one has previewed: it may find the balance changed instead.
      if (round % 2 === 1) await Promise.all(checkouts.map((checkoutId) => member.price(checkoutId, 7000)));
      const replies = await Promise.all(checkouts.map((checkoutId, i) => (i % 2 === 0 ? member : elsewhere).start(checkoutId, 7000)));
      const codes = replies.map((reply) => codeOf(reply)[1]);
      expect(codes.filter((code) => !LOST.has(code))).toEqual(['OK']);
      expect(await member.balance()).toBe(0);
      const winner = checkouts[codes.indexOf('OK')]!;
      dataOf(await member.start(winner, 0));
      expect(await member.balance()).toBe(7000);
      expect(await member.moves()).toHaveLength(2 * (round + 1));
    }
  },
  60_000 + ROUNDS * 20_000,
);

test('cancels and starts of one member that lock the same stock and the same points never block each other for good', async () => {
  const member = await shop.member(100_000);
  const productId = await shop.product(1000, { stockQuantity: 1000 });
  const bought = await Promise.all(Array.from({ length: 6 }, () => member.buy(1000, { productId, quantity: 1 })));
  const checkouts = await Promise.all(Array.from({ length: 6 }, () => member.checkout({ productId, quantity: 1 })));
  const [starts] = await Promise.all([
    Promise.all(checkouts.map((checkoutId) => member.start(checkoutId, 1000, { option: undefined }))),
    Promise.all(bought.map(({ items }) => shop.cancel(items[0]!.orderItemId))),
  ]);
  expect(starts.map((reply) => codeOf(reply)[1])).toEqual(checkouts.map(() => 'OK'));
  expect(await member.balance()).toBe(94_000);
});
