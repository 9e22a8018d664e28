/** Whatever happens to a claim at the same time has one winner, and each approval is paid back once (issue 19, point 4 and proof). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Reply } from '../../../bin/dev/client.ts';
import { query, until } from '../../kernel/world.ts';
import { type Bought, ClaimShop, codeOf, dataOf, ledger, MIND, type Stage } from './shop.ts';

/** Of each race; `npm run faults` has the full count. */
const ROUNDS = Math.ceil(Number(process.env['RACE_ROUNDS'] ?? 6) / 3);
/** Payments of which six claims are approved at once. */
const PAYMENTS = Number(process.env['CLAIM_PAYMENTS'] ?? 2);
const shops: ClaimShop[] = [];
beforeAll(async () => {
  shops.push(...(await Promise.all(Array.from({ length: 4 }, () => ClaimShop.open()))));
});
const REJECTION = { reason: 'OTHER', explanation: '이미 포장을 마쳤습니다' };
const decide = (shop: ClaimShop, id: string) => shop.member.call('POST', `/storefront/v1/me/order-items/${id}/decide`, {});
const codes = (...replies: Reply[]): string[] => replies.map((reply) => codeOf(reply)[1]);

interface Race {
  readonly stage: Stage;
  readonly type: 'CANCEL' | 'RETURN';
  /** A claim that is filed before, and held. */
  readonly isFiled?: boolean;
  readonly isHeld?: boolean;
  readonly run: (shop: ClaimShop, bought: Bought, claimId: string) => Promise<readonly Reply[]>;
  /** Codes of the answers, and the status of the item and units gone by then: nothing else happens. */
  readonly outcomes: readonly (readonly [codes: readonly string[], item: string, claim: string | null])[];
}
const request = { quantity: 1, ...MIND };
const races: Readonly<Record<string, Race>> = {
  'an approval and a withdrawal': {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    isFiled: true,
    run: (shop, _, id) => Promise.all([shop.act(id, 'approve'), shop.withdraw(id)]),
    outcomes: [
      [['OK', 'INVALID_STATUS'], 'CANCELED', 'COMPLETED'],
      [['CONCURRENT_UPDATE', 'OK'], 'CONFIRMED', 'WITHDRAWN'],
      [['INVALID_STATUS', 'OK'], 'CONFIRMED', 'WITHDRAWN'],
    ],
  },
  'an approval and a rejection': {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    isFiled: true,
    run: (shop, _, id) => Promise.all([shop.act(id, 'approve'), shop.act(id, 'reject', REJECTION)]),
    outcomes: [
      [['OK', 'INVALID_STATUS'], 'CANCELED', 'COMPLETED'],
      [['CONCURRENT_UPDATE', 'OK'], 'CONFIRMED', 'REJECTED'],
      [['INVALID_STATUS', 'OK'], 'CONFIRMED', 'REJECTED'],
    ],
  },
  'two approvals': {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    isFiled: true,
    run: (shop, _, id) => Promise.all([shop.act(id, 'approve'), shop.act(id, 'approve')]),
    outcomes: [
      [['OK', 'CONCURRENT_UPDATE'], 'CANCELED', 'COMPLETED'],
      [['CONCURRENT_UPDATE', 'OK'], 'CANCELED', 'COMPLETED'],
      [['OK', 'INVALID_STATUS'], 'CANCELED', 'COMPLETED'],
      [['INVALID_STATUS', 'OK'], 'CANCELED', 'COMPLETED'],
    ],
  },
  'the end of a hold and an approval': {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    isFiled: true,
    isHeld: true,
    run: async (shop, _, id) => (await Promise.all([shop.act(id, 'approve'), shop.world.advance('P8D')])).slice(0, 1) as Reply[],
    outcomes: [[['OK'], 'CANCELED', 'COMPLETED']],
  },
  'a release by hand and an approval': {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    isFiled: true,
    isHeld: true,
    run: (shop, _, id) => Promise.all([shop.act(id, 'approve'), shop.act(id, 'release')]),
    outcomes: [
      [['OK', 'OK'], 'CANCELED', 'COMPLETED'],
      [['OK', 'INVALID_STATUS'], 'CANCELED', 'COMPLETED'],
    ],
  },
  'a claim and a dispatch': {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    run: (shop, { orderItemId: id }) =>
      Promise.all([shop.file(id, { type: 'CANCEL', ...request }), shop.world.act(id, 'dispatch', { deliveryMethod: 'NONE' })]),
    outcomes: [
      [['OK', 'CLAIM_IN_PROGRESS'], 'CONFIRMED', 'REQUESTED'],
      [['INVALID_STATUS', 'OK'], 'DISPATCHED', null],
    ],
  },
  'a claim and the buyer’s decision': {
    stage: 'DELIVERED',
    type: 'RETURN',
    run: (shop, { orderItemId: id }) => Promise.all([shop.file(id, { type: 'RETURN', ...request }), decide(shop, id)]),
    outcomes: [
      [['OK', 'CLAIM_IN_PROGRESS'], 'DELIVERED', 'REQUESTED'],
      [['INVALID_STATUS', 'OK'], 'PURCHASE_DECIDED', null],
    ],
  },
  'a claim and the delivery': {
    stage: 'DISPATCHED',
    type: 'RETURN',
    run: (shop, { orderItemId: id }) => Promise.all([shop.file(id, { type: 'RETURN', ...request }), shop.world.act(id, 'delivered')]),
    outcomes: [
      [['OK', 'CLAIM_IN_PROGRESS'], 'DISPATCHED', 'REQUESTED'],
      [['OK', 'OK'], 'DELIVERED', 'REQUESTED'],
    ],
  },
  'a request and the seller’s cancel': {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    run: (shop, { orderItemId: id }) =>
      Promise.all([shop.file(id, { type: 'CANCEL', ...request }), shop.world.act(id, 'cancel', { reason: 'OTHER' })]),
    outcomes: [
      [['OK', 'CLAIM_IN_PROGRESS'], 'CONFIRMED', 'REQUESTED'],
      [['INVALID_STATUS', 'OK'], 'CANCELED', null],
    ],
  },
  'a cancel at once and the seller’s cancel': {
    stage: 'PAID',
    type: 'CANCEL',
    run: (shop, { orderItemId: id }) =>
      Promise.all([shop.file(id, { type: 'CANCEL', ...request }), shop.world.act(id, 'cancel', { reason: 'OTHER' })]),
    outcomes: [
      [['OK', 'ALREADY_CANCELED'], 'CANCELED', 'COMPLETED'],
      [['INVALID_STATUS', 'OK'], 'CANCELED', null],
    ],
  },
  'two claims': {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    run: async (shop, { orderItemId: id }) => {
      const both = await Promise.all([1, 2].map(() => shop.file(id, { type: 'CANCEL', ...request })));
      return both.toSorted((a, b) => a.status - b.status);
    },
    outcomes: [[['OK', 'CLAIM_IN_PROGRESS'], 'CONFIRMED', 'REQUESTED']],
  },
};

describe('one winner:', () => {
  async function race(shop: ClaimShop, { stage, type, isFiled, isHeld, run, outcomes }: Race): Promise<void> {
    const bought = await shop.buy(stage);
    const claimId = isFiled ? await shop.filed(bought.orderItemId, { type }) : '';
    if (isHeld) await shop.acted(claimId, 'hold', { reason: '확인 중입니다' });
    const answers = codes(...(await run(shop, bought, claimId)));
    const item = await shop.item(bought.orderItemId);
    const seen = [answers, item.status as string, (item.claims[0]?.status ?? null) as string | null];
    expect(outcomes).toContainEqual(seen);
    const won = (await shop.refunds(bought.orderId)).reduce((sum, refund) => sum + refund.won, 0);
    expect([seen, won]).toEqual([seen, item.status === 'CANCELED' ? 13_000 : 0]);
    expect(await shop.stock(bought.variantId)).toBe(item.status === 'CANCELED' ? 100 : 99);
  }
  test.each(Object.keys(races))(
    '%s',
    async (name) => {
      for (let round = 0; round < ROUNDS; round += shops.length)
        await Promise.all(shops.slice(0, ROUNDS - round).map((shop) => race(shop, races[name]!)));
    },
    600_000,
  );
});

test(`six claims of one payment, approved at once, are paid back once each: ${PAYMENTS} payments`, async () => {
  const orders: Bought[] = [];
  const products = await Promise.all(shops.map((shop) => shop.world.product({ stockQuantity: 10_000 })));
  let left = PAYMENTS;
  async function one(shop: ClaimShop, product: { productId: string; variantId: string }): Promise<void> {
    const lines = Array.from({ length: 6 }, () => ({ productId: product.productId, quantity: 1 }));
    const bought = await shop.buyLines('CONFIRMED', lines, product);
    orders.push(bought);
    const claims: string[] = [];
    for (const id of bought.itemIds) claims.push(await shop.filed(id, { type: 'CANCEL' }));
    const approved = await Promise.all(claims.map((id) => approveSurely(shop, id)));
    expect(ascending(approved.map((reply) => dataOf(reply).refundAmount as number))).toEqual(SIX);
  }
  await Promise.all(
    shops.map(async (shop, i) => {
      while (left-- > 0) await one(shop, products[i]!);
    }),
  );
  for (const { orderId } of orders) {
    const refunds = await shops[0]!.refunds(orderId);
    expect([new Set(refunds.map(({ status }) => status)), ascending(refunds.map(({ won }) => won))]).toEqual([new Set(['DONE']), SIX]);
  }
  const paidBack = await ledger();
  expect(orders).toHaveLength(PAYMENTS);
  for (const { orderNo } of orders) expect([orderNo, ascending(paidBack.get(`${orderNo}-01`)!)]).toEqual([orderNo, SIX]);
}, 600_000);
/** Who is told on a busy machine to ask again asks again, with the same key. */
const approveSurely = (shop: ClaimShop, claimId: string): Promise<Reply> =>
  until('an answer', async () => {
    const reply = await shop.act(claimId, 'approve', {}, { 'idempotency-key': `approve-${claimId}` });
    return reply.status !== 503 && reply;
  });
/** The last of the bundle takes its delivery fee with it. */
const SIX = [10_000, 10_000, 10_000, 10_000, 10_000, 13_000];
const ascending = (amounts: readonly number[]) => amounts.toSorted((a, b) => a - b);

afterAll(async () => {
  const ids = shops.map(({ storeId }) => storeId);
  const stray = await query(
    `SELECT v.variant_id FROM variant v WHERE v.store_id = ANY($1) AND stock_quantity <> (SELECT sum(quantity) FROM stock_movement m
     WHERE m.variant_id = v.variant_id)`,
    [ids],
  );
  expect(stray).toEqual([]);
});
