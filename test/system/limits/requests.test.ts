/** How many requests a minute may be made, and who counts as whom. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Windows } from '../../../api/web/windows.ts';
import { newApiToken } from '../../../db/identity/apiTokens.ts';
import { MINUTE } from '../../../domain/kernel/time.ts';
import { newAddress } from '../../kernel/api.ts';
import { LIMIT, limitedApi } from '../../kernel/secondApi.ts';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';
import { underTest, world } from '../../kernel/world.ts';

let limited: string;
beforeAll(async () => {
  limited = await limitedApi();
}, 30_000);

const at = (address: string, headers: Headers_ = {}): Headers_ => ({ 'x-forwarded-for': address, ...headers });
const request = (path: string, headers: Headers_, method = 'GET', body?: unknown) => call(limited, method, path, { headers, body });
const statuses = async (times: number, one: () => Promise<Reply>) => {
  const seen: number[] = [];
  for (let i = 0; i < times; i++) seen.push((await one()).status);
  return seen;
};
const over = (status: number) => [...Array<number>(LIMIT).fill(status), 429, 429];

describe('requests a minute', () => {
  test('a guest’s count to their address, whatever they request', async () => {
    const shop = await world();
    const address = newAddress();
    const store = { 'x-store-code': shop.store.storeCode };
    const replies = [
      await request('/storefront/v1/store', at(address, store)),
      await request('/storefront/v1/auth/anonymous', at(address, store), 'POST', {}),
      await request('/pay/nothing', at(address)),
      await request('/uploads/a/b.png', at(address)),
      await request('/oauth2/authorize', at(address)),
      await request('/nowhere', at(address)),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 201, 404, 404, 400, 429]);
    expect(replies.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['4', '3', '2', '1', '0', '0']);
    expect(replies.every(({ headers }) => headers.get('ratelimit-limit') === '5' && Number(headers.get('ratelimit-reset')) > 0)).toBe(true);
    const refused = replies.at(-1)!;
    expect([refused.body.error?.code, Number(refused.headers.get('retry-after')) > 0]).toEqual(['TOO_MANY_REQUESTS', true]);
    // Others are not concerned.
    expect((await request('/storefront/v1/store', at(newAddress(), store))).status).toBe(200);
  });
  test('nothing that a guest can make up gives a count of one’s own', async () => {
    const shop = await world();
    const store = { 'x-store-code': shop.store.storeCode };
    const buyer = await shop.buyer();
    const guests = newAddress();
    expect(await statuses(7, () => request('/storefront/v1/cart/items', at(guests, buyer.headers)))).toEqual(over(200));
    let n = 0;
    const garbage = [
      () => `Bearer ${n++}.garbage.${n}`,
      () => `Bearer ${newApiToken()}`,
      () => `Bearer x${n++}`,
      () => `Basic ${Buffer.from(`x${n++}:y`).toString('base64')}`,
    ];
    for (const authorization of garbage) {
      const address = newAddress();
      expect(await statuses(7, () => request('/v1/store', at(address, { authorization: authorization() })))).toEqual(over(401));
      const guest = newAddress();
      const seen = await statuses(7, () => request('/storefront/v1/store', at(guest, { ...store, authorization: authorization() })));
      expect(seen).toEqual(over(200));
    }
  });
  test('one signature has one spelling', async () => {
    const shop = await world();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');
    const { bearer } = shop.seller;
    const spelt = alphabet.map((last) => bearer.slice(0, -1) + last).concat(`${bearer}==`);
    const replies = await Promise.all(
      spelt.map((token) => call(underTest.api, 'GET', '/v1/store', { headers: { authorization: `Bearer ${token}` } })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });
  test('a valid token counts by itself, from whatever address', async () => {
    const shop = await world();
    const address = newAddress();
    expect((await statuses(7, () => request('/nowhere', at(address)))).at(-1)).toBe(429);
    const authorization = `Bearer ${shop.seller.bearer}`;
    expect(await statuses(7, () => request('/v1/store', at(newAddress(), { authorization })))).toEqual(over(200));
    const member = await shop.member();
    expect(await statuses(7, () => request('/storefront/v1/me/orders', at(address, member.headers)))).toEqual(over(200));
    // The seller’s is spent, the address of the buyer is not.
    expect((await request('/storefront/v1/store', at(newAddress(), { 'x-store-code': shop.store.storeCode }))).status).toBe(200);
  });
  test('parallel requests do not pass', async () => {
    const address = newAddress();
    const replies = await Promise.all(Array.from({ length: 30 }, () => request('/nowhere', at(address))));
    expect(replies.filter(({ status }) => status !== 429)).toHaveLength(LIMIT);
    const garbage = newAddress();
    const refused = await Promise.all(
      Array.from({ length: 30 }, (_, i) => request('/v1/store', at(garbage, { authorization: `Bearer ${i}.x.y` }))),
    );
    expect(refused.filter(({ status }) => status !== 429)).toHaveLength(LIMIT);
  });
  test('a token that is signed but means nothing here counts to its address too', async () => {
    const shop = await world();
    const address = newAddress();
    // Members of a shop are nobody to the management API.
    const members = await Promise.all(Array.from({ length: 7 }, () => shop.member()));
    const seen: number[] = [];
    for (const { headers } of members)
      seen.push((await request('/v1/store', at(address, { authorization: headers['authorization']! }))).status);
    expect(seen).toEqual(over(401));
  });
  test('a refusal has the form of its surface', async () => {
    const address = newAddress();
    await statuses(LIMIT, () => request('/nowhere', at(address)));
    const page = await fetch(`${limited}/pay/x?lang=en`, { headers: at(address) });
    expect([page.status, page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
      429,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await page.text()).toContain('Too many requests');
    for (const path of ['/oauth2/token', '/oauth2/nowhere']) {
      const flat = await fetch(limited + path, { method: 'POST', headers: at(address) });
      expect([flat.status, await flat.json()]).toEqual([429, { error: 'temporarily_unavailable', error_description: expect.any(String) }]);
      expect(Number(flat.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });
  test('documents have ten times the limit of an address; whether the process is well has none', async () => {
    const address = newAddress();
    const open = async (path: string) => (await fetch(limited + path, { headers: at(address) })).status;
    for (let n = 0; n < 10 * LIMIT; n++) expect(await open(n % 2 ? '/docs/start.js' : '/openapi/events.json')).toBe(200);
    expect([await open('/docs'), await open('/openapi/store.json')]).toEqual([429, 429]);
    expect([await open('/health/live'), await open('/storefront/v1/store')]).toEqual([200, 400]);
  });
  test('documents and health are answered beyond the limit of all else', async () => {
    const address = newAddress();
    await statuses(LIMIT + 1, () => request('/nowhere', at(address)));
    for (const path of [
      '/health/live',
      '/health/ready',
      '/docs',
      '/docs/start.js',
      '/openapi/store.json',
      '/openapi/storefront.yaml',
      '/openapi/events.json',
    ])
      expect([path, (await fetch(limited + path, { headers: at(address) })).status]).toEqual([path, 200]);
    // What only looks like it is nothing of theirs.
    for (const path of ['/docs/nothing', '/health/nothing', '/openapi/nothing.json'])
      expect((await request(path, at(address))).status).toBe(429);
  });
});

describe('what is remembered', () => {
  test('has a bound, and forgets the oldest first', () => {
    const windows = new Windows();
    const address = (i: number) => `2001:db8:${i >> 16}:${i & 0xffff}::/64`;
    for (let i = 0; i < 120_000; i++) windows.add(address(i), 1000);
    expect(windows.size).toBeLessThanOrEqual(50_000);
    expect([0, 70_000, 90_000, 119_999].map((i) => windows.has(address(i), 1000))).toEqual([false, false, true, true]);
    expect(windows.add('a', 1000).count).toBe(1);
    expect(windows.add('a', 1000 + MINUTE - 1)).toEqual({ count: 2, endsInMs: 1 });
    expect(windows.add('a', 1000 + MINUTE)).toEqual({ count: 1, endsInMs: MINUTE });
    windows.add('b', 1000 + 2 * MINUTE);
    windows.add('b', 1000 + 3 * MINUTE);
    expect(windows.size).toBeLessThanOrEqual(2);
    // A clock that was set back does not lock anybody out for longer.
    expect(windows.add('b', 500)).toEqual({ count: 1, endsInMs: MINUTE });
  });
  test('lasts its minute', () => {
    const windows = new Windows();
    for (let second = 0; second < 300; second += 7) {
      for (let later = second; later < second + 60; later += 13) windows.add(`x${second}-${later}`, later * 1000);
      const began = (second + 60) * 1000;
      for (let count = 1; count <= 60; count++) {
        expect(windows.add(`of ${second}`, began + (count - 1) * 1000).count).toBe(count);
        windows.add(`${second} ${count}`, began + (count - 1) * 1000);
      }
    }
  });
});
