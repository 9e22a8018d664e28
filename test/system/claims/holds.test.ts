/** A claim is held once and released by its time or by hand; a buyer withdraws it; meanwhile the item's deadlines rest. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { DAY } from '../../../domain/kernel/time.ts';
import { type Bought, ClaimShop, codeOf, dataOf, type Fields, MIND, PARCEL, PICKUP } from './shop.ts';

let shop: ClaimShop;
beforeAll(async () => {
  shop = await ClaimShop.open();
});
const CANCEL = { type: 'CANCEL', ...MIND };
const RETURN = { type: 'RETURN', ...MIND };
const HOLD = { reason: '구매자와 통화 중' };
const REJECTION = { reason: 'OTHER', explanation: '이미 포장을 마쳤습니다' };
const requested = async () => shop.filed((await shop.buy('CONFIRMED')).orderItemId, CANCEL);
const now = async () => Date.parse(dataOf(await shop.world.seller.call('GET', '/v1/sandbox/clock')).now as string);
const iso = (ms: number) => new Date(ms).toISOString();

describe('a hold', () => {
  test('is shown to the seller with its reason and its end, and to the buyer without the reason', async () => {
    const bought = await shop.buy('CONFIRMED');
    const claimId = await shop.filed(bought.orderItemId, CANCEL);
    const until = (await now()) + 3 * DAY;
    const held = await shop.acted(claimId, 'hold', { ...HOLD, until: iso(until) });
    expect(held).toMatchObject({ status: 'HELD', holdReason: HOLD.reason, holdUsed: true });
    expect(Math.abs(Date.parse(held.holdExpiresAt as string) - until)).toBeLessThan(1000);
    expect((await shop.buyersItem(bought)).claims).toMatchObject([{ claimId, status: 'HELD' }]);
    const withdrawn = dataOf(await shop.withdraw(claimId));
    expect(withdrawn).toMatchObject({ status: 'WITHDRAWN', holdUsed: true, holdExpiresAt: null });
    expect(JSON.stringify(withdrawn)).not.toContain(HOLD.reason);
  });
  test('lasts seven days where no time is given, and none that has passed or is later', async () => {
    const claimId = await requested();
    const at = await now();
    for (const until of [at - 1000, at - DAY, at + 7 * DAY + 60_000, at + 400 * DAY]) {
      const { status, body } = await shop.act(claimId, 'hold', { ...HOLD, until: iso(until) });
      expect([status, body.error?.code, body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([400, 'VALIDATION_FAILED', ['until']]);
    }
    for (const body of [{}, { reason: '' }, { ...HOLD, until: 'tomorrow' }, { ...HOLD, until: '2026-02-30T00:00:00Z' }])
      expect(codeOf(await shop.act(claimId, 'hold', body))).toEqual([400, 'VALIDATION_FAILED']);
    const { holdExpiresAt } = await shop.acted(claimId, 'hold', HOLD);
    expect(Date.parse(holdExpiresAt as string) - at).toBeGreaterThanOrEqual(7 * DAY - 1000);
  });
  test('happens once: ALREADY_HELD while it lasts and after it', async () => {
    const claimId = await requested();
    await shop.acted(claimId, 'hold', HOLD);
    expect(codeOf(await shop.act(claimId, 'hold', HOLD))).toEqual([409, 'ALREADY_HELD']);
    await shop.acted(claimId, 'release');
    expect(codeOf(await shop.act(claimId, 'hold', HOLD))).toEqual([409, 'ALREADY_HELD']);
    expect(await shop.claim(claimId)).toMatchObject({ status: 'REQUESTED', holdUsed: true, holdExpiresAt: null });
  });
  test('is released by its time, to the moment', async () => {
    const claimId = await requested();
    const { holdExpiresAt } = await shop.acted(claimId, 'hold', HOLD);
    await shop.world.advance('P6DT23H50M');
    expect((await shop.claim(claimId)).status).toBe('HELD');
    await shop.world.advance('PT10M1S');
    const claim = await shop.claim(claimId);
    expect(claim).toMatchObject({ status: 'REQUESTED', holdUsed: true, holdExpiresAt: null });
    expect(claim.history.slice(1)).toMatchObject([
      { name: 'hold', by: 'SELLER' },
      { name: 'release', by: 'SYSTEM', at: holdExpiresAt, message: '취소 보류 해제 (자동)' },
    ]);
    await shop.acted(claimId, 'approve');
  });
  test('is released by hand, and only while it lasts', async () => {
    const claimId = await requested();
    expect(codeOf(await shop.act(claimId, 'release'))).toEqual([409, 'INVALID_STATUS']);
    await shop.acted(claimId, 'hold', HOLD);
    expect(await shop.acted(claimId, 'release')).toMatchObject({ status: 'REQUESTED', holdExpiresAt: null });
    expect(codeOf(await shop.act(claimId, 'release'))).toEqual([409, 'INVALID_STATUS']);
    await shop.world.advance('P8D');
    expect((await shop.claim(claimId)).history.map(({ name, by }: Record<string, string>) => [name, by])).toEqual([
      ['request', 'BUYER'],
      ['hold', 'SELLER'],
      ['release', 'SELLER'],
    ]);
  });
  test('is no hold of what has begun', async () => {
    const claimId = await shop.filed((await shop.buy('DELIVERED')).orderItemId, RETURN);
    await shop.acted(claimId, 'collect', PICKUP);
    expect(codeOf(await shop.act(claimId, 'hold', HOLD))).toEqual([409, 'INVALID_STATUS']);
    await shop.acted(claimId, 'collect/complete');
    expect(codeOf(await shop.act(claimId, 'hold', HOLD))).toEqual([409, 'INVALID_STATUS']);
  });
  test.each<[string, Fields, string]>([
    ['approve', {}, 'COMPLETED'],
    ['reject', REJECTION, 'REJECTED'],
  ])('does not stop the seller’s %s', async (path, body, status) => {
    const claimId = await requested();
    await shop.acted(claimId, 'hold', HOLD);
    await shop.acted(claimId, path, body);
    expect(await shop.claim(claimId)).toMatchObject({ status, holdExpiresAt: null, holdUsed: true });
  });
  test('does not stop a collection', async () => {
    const claimId = await shop.filed((await shop.buy('DISPATCHED')).orderItemId, RETURN);
    await shop.acted(claimId, 'hold', HOLD);
    expect(await shop.acted(claimId, 'collect', PICKUP)).toMatchObject({ status: 'COLLECTING', holdExpiresAt: null });
  });
});

describe('a buyer withdraws', () => {
  test('what is requested or held', async () => {
    for (const isHeld of [false, true]) {
      const bought = await shop.buy('CONFIRMED');
      const claimId = await shop.filed(bought.orderItemId, CANCEL);
      if (isHeld) await shop.acted(claimId, 'hold', HOLD);
      const offered = (await shop.buyersItem(bought)).actions.filter(({ key }: { key: string }) => key === 'withdraw');
      expect(offered).toMatchObject([{ enabled: true, disabled: null, by: 'buyer' }]);
      expect(dataOf(await shop.withdraw(claimId))).toMatchObject({ status: 'WITHDRAWN', refundAmount: 0 });
      expect(codeOf(await shop.withdraw(claimId))).toEqual([409, 'INVALID_STATUS']);
      expect((await shop.buyersItem(bought)).actions).not.toContainEqual(expect.objectContaining({ key: 'withdraw' }));
    }
  });
  test('nothing that the seller has begun with', async () => {
    const bought = await shop.buy('DELIVERED');
    const claimId = await shop.filed(bought.orderItemId, { type: 'EXCHANGE', ...MIND });
    for (const [path, body] of [
      ['collect', PICKUP],
      ['collect/complete', {}],
      ['redelivery', PARCEL],
      ['complete-exchange', {}],
    ] as const) {
      await shop.acted(claimId, path, body);
      expect([path, ...codeOf(await shop.withdraw(claimId))]).toEqual([path, 409, 'INVALID_STATUS']);
      const offered = (await shop.buyersItem(bought)).actions.filter(({ key }: { key: string }) => key === 'withdraw');
      expect([path, offered]).toMatchObject([
        path,
        path === 'complete-exchange' ? [] : [{ enabled: false, disabled: { reason: 'NOT_IN_STATE' } }],
      ]);
    }
    const rejected = await requested();
    await shop.acted(rejected, 'reject', REJECTION);
    expect(codeOf(await shop.withdraw(rejected))).toEqual([409, 'INVALID_STATUS']);
  });
  test('no claim of another', async () => {
    const claimId = await requested();
    const other = await shop.world.member();
    for (const id of [claimId, 'clm_none'])
      expect(codeOf(await other.call('POST', `/storefront/v1/me/claims/${id}/withdraw`, {}))).toEqual([404, 'CLAIM_NOT_FOUND']);
    expect((await shop.claim(claimId)).status).toBe('REQUESTED');
  });
});

describe('the decision of the item rests while its claim is open, and goes on with the time that was left', () => {
  const ends: Readonly<Record<string, (claimId: string, bought: Bought) => Promise<unknown>>> = {
    'the withdrawal': (claimId) => shop.withdraw(claimId),
    'the rejection': (claimId) => shop.acted(claimId, 'reject', REJECTION),
    'the return of a part': async (claimId) => {
      await shop.acted(claimId, 'collect', PICKUP);
      await shop.acted(claimId, 'collect/complete');
      return shop.acted(claimId, 'approve');
    },
    'the rejection after a collection': async (claimId) => {
      await shop.acted(claimId, 'collect', PICKUP);
      await shop.acted(claimId, 'collect/complete');
      return shop.acted(claimId, 'reject', REJECTION);
    },
  };
  test('until the withdrawal, the rejection, the return of a part', async () => {
    const started = await Promise.all(
      Object.keys(ends).map(async (name) => ({ name, ...(await shop.buy('DELIVERED', { quantity: 2 })), at: await now() })),
    );
    await shop.world.advance('P2D');
    const dates = await Promise.all(
      started.map(async ({ orderItemId }) => Date.parse((await shop.item(orderItemId)).autoDecisionDate as string)),
    );
    const claims = await Promise.all(started.map(({ orderItemId }) => shop.filed(orderItemId, { ...RETURN, quantity: 1 })));
    await shop.world.advance('P20D');
    for (const [i, bought] of started.entries()) {
      expect(await shop.item(bought.orderItemId)).toMatchObject({ status: 'DELIVERED', autoDecisionDate: null });
      await ends[bought.name]!(claims[i]!, bought);
      const { requestedAt, closedAt } = (await shop.claim(claims[i]!)) as { requestedAt: string; closedAt: string };
      const left = dates[i]! - Date.parse(requestedAt);
      const resumed = Date.parse((await shop.item(bought.orderItemId)).autoDecisionDate as string);
      expect([bought.name, Math.abs(resumed - Date.parse(closedAt) - left) <= 2000]).toEqual([bought.name, true]);
      expect(left).toBeLessThanOrEqual(5 * DAY);
    }
    await shop.world.advance('P4DT23H');
    for (const { orderItemId } of started) expect((await shop.item(orderItemId)).status).toBe('DELIVERED');
    await shop.world.advance('PT1H10M');
    for (const { orderItemId } of started) expect((await shop.item(orderItemId)).status).toBe('PURCHASE_DECIDED');
  });
  test('and so does the automatic delivery of what was dispatched', async () => {
    const { orderItemId } = await shop.buy('DISPATCHED');
    await shop.world.advance('P1D');
    const claimId = await shop.filed(orderItemId, RETURN);
    await shop.world.advance('P30D');
    expect((await shop.item(orderItemId)).status).toBe('DISPATCHED');
    await shop.withdraw(claimId);
    await shop.world.advance('P3D');
    expect((await shop.item(orderItemId)).status).toBe('DISPATCHED');
    await shop.world.advance('P10D');
    expect((await shop.item(orderItemId)).status).not.toBe('DISPATCHED');
  });
});
