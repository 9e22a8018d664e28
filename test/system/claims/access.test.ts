/** Whose claims are whose, who may handle them, repeated requests, and odd input (issue 19). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, type Headers_, type Reply, token } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest } from '../../kernel/world.ts';
import { ClaimShop, codeOf, dataOf, type Fields, fieldsOf, MIND, PARCEL, PICKUP, PROOF } from './shop.ts';

let shop: ClaimShop;
beforeAll(async () => {
  shop = await ClaimShop.open();
});
const CANCEL = { type: 'CANCEL', ...MIND };
const REJECTION = { reason: 'OTHER', explanation: '이미 포장을 마쳤습니다' };
/** The commands of the seller, with a body that is right. */
const COMMANDS: readonly (readonly [path: string, body: Fields])[] = [
  ['approve', {}],
  ['reject', REJECTION],
  ['collect', PICKUP],
  ['collect/complete', {}],
  ['redelivery', PARCEL],
  ['complete-exchange', {}],
  ['hold', { reason: '확인 중입니다' }],
  ['release', {}],
];
const requested = async () => {
  const bought = await shop.buy('CONFIRMED');
  return { ...bought, claimId: await shop.filed(bought.orderItemId, CANCEL) };
};

describe('another store', () => {
  let rival: ClaimShop;
  let theirs: Awaited<ReturnType<typeof requested>>;
  beforeAll(async () => {
    [rival, theirs] = await Promise.all([ClaimShop.open(), requested()]);
  });
  test('does not know our claims: what is not theirs is as unknown as what nobody has', async () => {
    for (const claimId of [theirs.claimId, 'clm_none']) {
      for (const [path, body] of COMMANDS)
        expect([path, ...codeOf(await rival.act(claimId, path, body))]).toEqual([path, 404, 'CLAIM_NOT_FOUND']);
      expect(codeOf(await rival.world.seller.call('GET', `/v1/claims/${claimId}`))).toEqual([404, 'CLAIM_NOT_FOUND']);
      expect(codeOf(await rival.withdraw(claimId))).toEqual([404, 'CLAIM_NOT_FOUND']);
    }
    for (const filter of ['', `?orderId=${theirs.orderId}`, `?orderItemId=${theirs.orderItemId}`, '?status=REQUESTED'])
      expect(dataOf(await rival.world.seller.call('GET', `/v1/claims${filter}`))).toMatchObject({ items: [], total: 0 });
    expect(await shop.claim(theirs.claimId)).toMatchObject({ status: 'REQUESTED' });
  });
  test('does not know our items and orders, nor do its buyers and guests', async () => {
    for (const reply of [await rival.file(theirs.orderItemId, CANCEL), await rival.preview(theirs.orderItemId, CANCEL)])
      expect(codeOf(reply)).toEqual([404, 'ORDER_ITEM_NOT_FOUND']);
    const guests = await shop.buy('CONFIRMED', { who: await shop.world.buyer() });
    const path = `${guests.orderId}/items/${guests.orderItemId}/claims`;
    for (const one of [path, `${path}/preview`, `${guests.orderId}/claims/clm_none/withdraw`])
      expect(codeOf(await rival.asGuest(one, one.endsWith('withdraw') ? {} : CANCEL))).toEqual([404, 'ORDER_NOT_FOUND']);
  });
});

describe('scopes and roles', () => {
  const bearer = (value: string): Headers_ => ({ authorization: `Bearer ${value}` });
  const send = (headers: Headers_, claimId: string, path: string, body: Fields) =>
    call(underTest.api, 'POST', `/v1/claims/${claimId}/${path}`, { body, headers });
  test('claim:r reads, claim:rw handles, and no other scope does either', async () => {
    const { claimId } = await requested();
    const reads = bearer(await token(underTest.api, shop.world.store, 'claim:r'));
    const others = bearer(await token(underTest.api, shop.world.store, 'order:rw product:rw'));
    for (const path of ['/v1/claims', `/v1/claims/${claimId}`]) {
      expect((await call(underTest.api, 'GET', path, { headers: reads })).status).toBe(200);
      expect(codeOf(await call(underTest.api, 'GET', path, { headers: others }))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    }
    for (const headers of [reads, others])
      for (const [path, body] of COMMANDS)
        expect([path, ...codeOf(await send(headers, claimId, path, body))]).toEqual([path, 403, 'INSUFFICIENT_SCOPE']);
    expect((await shop.claim(claimId)).status).toBe('REQUESTED');
    const handles = bearer(await token(underTest.api, shop.world.store, 'claim:rw'));
    expect(codeOf(await send(handles, claimId, 'approve', {}))).toEqual([200, 'OK']);
  });
  test('STAFF handle claims', async () => {
    await people(shop.world);
    const staff = bearer(await storeToken(`staff@${shop.world.store.storeCode}.example`, shop.storeId));
    const { claimId } = await requested();
    expect((await call(underTest.api, 'GET', `/v1/claims/${claimId}`, { headers: staff })).status).toBe(200);
    for (const [path, body] of [['hold', { reason: '확인 중입니다' }] as const, ['approve', {}] as const])
      expect([path, ...codeOf(await send(staff, claimId, path, body))]).toEqual([path, 200, 'OK']);
  });
  test('who is not logged in files, withdraws and handles nothing', async () => {
    const { claimId, orderItemId } = await requested();
    const guest = await shop.world.buyer();
    for (const reply of [
      await guest.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, CANCEL),
      await guest.call('POST', `/storefront/v1/me/claims/${claimId}/withdraw`, {}),
      await send({}, claimId, 'approve', {}),
      await send(shop.member.headers, claimId, 'approve', {}),
    ])
      expect(codeOf(reply)).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('an idempotency key', () => {
  const key = (value: string) => ({ 'idempotency-key': value });
  const isReplayed = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';
  test('of a filing: a repeat gets the same answer, another body is refused, a preview is free', async () => {
    const { orderItemId } = await shop.buy('PAID', { quantity: 2 });
    const one = { ...CANCEL, quantity: 1 };
    const first = await shop.file(orderItemId, one, key('file'));
    const again = await shop.file(orderItemId, one, key('file'));
    expect([again.status, again.body.data, isReplayed(again)]).toEqual([201, first.body.data, true]);
    expect(codeOf(await shop.file(orderItemId, CANCEL, key('file')))[1]).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await shop.item(orderItemId)).toMatchObject({ canceledQuantity: 1 });
  });
  test('of a guest’s filing too', async () => {
    const { orderId, orderItemId } = await shop.buy('PAID', { who: await shop.world.buyer(), quantity: 2 });
    const headers = { 'x-store-code': shop.world.store.storeCode, ...key('guest') };
    const file = () =>
      call(underTest.api, 'POST', `/storefront/v1/guest/orders/${orderId}/items/${orderItemId}/claims`, {
        body: { ...PROOF, ...CANCEL, quantity: 1 },
        headers,
      });
    const twice = [await file(), await file()];
    expect(twice.map(({ status }) => status)).toEqual([201, 201]);
    expect(twice[1]!.body.data).toEqual(twice[0]!.body.data);
    expect(await query('SELECT 1 FROM claim WHERE order_item_id = $1', [orderItemId])).toHaveLength(1);
  });
  test('of concurrent duplicates makes one claim, one withdrawal, one refund', async () => {
    const { orderItemId } = await shop.buy('CONFIRMED');
    const filed = await Promise.all([1, 2, 3].map(() => shop.file(orderItemId, CANCEL, key('twins'))));
    expect(new Set(filed.map((reply) => dataOf(reply).claimId as string)).size).toBe(1);
    expect(await query('SELECT 1 FROM claim WHERE order_item_id = $1', [orderItemId])).toHaveLength(1);
    const { claimId } = filed[0]!.body.data as { claimId: string };
    const withdrawn = await Promise.all([1, 2].map(() => shop.withdraw(claimId, key('back'))));
    expect(withdrawn.map((reply) => dataOf(reply).status as string)).toEqual(['WITHDRAWN', 'WITHDRAWN']);
    const { claimId: other, orderId } = await requested();
    const approved = await Promise.all([1, 2, 3].map(() => shop.act(other, 'approve', {}, key('approve'))));
    expect(new Set(approved.map((reply) => JSON.stringify(dataOf(reply)))).size).toBe(1);
    expect(await shop.refunds(orderId)).toEqual([{ status: 'DONE', won: 13_000 }]);
    const late = await shop.act(other, 'approve', {}, key('approve'));
    expect([late.body.data, isReplayed(late)]).toEqual([approved[0]!.body.data, true]);
  });
});

describe('input', () => {
  const filing = (body: unknown) => shop.member.call('POST', '/storefront/v1/me/order-items/oit_none/claims', body);
  test('of a filing is refused with all its problems at once', async () => {
    const { status, body } = await filing({
      type: 'RETURN',
      reason: 'ORDER_MISTAKE',
      quantity: 0,
      detail: 'x'.repeat(1001),
      exchangeOptionId: 'var_1',
      images: ['http://example.com/a', 'nonsense'],
      surprise: 1,
    });
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(fieldsOf(body).toSorted()).toEqual(
      ['detail', 'exchangeOptionId', 'images[0]', 'images[1]', 'quantity', 'reason', 'surprise'].toSorted(),
    );
  });
  test('of a guest names contact and password too', async () => {
    const path = 'ord_none/items/oit_none/claims';
    const headers = { 'x-store-code': shop.world.store.storeCode };
    for (const one of [path, `${path}/preview`]) {
      const { body } = await call(underTest.api, 'POST', `/storefront/v1/guest/orders/${one}`, { body: { zz: 1 }, headers });
      expect(fieldsOf(body).toSorted()).toEqual(['contact', 'orderPassword', 'reason', 'type', 'zz']);
    }
    const { body } = await call(underTest.api, 'POST', '/storefront/v1/guest/orders/ord_none/claims/clm_none/withdraw', {
      body: {},
      headers,
    });
    expect(fieldsOf(body).toSorted()).toEqual(['contact', 'orderPassword']);
  });
  test.each(COMMANDS)('of %s has no unknown field, is an object and no list', async (path, body) => {
    const { claimId } = await requested();
    const extra = await shop.act(claimId, path, { ...body, surprise: true });
    expect([extra.status, extra.body.error?.fieldErrors]).toEqual([
      400,
      [expect.objectContaining({ field: 'surprise', code: 'UNKNOWN_FIELD' })],
    ]);
    for (const odd of ['[]', '"text"', '1', '{', '{"a":']) {
      const reply = await shop.world.seller.call('POST', `/v1/claims/${claimId}/${path}`, odd);
      expect([odd, ...codeOf(reply)]).toEqual([odd, 400, 'VALIDATION_FAILED']);
    }
    expect((await shop.claim(claimId)).status).toBe('REQUESTED');
  });
  test.each<[string, () => Promise<Reply>]>([
    ['detail', () => filing({ ...CANCEL, detail: 'a\u0000b' })],
    ['detail', () => filing({ ...CANCEL, detail: 'a\u0007b' })],
    ['explanation', () => shop.act('clm_none', 'reject', { ...REJECTION, explanation: 'abcdefghij\u0001k' })],
    ['note', () => shop.act('clm_none', 'collect/complete', { soundQuantity: 1, damagedQuantity: 0, missingQuantity: 0, note: '\u0002' })],
    ['reason', () => shop.act('clm_none', 'hold', { reason: 'a\u0000b' })],
    ['trackingNumber', () => shop.act('clm_none', 'collect', { ...PICKUP, trackingNumber: '1\u0000' })],
  ])('with a control character in %s is refused by its field', async (field, send) => {
    const { status, body } = await send();
    expect([status, body.error?.code, fieldsOf(body)]).toEqual([400, 'VALIDATION_FAILED', [field]]);
  });
  test('that is huge is refused, as a body and as an id', async () => {
    const large = await shop.act('clm_none', 'reject', { ...REJECTION, explanation: 'x'.repeat(3_000_000) });
    expect(codeOf(large)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    for (const id of ['x'.repeat(65), 'x'.repeat(2000)]) {
      expect(codeOf(await shop.act(id, 'approve'))).toEqual([404, 'CLAIM_NOT_FOUND']);
      expect(codeOf(await shop.withdraw(id))).toEqual([404, 'CLAIM_NOT_FOUND']);
      expect(codeOf(await shop.file(id, CANCEL))).toEqual([404, 'ORDER_ITEM_NOT_FOUND']);
    }
  });
  test('with line breaks and any language is stored as it was sent', async () => {
    const { orderItemId } = await shop.buy('CONFIRMED');
    const detail = '첫 줄\n둘째 줄\t<b>굵게</b> 🙂 \u202e';
    const { claimId } = dataOf(await shop.file(orderItemId, { ...CANCEL, detail })) as { claimId: string };
    expect((await shop.claim(claimId)).detail).toBe(detail);
    const explanation = '첫 줄입니다.\n<script>alert(1)</script>';
    expect((await shop.acted(claimId, 'reject', { ...REJECTION, explanation })).rejection.explanation).toBe(explanation);
  });
});
