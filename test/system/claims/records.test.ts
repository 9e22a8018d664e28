/** What claims leave: events to webhooks, and records of the audit log (issue 19, point 6). */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Value } from 'typebox/value';
import { EVENT_DATA } from '../../../domain/webhooks/payloads.ts';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest } from '../../kernel/world.ts';
import { type Bought, ClaimShop, dataOf, type Fields, MIND, PARCEL, PICKUP } from './shop.ts';

let shop: ClaimShop;
beforeAll(async () => {
  shop = await ClaimShop.open();
});
const REJECTION = { reason: 'OTHER', explanation: '비밀스러운 거부의 설명입니다' };

describe('events', () => {
  /** Of an order: types with their data, without payment and flow. */
  const eventsOf = async (orderId: string) => {
    const events = await shop.world.events({ about: orderId });
    return events
      .filter(({ type }) => type.startsWith('CLAIM.') || type === 'ORDER.CANCELED')
      .map(({ type, data }) => {
        expect([type, [...Value.Errors(EVENT_DATA[type as keyof typeof EVENT_DATA], data)]]).toEqual([type, []]);
        return [type, data] as const;
      });
  };
  const claimData = (of: { orderId: string; orderItemId: string }, claimId: string, claimType: string, status: string) => ({
    claimId,
    orderId: of.orderId,
    orderItemId: of.orderItemId,
    claimType,
    status,
    testPayment: true,
  });
  const canceled = (of: { orderId: string; orderItemId: string }, changes: Fields = {}) => ({
    orderId: of.orderId,
    orderItemId: of.orderItemId,
    canceledQuantity: 1,
    refundAmount: 13_000,
    pointRefundAmount: 0,
    status: 'CANCELED',
    testPayment: true,
    ...changes,
  });

  test('of a cancel at once: requested, canceled, completed', async () => {
    const bought = await shop.buy();
    const claimId = await shop.filed(bought.orderItemId, { type: 'CANCEL' });
    expect(await eventsOf(bought.orderId)).toEqual([
      ['CLAIM.CANCEL_REQUESTED', claimData(bought, claimId, 'CANCEL', 'REQUESTED')],
      ['ORDER.CANCELED', canceled(bought)],
      ['CLAIM.COMPLETED', claimData(bought, claimId, 'CANCEL', 'COMPLETED')],
    ]);
  });
  test('of an approved cancel of a part: ORDER.CANCELED with its units, at the approval', async () => {
    const bought = await shop.buy('CONFIRMED', { quantity: 3 });
    const claimId = await shop.filed(bought.orderItemId, { type: 'CANCEL', quantity: 2 });
    expect(await eventsOf(bought.orderId)).toHaveLength(1);
    await shop.acted(claimId, 'approve', { deductAmount: 500 });
    expect((await eventsOf(bought.orderId)).slice(1)).toEqual([
      ['ORDER.CANCELED', canceled(bought, { canceledQuantity: 2, refundAmount: 19_500, status: 'CONFIRMED' })],
      ['CLAIM.COMPLETED', claimData(bought, claimId, 'CANCEL', 'COMPLETED')],
    ]);
  });
  test('of a return and of an exchange: requested and completed, and no ORDER.CANCELED', async () => {
    const [returned, exchanged] = [await shop.buy('DELIVERED'), await shop.buy('DELIVERED')];
    const back = await shop.collected(returned.orderItemId, { type: 'RETURN' });
    await shop.acted(back, 'approve');
    expect(await eventsOf(returned.orderId)).toEqual([
      ['CLAIM.RETURN_REQUESTED', claimData(returned, back, 'RETURN', 'REQUESTED')],
      ['CLAIM.COMPLETED', claimData(returned, back, 'RETURN', 'COMPLETED')],
    ]);
    const other = await shop.collected(exchanged.orderItemId, { type: 'EXCHANGE' });
    await shop.acted(other, 'redelivery', PARCEL);
    expect(await eventsOf(exchanged.orderId)).toHaveLength(1);
    await shop.acted(other, 'complete-exchange');
    expect(await eventsOf(exchanged.orderId)).toEqual([
      ['CLAIM.EXCHANGE_REQUESTED', claimData(exchanged, other, 'EXCHANGE', 'REQUESTED')],
      ['CLAIM.COMPLETED', claimData(exchanged, other, 'EXCHANGE', 'COMPLETED')],
    ]);
  });
  test('of a rejected, a withdrawn and a previewed claim: none but the request', async () => {
    const bought = await shop.buy('CONFIRMED');
    await shop.preview(bought.orderItemId, { type: 'CANCEL', ...MIND });
    await shop.withdraw(await shop.filed(bought.orderItemId, { type: 'CANCEL' }));
    await shop.acted(await shop.filed(bought.orderItemId, { type: 'CANCEL' }), 'reject', REJECTION);
    expect((await eventsOf(bought.orderId)).map(([type]) => type)).toEqual(['CLAIM.CANCEL_REQUESTED', 'CLAIM.CANCEL_REQUESTED']);
  });
  test('change the feed: order and item move with every step of a claim', async () => {
    const bought = await shop.buy('CONFIRMED');
    const changedAt = async () => [
      (await shop.item(bought.orderItemId)).lastChangedAt as string,
      dataOf(await shop.world.seller.call('GET', `/v1/orders/${bought.orderId}`)).lastChangedAt as string,
    ];
    const seen = [await changedAt()];
    const claimId = await shop.filed(bought.orderItemId, { type: 'CANCEL' });
    seen.push(await changedAt());
    await shop.acted(claimId, 'hold', { reason: '확인 중입니다' });
    seen.push(await changedAt());
    await shop.acted(claimId, 'release');
    seen.push(await changedAt());
    for (const column of [0, 1]) {
      const times = seen.map((pair) => pair[column]!);
      expect([...new Set(times)].toSorted()).toEqual(times);
    }
  });
});

describe('lastChangedAt', () => {
  /** A store whose feed is ahead of its clock, so that every change is dated later than its own time. */
  async function ahead(): Promise<ClaimShop> {
    const early = await ClaimShop.open();
    await early.buy();
    await query(`UPDATE feed SET changed_at = changed_at + interval '1 hour' WHERE store_id = $1`, [early.storeId]);
    return early;
  }
  /** What was answered is what is read: of the claim, its item, its order, and under the same key. */
  async function expectSame(of: ClaimShop, bought: Bought, send: (headers: Headers_) => Promise<Reply>): Promise<string> {
    const key = { 'idempotency-key': randomUUID() };
    const first = await send(key);
    const { claimId, lastChangedAt } = dataOf(first) as { claimId: string; lastChangedAt: string };
    const order = dataOf(await of.world.seller.call('GET', `/v1/orders/${bought.orderId}`)) as Fields;
    const read = [(await of.claim(claimId)).lastChangedAt, (await of.item(bought.orderItemId)).lastChangedAt, order['lastChangedAt']];
    expect(read).toEqual([lastChangedAt, lastChangedAt, lastChangedAt]);
    expect(Date.parse(lastChangedAt)).toBeGreaterThan(Date.now() + 3_000_000);
    expect(dataOf(await send(key))).toEqual(dataOf(first));
    return claimId;
  }
  test('of a claim’s answers is what GET shows, wherever the store’s feed is', async () => {
    const early = await ahead();
    const bought = await early.buy('CONFIRMED', { quantity: 2 });
    const same = (send: (headers: Headers_) => Promise<Reply>) => expectSame(early, bought, send);
    const cancel = { type: 'CANCEL', ...MIND, quantity: 1 };
    const first = await same((headers) => early.file(bought.orderItemId, cancel, headers));
    await same((headers) => early.act(first, 'hold', { reason: '확인 중입니다' }, headers));
    await same((headers) => early.act(first, 'release', {}, headers));
    await same((headers) => early.withdraw(first, headers));
    const second = await same((headers) => early.file(bought.orderItemId, cancel, headers));
    await same((headers) => early.act(second, 'reject', REJECTION, headers));
    await early.bring([bought.orderItemId], 'DELIVERED');
    const third = await same((headers) => early.file(bought.orderItemId, { type: 'EXCHANGE', ...MIND }, headers));
    await same((headers) => early.act(third, 'collect', PICKUP, headers));
    await same((headers) => early.act(third, 'collect/complete', {}, headers));
    await same((headers) => early.act(third, 'redelivery', PARCEL, headers));
    await same((headers) => early.act(third, 'complete-exchange', {}, headers));
  });
  test('of a claim that completes at once too, and of a guest’s', async () => {
    const early = await ahead();
    const mine = await early.buy();
    await expectSame(early, mine, (headers) => early.file(mine.orderItemId, { type: 'CANCEL', ...MIND }, headers));
    const guests = await early.buy('PAID', { who: await early.world.buyer() });
    await expectSame(early, guests, (headers) =>
      early.asGuest(`${guests.orderId}/items/${guests.orderItemId}/claims`, { type: 'CANCEL', ...MIND }, headers),
    );
  });
  test('of an approved claim is that of its order', async () => {
    const early = await ahead();
    const bought = await early.buy('CONFIRMED');
    const claimId = await early.filed(bought.orderItemId, { type: 'CANCEL' });
    await early.acted(claimId, 'approve');
    expect((await early.claim(claimId)).lastChangedAt).toBe((await early.item(bought.orderItemId)).lastChangedAt);
  });
});

describe('the audit log', () => {
  interface Logged {
    readonly source: string;
    readonly action: string;
    readonly actor: { readonly type: string; readonly id: string };
    readonly target: { readonly type: string; readonly id: string } | null;
    readonly requestId: string | null;
    readonly outcome: string;
    readonly metadata: Fields & { readonly changes?: readonly { field: string; before: unknown; after: unknown }[] };
  }
  let owner: Headers_;
  beforeAll(async () => {
    await people(shop.world);
    const { storeCode } = shop.world.store;
    owner = { authorization: `Bearer ${await storeToken(`owner@${storeCode}.example`, shop.storeId)}` };
  });
  const logged = async (claimId: string, source: 'REQUEST' | 'DOMAIN'): Promise<Logged[]> =>
    dataOf(await call(underTest.api, 'GET', `/v1/audit-logs?source=${source}&targetId=${claimId}&limit=100`, { headers: owner }))
      .items as Logged[];
  const act = (claimId: string, path: string, body: Fields = {}) =>
    call(underTest.api, 'POST', `/v1/claims/${claimId}/${path}`, { body, headers: owner });

  test('has a REQUEST record of each command of the seller, with what it changed', async () => {
    const { orderItemId } = await shop.buy('DELIVERED');
    const claimId = await shop.filed(orderItemId, { type: 'EXCHANGE' });
    const steps: readonly (readonly [string, Fields, string, object])[] = [
      ['hold', { reason: '비밀 사유' }, 'claims.hold', { field: 'status', before: 'REQUESTED', after: 'HELD' }],
      ['release', {}, 'claims.release', { field: 'status', before: 'HELD', after: 'REQUESTED' }],
      ['collect', PICKUP, 'claims.collect', { field: 'collection.carrierCode', before: null, after: 'CJ' }],
      ['collect/complete', {}, 'claims.completeCollection', { field: 'inspection.soundQuantity', before: null, after: 1 }],
      ['redelivery', PARCEL, 'claims.redeliver', { field: 'status', before: 'COLLECTED', after: 'REDELIVERING' }],
      ['complete-exchange', {}, 'claims.completeExchange', { field: 'status', before: 'REDELIVERING', after: 'COMPLETED' }],
    ];
    for (const [path, body] of steps) dataOf(await act(claimId, path, body));
    const records = (await logged(claimId, 'REQUEST')).toReversed();
    expect(records.map(({ action, outcome, actor }) => [action, outcome, actor.type])).toEqual(
      steps.map(([, , action]) => [action, 'SUCCEEDED', 'USER']),
    );
    for (const [i, [, , , change]] of steps.entries()) expect(records[i]!.metadata.changes).toContainEqual(change);
    const text = JSON.stringify(records);
    for (const secret of ['비밀 사유', PARCEL.trackingNumber]) expect(text).not.toContain(secret);
    expect(await logged(claimId, 'DOMAIN')).toEqual([]);
  });
  test('has a rejection without its words, and a refused command with its code', async () => {
    const claimId = await shop.filed((await shop.buy('CONFIRMED')).orderItemId, { type: 'CANCEL' });
    dataOf(await act(claimId, 'reject', REJECTION));
    await act(claimId, 'approve');
    const [refused, rejected] = await logged(claimId, 'REQUEST');
    expect(refused).toMatchObject({ action: 'claims.approve', outcome: 'FAILED', errorCode: 'INVALID_STATUS', statusCode: 409 });
    expect(rejected).toMatchObject({ action: 'claims.reject', outcome: 'SUCCEEDED' });
    expect(rejected!.metadata.changes).toContainEqual({ field: 'rejection.reason', before: null, after: 'OTHER' });
    expect(JSON.stringify(rejected)).not.toContain(REJECTION.explanation);
    expect(await logged(claimId, 'DOMAIN')).toEqual([]);
  });
  test('has CLAIM_REFUNDED of an approval, with amounts and who approved it', async () => {
    const claimId = await shop.filed((await shop.buy('CONFIRMED')).orderItemId, { type: 'CANCEL' });
    const approved = await act(claimId, 'approve', { deductAmount: 3000 });
    const [record, ...rest] = await logged(claimId, 'DOMAIN');
    const [request] = await logged(claimId, 'REQUEST');
    expect(rest).toEqual([]);
    expect(record).toMatchObject({
      action: 'CLAIM_REFUNDED',
      target: { type: 'CLAIM', id: claimId },
      actor: request!.actor,
      requestId: approved.body.meta.requestId,
      metadata: { refundAmount: 10_000, pointRefundAmount: 0 },
    });
    expect(request).toMatchObject({ action: 'claims.approve', actor: { type: 'USER' } });
  });
  test('has CLAIM_REFUNDED of a cancel at once as the buyer’s, one of nothing too, and no REQUEST record of buyers', async () => {
    const claimId = await shop.filed((await shop.buy()).orderItemId, { type: 'CANCEL' });
    expect(await logged(claimId, 'DOMAIN')).toMatchObject([
      { action: 'CLAIM_REFUNDED', actor: { type: 'SYSTEM' }, metadata: { by: 'BUYER', refundAmount: 13_000 } },
    ]);
    const free = await shop.filed((await shop.buy('CONFIRMED')).orderItemId, { type: 'CANCEL' });
    dataOf(await act(free, 'approve', { deductAmount: 13_000 }));
    expect(await logged(free, 'DOMAIN')).toMatchObject([{ action: 'CLAIM_REFUNDED', metadata: { refundAmount: 0 } }]);
    const withdrawn = await shop.filed((await shop.buy('CONFIRMED')).orderItemId, { type: 'CANCEL' });
    await shop.withdraw(withdrawn);
    expect([...(await logged(claimId, 'REQUEST')), ...(await logged(withdrawn, 'REQUEST'))]).toEqual([]);
  });
});
