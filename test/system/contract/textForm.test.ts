/** Text has one form, whoever sends it and wherever. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { call } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let categoryId: string;
let storefront: { 'x-store-code': string };
let owner: string;
beforeAll(async () => {
  shop = await world();
  categoryId = (await shop.seller.call('POST', '/v1/categories', { name: '잡화' })).body.data.categoryId as string;
  storefront = { 'x-store-code': shop.store.storeCode };
  await people(shop);
  owner = await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId);
});
const nfd = (text: string) => text.normalize('NFD');
const product = (changes: object) =>
  shop.seller.call('POST', '/v1/products', { name: 'n', salePrice: 1000, categoryId, stockQuantity: 5, ...changes });
const atConsole = (path: string, body: object) =>
  call(underTest.api, 'POST', path, { body, headers: { authorization: `Bearer ${owner}` } });
const ADDRESS = { type: 'SHIPPING', name: '창고', receiver: '김', mobile: '02-1234-5678', zipCode: '04524', address: '세종대로 110' };

test('what is typed in parts is stored, compared and found in one form, without white space around it', async () => {
  const made = await product({
    name: ` ${nfd('양모 머플러 각')}\n`,
    description: nfd('각각 따뜻한'),
    stockQuantity: undefined,
    optionGroups: [{ name: nfd('색'), values: [nfd('회색'), ' 남색 '] }],
    variants: [{ optionValues: [`${nfd('회색')} `], stockQuantity: 3, attributes: { a: nfd('값') } }],
  });
  expect(made.body.data).toMatchObject({
    name: '양모 머플러 각',
    description: '각각 따뜻한',
    optionGroups: [{ name: '색', values: ['회색', '남색'] }],
    variants: [{ optionValues: ['회색'], stockQuantity: 3, attributes: { a: '값' } }, {}],
  });
  const { productId } = made.body.data as { productId: string };
  const found = async (path: string, headers: Record<string, string> = {}) => {
    const url = `${path}?keyword=${encodeURIComponent(nfd('플러 각'))}`;
    const { body } = path.startsWith('/v1') ? await shop.seller.call('GET', url) : await call(underTest.api, 'GET', url, { headers });
    return (body.data.items as { productId: string }[]).map((one) => one.productId);
  };
  expect([await found('/v1/products'), await found('/storefront/v1/products', storefront)]).toEqual([[productId], [productId]]);
  const back = await shop.seller.call('GET', `/v1/products/${productId}/options`);
  expect((await shop.seller.call('PUT', `/v1/products/${productId}/options`, back.body.data)).body.data).toEqual(back.body.data);
});

test('a name is counted as it is stored', async () => {
  expect((await product({ name: nfd('각'.repeat(100)) })).status).toBe(201);
  expect((await product({ name: nfd('각'.repeat(101)) })).body.error).toMatchObject({ fieldErrors: [{ field: 'name', code: 'TOO_LONG' }] });
});

describe.each([
  ['blanks', ' \u00a0\u3000'],
  ['zero width', '\u200b\u200d'],
  ['fillers', '\u3164\u115f\uffa0'],
  ['Braille blanks', '\u2800'],
  ['direction marks', '\u200f\u202e\u2069'],
])('%s are no', (_, nothing) => {
  test.each<[string, () => Promise<{ body: { error: unknown } }>, string]>([
    ['product', () => product({ name: nothing }), 'name'],
    ['option', () => product({ stockQuantity: undefined, optionGroups: [{ name: nothing, values: ['a'] }] }), 'optionGroups[0].name'],
    [
      'option value',
      () => product({ stockQuantity: undefined, optionGroups: [{ name: 'a', values: [nothing] }] }),
      'optionGroups[0].values[0]',
    ],
    ['category', () => shop.seller.call('POST', '/v1/categories', { name: nothing }), 'name'],
    ['address', () => atConsole('/v1/seller-addresses', { ...ADDRESS, address: nothing }), 'address'],
    ['pickup location', () => atConsole('/v1/pickup-locations', { name: nothing, address: 'a', contact: 'c' }), 'name'],
    [
      'reason of a hold',
      () => shop.seller.call('POST', '/v1/order-items/oit_x/hold', { reason: nothing, expectedDispatchDate: '2099-01-01' }),
      'reason',
    ],
    [
      'explanation of a rejection',
      () => shop.seller.call('POST', '/v1/claims/clm_x/reject', { reason: 'BUYER_FAULT_DAMAGE', explanation: nothing.repeat(12) }),
      'explanation',
    ],
    [
      'reason of points',
      () =>
        shop.seller.call(
          'POST',
          '/v1/customers/cst_x/points/adjustments',
          { amount: 1, reason: nothing },
          { 'idempotency-key': randomUUID() },
        ),
      'reason',
    ],
    ['flow', () => shop.seller.call('POST', '/v1/commerce-flows', { key: 'blank-name', name: nothing }), 'name'],
  ])('name of a %s', async (_what, send, field) => {
    const { error } = (await send()).body as { error: { code: string; fieldErrors?: { field: string }[] } };
    expect([error.code, error.fieldErrors?.map((one) => one.field)]).toEqual(['VALIDATION_FAILED', expect.arrayContaining([field])]);
  });
});

test.each([
  ['회색', '회\u200b색'],
  ['회색', nfd('회색')],
  ['회색', '\u3164회색'],
  ['❤', '❤\ufe0f'],
])('%j and %j are duplicates', async (one, two) => {
  const duplicate = { field: 'optionGroups[0].values[1]', code: 'DUPLICATE' };
  const { error } = (await product({ stockQuantity: undefined, optionGroups: [{ name: '색', values: [one, two] }] })).body;
  expect(error).toMatchObject({ code: 'VALIDATION_FAILED', fieldErrors: [duplicate] });
});

test('emoji sequences and joiners inside words stay', async () => {
  for (const name of ['👨‍👩‍👧 세트', '1️⃣번', 'می‌خواهم', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 홍차']) expect((await product({ name })).body.data).toMatchObject({ name });
});

test('a password stays as it was typed', async () => {
  const person = { email: `form${Date.now()}@example.com`, name: nfd('김구매'), phone: '010-1234-5678', password: nfd('비밀번호각각') };
  const sign = (path: string, body: object) => call(underTest.api, 'POST', `/storefront/v1/auth/${path}`, { body, headers: storefront });
  expect((await sign('signup', { ...person, consents: [{ kind: 'TERMS' }, { kind: 'PRIVACY' }] })).status).toBe(201);
  const login = async (password: string) => (await sign('login', { email: person.email, password })).status;
  expect([await login(person.password), await login(person.password.normalize('NFC'))]).toEqual([200, 401]);
  expect(await query('SELECT name FROM customer WHERE email = $1', [person.email])).toEqual([{ name: '김구매' }]);
});

test.each([
  ['---------', false],
  ['0-1-2-3-4-5-6', false],
  ['1234567--', false],
  ['1588-1234', true],
  ['010-1234-5678', true],
  ['-12345678', true],
])('%s is a phone: %p', async (mobile, is) => {
  const { status, body } = await atConsole('/v1/seller-addresses', { ...ADDRESS, mobile });
  expect([status, body.error?.fieldErrors ?? []]).toEqual(
    is ? [201, []] : [400, [expect.objectContaining({ field: 'mobile', code: 'INVALID' })]],
  );
});
