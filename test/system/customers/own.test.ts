/** What is a buyer's own: address book, wishlist, consents (docs/contract.md#members-of-the-shop). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { storeToken, people } from '../../kernel/login.ts';
import { underTest, type World, world } from '../../kernel/world.ts';
import { delegated, errorOf, fieldsOf, join, type Person } from './member.ts';

let shop: World;
beforeAll(async () => {
  shop = await world();
});
const HOME = { receiverName: '김수령', phone: '010-2222-3333', zipCode: '06236', address1: '테헤란로 1' };

describe('the address book', () => {
  const book = async ({ buyer }: Person) =>
    (await buyer.call('GET', '/storefront/v1/me/addresses')).body.data.items as { addressId: string; name?: string; isDefault: boolean }[];
  const add = async ({ buyer }: Person, changes: object = {}) =>
    (await buyer.call('POST', '/storefront/v1/me/addresses', { ...HOME, ...changes })).body.data as {
      addressId: string;
      isDefault: boolean;
    };

  test('the first is the default, true moves it, deleting it makes the newest one it', async () => {
    const me = await join(shop);
    const first = await add(me, { isDefault: false, name: '집', address2: '3층' });
    expect(first).toEqual({ ...HOME, addressId: expect.any(String), name: '집', address2: '3층', isDefault: true });
    const second = await add(me, { name: '회사' });
    const third = await add(me, { name: '본가', isDefault: true });
    expect([second.isDefault, third.isDefault]).toEqual([false, true]);
    expect((await book(me)).map(({ name, isDefault }) => [name, isDefault])).toEqual([
      ['본가', true],
      ['회사', false],
      ['집', false],
    ]);
    const changed = await me.buyer.call('PUT', `/storefront/v1/me/addresses/${first.addressId}`, { ...HOME, isDefault: true });
    expect(changed.body.data).toEqual({ ...HOME, addressId: first.addressId, isDefault: true });
    const same = await me.buyer.call('PUT', `/storefront/v1/me/addresses/${first.addressId}`, { ...HOME, isDefault: false });
    expect(same.body.data).toMatchObject({ isDefault: true });
    const removed = await me.buyer.call('DELETE', `/storefront/v1/me/addresses/${first.addressId}`);
    expect([removed.status, removed.body.data]).toEqual([200, null]);
    expect((await book(me)).map(({ addressId, isDefault }) => [addressId, isDefault])).toEqual([
      [third.addressId, true],
      [second.addressId, false],
    ]);
    const seen = await shop.seller.call('GET', `/v1/customers/${me.customerId}`);
    expect((seen.body.data.addresses as { name: string }[]).map(({ name }) => name)).toEqual(['본가', '회사']);
  });
  test('holds twenty, also when thirty come at once', async () => {
    const me = await join(shop);
    const replies = await Promise.all(Array.from({ length: 30 }, () => me.buyer.call('POST', '/storefront/v1/me/addresses', HOME)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(errorOf(replies.find(({ status }) => status !== 201)!)).toEqual([409, 'ADDRESS_LIMIT_EXCEEDED']);
    expect((await book(me)).filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });
  test('another member’s is not there, and an order’s address does not enter it', async () => {
    const [me, other] = [await join(shop), await join(shop)];
    const { addressId } = await add(other);
    for (const [method, body] of [
      ['PUT', HOME],
      ['DELETE', undefined],
    ] as const)
      expect(errorOf(await me.buyer.call(method, `/storefront/v1/me/addresses/${addressId}`, body))).toEqual([404, 'ADDRESS_NOT_FOUND']);
    await shop.order(await shop.product(), 1, me.buyer);
    expect(await book(me)).toEqual([]);
    const refused = await me.buyer.call('POST', '/storefront/v1/me/addresses', { ...HOME, zipCode: '1', phone: 'x', name: ' ' });
    expect(fieldsOf(refused).toSorted()).toEqual(['name INVALID', 'phone INVALID', 'zipCode INVALID']);
    const guest = await shop.buyer();
    expect((await guest.call('GET', '/storefront/v1/me/addresses')).status).toBe(401);
  });
});

describe('the wishlist', () => {
  const at = '/storefront/v1/me/wishlist';
  test('has each product once, the newest first', async () => {
    const { buyer } = await join(shop);
    const [scarf, hat] = [await shop.product({ name: '머플러', salePrice: 1000 }), await shop.product({ name: '모자' })];
    const first = await buyer.call('POST', at, { productId: scarf.productId });
    const entry = { productId: scarf.productId, productName: '머플러', salePrice: 1000, addedAt: expect.any(String) };
    expect([first.status, first.body.data]).toEqual([201, entry]);
    await buyer.call('POST', at, { productId: hat.productId });
    const again = await buyer.call('POST', at, { productId: scarf.productId });
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    expect((await buyer.call('GET', at)).body.data).toMatchObject({ total: 2, items: [{ productId: hat.productId }, entry] });
    await shop.seller.call('POST', '/v1/products/bulk/status', { productIds: [hat.productId], status: 'STOPPED' });
    expect((await buyer.call('GET', at)).body.data).toMatchObject({ total: 1, items: [entry] });
    expect(errorOf(await buyer.call('POST', at, { productId: hat.productId }))).toEqual([404, 'PRODUCT_NOT_FOUND']);
    expect((await buyer.call('DELETE', `${at}/${scarf.productId}`)).status).toBe(200);
    expect(errorOf(await buyer.call('DELETE', `${at}/${scarf.productId}`))).toEqual([404, 'PRODUCT_NOT_FOUND']);
    expect(errorOf(await buyer.call('POST', at, { productId: 'prd_none' }))).toEqual([404, 'PRODUCT_NOT_FOUND']);
  });
});

describe('consents', () => {
  const at = '/storefront/v1/me/consents';
  interface State {
    readonly kind: string;
    readonly agreed: boolean;
    readonly version: string | null;
  }
  const brief = (states: readonly State[]) => states.map(({ kind, agreed, version }) => [kind, agreed, version]);
  const history = async (customerId: string, search = '') =>
    (await shop.seller.call('GET', `/v1/customers/${customerId}/consents${search}`)).body.data as {
      items: ({ action: string; path: string; url: string | null } & State)[];
      total: number;
      current: State[];
    };

  test('have the store’s version and URL of their moment, and later changes touch none', async () => {
    await people(shop);
    const owner = { authorization: `Bearer ${await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId)}` };
    const publish = (body: object) => call(underTest.api, 'PATCH', '/v1/store', { body, headers: owner });
    await publish({ termsVersion: '1', termsUrl: 'https://shop.example/terms-1', privacyVersion: 'p1' });
    const { buyer, customerId } = await join(shop, { consents: [{ kind: 'TERMS' }, { kind: 'PRIVACY', version: 'p0' }] });
    await publish({ termsVersion: '2', termsUrl: 'https://shop.example/terms-2' });
    const first = await history(customerId);
    const records = first.items.map(({ kind, version, url, path }) => [kind, version, url, path]);
    expect(records.toSorted(([a], [b]) => (a! < b! ? -1 : 1))).toEqual([
      ['PRIVACY', 'p0', null, 'SIGNUP'],
      ['TERMS', '1', 'https://shop.example/terms-1', 'SIGNUP'],
    ]);
    const change = async (body: object) => (await buyer.call('POST', at, body)).body.data.current as State[];
    expect(brief(await change({ kind: 'TERMS', action: 'AGREE' }))).toEqual([
      ['PRIVACY', true, 'p0'],
      ['TERMS', true, '2'],
    ]);
    await change({ kind: 'TERMS', action: 'AGREE' });
    await change({ kind: 'TERMS', action: 'AGREE', version: '2' });
    await change({ kind: 'MARKETING', action: 'WITHDRAW' });
    expect((await history(customerId)).total).toBe(3);
    expect((await history(customerId, '?kind=TERMS')).items).toMatchObject([
      { path: 'RE_CONSENT', version: '2', url: 'https://shop.example/terms-2', action: 'AGREE' },
      { path: 'SIGNUP', version: '1', url: 'https://shop.example/terms-1' },
    ]);
  });
  test('the terms cannot be taken back, marketing can, by the buyer and by the seller', async () => {
    const { buyer, customerId } = await join(shop);
    for (const kind of ['TERMS', 'PRIVACY'])
      expect(errorOf(await buyer.call('POST', at, { kind, action: 'WITHDRAW' }))).toEqual([409, 'CONSENT_REQUIRED']);
    await buyer.call('POST', at, { kind: 'MARKETING', action: 'AGREE', version: 'm1' });
    const sellers = (body: object) => shop.seller.call('POST', `/v1/customers/${customerId}/consents`, body);
    expect((await sellers({ kind: 'MARKETING', action: 'AGREE' })).body.data.current).toHaveLength(3);
    await sellers({ kind: 'MARKETING', action: 'WITHDRAW' });
    expect((await sellers({ kind: 'MARKETING', action: 'WITHDRAW' })).status).toBe(200);
    const { items, total, current } = await history(customerId, '?kind=MARKETING');
    expect(items.map(({ action, path }) => [action, path])).toEqual([
      ['WITHDRAW', 'SELLER_ACTION'],
      ['AGREE', 'BUYER_CHANGE'],
    ]);
    expect([total, current.length]).toEqual([2, 3]);
    expect(fieldsOf(await sellers({ kind: 'TERMS', action: 'AGREE' }))).toEqual(['kind INVALID_VALUE']);
    expect(errorOf(await shop.seller.call('GET', `/v1/customers/${customerId}/consents?kind=COOKIES`))).toEqual([400, 'VALIDATION_FAILED']);
    expect(errorOf(await sellers({ kind: 'MARKETING', action: 'AGREE', version: '1' }))).toEqual([400, 'VALIDATION_FAILED']);
  });
  test('twenty times the same at once is one record', async () => {
    const { buyer, customerId } = await delegated(shop);
    expect((await buyer.call('GET', at)).body.data.current).toEqual([]);
    await Promise.all(Array.from({ length: 20 }, () => buyer.call('POST', at, { kind: 'MARKETING', action: 'AGREE' })));
    expect((await history(customerId)).total).toBe(1);
  });
});
