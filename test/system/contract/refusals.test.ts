/** What a hostile request costs and is told, from outside. The pure half is in test/kernel/refusals. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ADDRESS, call, GUEST, OPTION, type Reply } from '../../../bin/dev/client.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let code: { 'x-store-code': string };
beforeAll(async () => {
  shop = await world();
  code = { 'x-store-code': shop.store.storeCode };
});
const send = (method: string, path: string, body?: unknown) => shop.seller.call(method, path, body);
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const errorsOf = ({ body }: Reply) => body.error?.fieldErrors?.map((error) => `${error.field} ${error.code}`) ?? [body.error?.code];
const axis = (name: string, length: number) => ({ name, values: Array.from({ length }, (_, i) => `v${i}`) });
const product = { name: 'x', salePrice: 1000, categoryId: 'none' };

describe('options', () => {
  test.each([
    [
      'an empty axis beside seven of a hundred',
      [...Array.from({ length: 7 }, (_, i) => axis(`a${i}`, 100)), axis('z', 0)],
      ['optionGroups TOO_MANY'],
    ],
    ['an empty axis beside two of a hundred', [axis('a', 100), axis('b', 100), axis('z', 0)], ['optionGroups[2].values TOO_FEW']],
    ['an axis of 50,000', [axis('a', 50_000 / 4), axis('a', 2)], ['optionGroups[0].values TOO_MANY', 'optionGroups[1].name DUPLICATE']],
    ['three of a hundred', [axis('a', 100), axis('b', 100), axis('c', 100)], ['optionGroups OUT_OF_RANGE']],
  ])('%s: told, and nothing is built', async (_, optionGroups, expected) => {
    expect(errorsOf(await send('POST', '/v1/products', { ...product, optionGroups }))).toEqual(expected);
    expect(errorsOf(await send('PATCH', '/v1/products/none', { optionGroups }))).toEqual(expected);
    expect(errorsOf(await send('PUT', '/v1/products/none/options', { optionGroups }))).toEqual(expected);
  });
  test('what is wrong with one combination is told beside what the schema says of another', async () => {
    const variants = [
      { optionValues: ['v0'], stockQuantity: 'x' },
      { optionValues: ['none'] },
      { optionValues: ['v0'] },
      { optionValues: 1 },
    ];
    expect(errorsOf(await send('PUT', '/v1/products/none/options', { optionGroups: [axis('a', 2)], variants }))).toEqual([
      'variants[0].stockQuantity INVALID_TYPE',
      'variants[3].optionValues INVALID_TYPE',
      'variants[1].optionValues INVALID',
      'variants[2].optionValues DUPLICATE',
    ]);
  });
});

describe('a body of 256 kB', () => {
  const long = (head: string, unit: (i: number) => string, tail: string) => {
    let text = head;
    for (let i = 0; text.length < 250_000; i++) text += `${i === 0 ? '' : ','}${unit(i)}`;
    return text + tail;
  };
  const bodies = {
    items: long('{"items":[', () => '1', ']}'),
    objects: long('{"items":[', () => '{}', ']}'),
    fields: long('{', (i) => `"f${i}":1`, '}'),
    names: long('{', (i) => `"${'\\u0001'.repeat(300)}${i}":1`, '}'),
    texts: long('{"zz":[', () => '"\\u0001"', ']}'),
    brackets: `${'['.repeat(125_000)}${']'.repeat(125_000)}`,
    below: `{"items":${'['.repeat(125_000)}${']'.repeat(125_000)}}`,
    name: `{"${'k'.repeat(250_000)}":1}`,
    consents: long('{"consents":[', () => '{"kind":"x"}', ']}'),
  };
  test.each(Object.entries(bodies))('of %s is refused in 64 kB and a hundred problems', async (_, body) => {
    for (const path of ['/storefront/v1/auth/signup', '/storefront/v1/auth/login', '/storefront/v1/guest/orders/x']) {
      const reply = await call(underTest.api, 'POST', path, { body, headers: code });
      expect([reply.status, reply.body.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(reply.body.error!.fieldErrors!.length).toBeLessThanOrEqual(100);
      expect(Buffer.byteLength(JSON.stringify(reply.body))).toBeLessThan(65_536);
    }
  });
  test('130,000 items are one problem of their list', async () => {
    expect(errorsOf(await send('POST', '/v1/order-items/dispatch', bodies.items))).toEqual(['items TOO_MANY']);
    const many = await send(
      'POST',
      '/v1/products/bulk/status',
      long('{"status":"ON_SALE","productIds":[', () => '1', ']}'),
    );
    expect(errorsOf(many)).toEqual(['productIds TOO_MANY']);
  });
});

describe('numbers, cursors, ids, years', () => {
  test.each(['1e999', '1e2', '0x10', '%205', '5%20', '1.0', '%2B5', '', 'NaN', 'Infinity', '9'.repeat(400), '0', '1&page=2', '٣'])(
    'page=%s is no page',
    async (page) => {
      for (const path of ['/v1/orders', '/v1/order-items', '/v1/products', '/v1/categories', '/v1/settlements']) {
        const [one, ...others] = errorsOf(await send('GET', `${path}?page=${page}`));
        expect([one, others]).toEqual([expect.stringMatching(/^page (INVALID_TYPE|OUT_OF_RANGE)$/), []]);
        if (!page.includes('&')) expect(errorsOf(await send('GET', `${path}?size=${page}`))[0]).toMatch(/^size /);
      }
    },
  );
  test('at most 100,000 rows are passed over', async () => {
    const status = async (page: number, size: number) => (await send('GET', `/v1/orders?page=${page}&size=${size}`)).status;
    expect([await status(1001, 100), await status(100_001, 1), await status(1, 100)]).toEqual([200, 200, 200]);
    expect(errorsOf(await send('GET', '/v1/orders?page=1002&size=100'))).toEqual(['page OUT_OF_RANGE']);
    expect(errorsOf(await send('GET', '/v1/orders?page=100002&size=1'))).toEqual(['page OUT_OF_RANGE']);
  });
  test('a known parameter does not hide behind two thousand others', async () =>
    expect(errorsOf(await send('GET', `/v1/orders?${'a&'.repeat(2000)}page=x`))).toEqual(['page INVALID_TYPE']));
  test.each([-9e15, -1e14, Date.UTC(1899, 11, 31), Date.UTC(9999, 0, 1), 8e15, 1.5, null])('a cursor at %s is none', async (at) => {
    for (const [path, order] of [
      ['/v1/orders', 'o'],
      ['/v1/orders', 'c'],
      ['/v1/order-items', 'c'],
    ] as const) {
      for (const cursor of [Buffer.from(JSON.stringify([order, at, 'x'])).toString('base64url'), `${order}-${at}-x`])
        expect(errorsOf(await send('GET', `${path}?cursor=${cursor}`))).toEqual(['cursor INVALID']);
    }
  });
  test('a number that no event has is no cursor of events', async () => {
    for (const cursor of [Buffer.from(JSON.stringify(['e', -1, ''])).toString('base64url'), 'e--1-'])
      expect(errorsOf(await send('GET', `/v1/events?cursor=${cursor}`))).toEqual(['cursor INVALID']);
  });
  test.each(['c--1-', 'c-00000000000020-', 'WyJjIiwwLCIiXQ'])('%s is no cursor that the document knows', async (cursor) =>
    expect(errorsOf(await send('GET', `/v1/order-items?cursor=${cursor}`))).toEqual(['cursor INVALID']),
  );
  test('an empty X-Store-Code names no store: the payment is not there', async () => {
    const { paymentId } = await (await world()).payment();
    const readStatus = (headers: Record<string, string>) => call(underTest.api, 'GET', `/storefront/v1/payments/${paymentId}`, { headers });
    expect((await readStatus({})).status).toBe(200);
    expect(errorsOf(await readStatus({ 'x-store-code': '' }))).toEqual(['PAYMENT_NOT_FOUND']);
  });
  test('an image over http is an upload of this store, which is there', async () => {
    const shop = await world();
    const { productId } = await shop.product();
    const put = async (url: string) => {
      const reply = await shop.seller.call('PATCH', `/v1/products/${productId}`, { images: [url] });
      return reply.status === 200 ? 'taken' : errorsOf(reply);
    };
    expect(await put('http://example.com/uploads/x.png')).toEqual(['images[0] INVALID_URL']);
    expect(await put('http://localhost.example/uploads/x.png')).toEqual(['images[0] INVALID_URL']);
    expect(await put('http://localhost:1/uploads/x.png')).toEqual(['images[0] INVALID_URL']);
    const uploaded = async ({ seller, store }: World) => {
      const form = new FormData();
      form.set('purpose', 'product-image');
      form.set('file', new Blob([Uint8Array.from(PNG)], { type: 'image/png' }), 'a.png');
      const response = await fetch(`${underTest.api}/v1/uploads`, {
        method: 'POST',
        headers: { authorization: `Bearer ${seller.bearer}` },
        body: form,
      });
      const { url } = ((await response.json()) as { data: { url: string } }).data;
      expect(url).toContain(`http://127.0.0.1:`);
      expect(url).toContain(store.storeId);
      return url;
    };
    const [own, foreign] = [await uploaded(shop), await uploaded(await world())];
    expect(await put(own)).toBe('taken');
    for (const none of [
      foreign,
      foreign.replace(/sto_\w+/, shop.store.storeId),
      own.replace('.png', '.jpg'),
      own.replace('127.0.0.1', 'localhost'),
      own.replace(/:\d+/, ':1'),
      `${own}?x`,
    ])
      expect([none, await put(none)]).toEqual([none, ['images[0] INVALID_URL']]);
    expect(await put(foreign.replace('http:', 'https:'))).toBe('taken');
  });
  test.each(['1899-12-31T23:59:59Z', '9999-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59-12:00'])(
    '%s is a time of no order',
    async (moment) => {
      for (const name of ['orderedFrom', 'orderedTo', 'lastChangedFrom']) {
        const reply = await send('GET', `/v1/orders?${name}=${encodeURIComponent(moment)}`);
        expect([reply.body.error?.code, ...errorsOf(reply)]).toEqual(['INVALID_PARAMETER', `${name} INVALID`]);
      }
      expect(errorsOf(await send('POST', '/v1/sandbox/clock', { to: moment }))).toEqual(['to INVALID']);
    },
  );
  test('an id of 3,000 characters is unknown, and counts as no lookup', async () => {
    const id = 'x'.repeat(3000);
    expect(errorsOf(await send('GET', `/v1/products/${id}`))).toEqual(['PRODUCT_NOT_FOUND']);
    expect(errorsOf(await send('PATCH', `/v1/products/x/variants/${id}/stock`, { stockQuantity: 1 }))).toEqual(['VARIANT_NOT_FOUND']);
    expect(errorsOf(await send('POST', `/v1/webhooks/x/deliveries/${id}/redeliver`, {}))).toEqual(['WEBHOOK_DELIVERY_NOT_FOUND']);
    expect(errorsOf(await send('POST', `/v1/order-items/${id}/confirm`, {}))).toEqual(['ORDER_ITEM_NOT_FOUND']);
    const lookUp = (order: string) =>
      call(underTest.api, 'POST', `/storefront/v1/guest/orders/${order}`, {
        body: { contact: 'a@b.kr', orderPassword: 'x' },
        headers: code,
      });
    // Other suites look up at the same time: of these two ids alone.
    const keyring = createKeyring(underTest.env['SEALING_KEYS']!);
    const attempts = async (order: string) => {
      const key = keyring.digest(JSON.stringify(['order', shop.store.storeId, order]));
      return (await query<{ used: number }>('SELECT cardinality(used_at) AS used FROM rate_limit WHERE key = $1', [key])).map(
        ({ used }) => used,
      );
    };
    for (let i = 0; i < 12; i++) expect(errorsOf(await lookUp(id))).toEqual(['ORDER_NOT_FOUND']);
    expect(await attempts(id)).toEqual([]);
    expect(errorsOf(await lookUp('x'.repeat(64)))).toEqual(['ORDER_NOT_FOUND']);
    expect(await attempts('x'.repeat(64))).toEqual([1]);
  });
});

describe('host names', () => {
  const start = async (returnUrl: string) => {
    const { productId } = await shop.product();
    const buyer = await shop.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    const body = { option: OPTION, returnUrl, shippingAddress: ADDRESS, guest: GUEST };
    return errorsOf(await buyer.call('POST', `/storefront/v1/checkout/${checkoutId}/payment`, body));
  };
  test.each(["https://a'b.example/", 'https://a;b.example/', 'https://a,b/', 'https://a_b.example/', 'http://a!b/', 'https://a..b/'])(
    '%s is no address to come back to',
    async (url) => expect(await start(url)).toEqual(['returnUrl INVALID']),
  );
  test('only a receiver may have an underscore in its name', async () => {
    const register = async (url: string) => send('POST', '/v1/webhooks', { url, eventTypes: ['ORDER.PAID'] });
    expect((await register('https://a_b.sangjeom.example/')).status).toBe(201);
    for (const host of ["a'b.example", 'a;b.example', 'a!b.example', 'a..example'])
      expect(errorsOf(await register(`https://${host}/`))).toEqual(['url INVALID_URL']);
  });
  test('an origin is a host and a port', async () => {
    const origins = async (...analyticsAllowedOrigins: string[]) => send('PATCH', '/v1/store', { analyticsAllowedOrigins });
    expect((await origins('https://a-b.example', 'http://localhost:3000')).status).toBe(200);
    for (const origin of ['https://a_b.example', 'https://a..b', 'https://a.example:99999', 'https://1.2.3.999', 'https://a;b'])
      expect(errorsOf(await origins('https://fine.example', origin))).toEqual(['analyticsAllowedOrigins[1] INVALID']);
  });
});
