/** Whose idempotency key it is where nobody has logged in. */
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { newAddress } from '../../kernel/api.ts';
import { call, type Headers_ } from '../../../bin/dev/client.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

const post = (shop: World, path: string, body: object, headers: Headers_) =>
  call(underTest.api, 'POST', `/storefront/v1${path}`, { body, headers: { 'x-store-code': shop.store.storeCode, ...headers } });
const person = (email: string) => ({
  email,
  password: 'correct-horse',
  name: '회원',
  phone: '010-2222-3333',
  consents: [{ kind: 'TERMS' }, { kind: 'PRIVACY' }],
});

test('a key belongs to a person, not to an address', async () => {
  const shop = await world();
  const shared = newAddress();
  const signUp = (email: string, address: string) =>
    post(shop, '/auth/signup', person(email), { 'idempotency-key': '1', 'x-forwarded-for': address });
  const [first, second] = [await signUp('a@example.com', shared), await signUp('b@example.com', shared)];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(first.body.data.customerId).not.toBe(second.body.data.customerId);
  const again = await signUp('a@example.com', newAddress());
  expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([201, 'true', first.body.data]);
  // The same person however they write their address: the key is theirs, the request is another.
  const shouted = await signUp('A@Example.com', shared);
  expect([shouted.status, shouted.body.error?.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
});

test('a key that nobody owns only has to be well-formed: it gives nobody another’s guest session', async () => {
  const shop = await world();
  const arrive = (key: string) => post(shop, '/auth/anonymous', {}, { 'idempotency-key': key });
  const [one, other] = [await arrive('same'), await arrive('same')];
  expect([one.status, other.status, other.headers.get('idempotent-replayed')]).toEqual([201, 201, null]);
  expect(one.body.data.cartToken).not.toBe(other.body.data.cartToken);
  for (const key of ['', 'x'.repeat(256)]) {
    const { status, body } = await arrive(key);
    expect([status, body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([400, ['Idempotency-Key']]);
  }
});

test('what is kept of a request lets nobody try its password at the speed of a plain hash', async () => {
  const shop = await world();
  const { consents, email, name, password, phone } = person('kept@example.com');
  const signUp = (guess: string) => post(shop, '/auth/signup', { ...person(email), password: guess }, { 'idempotency-key': 'k' });
  expect((await signUp(password)).status).toBe(201);
  const plain = createHash('sha256')
    .update(JSON.stringify(['auth.signup', {}, '', { consents, email, name, password, phone }]))
    .digest('hex');
  const operations = await query<{ fingerprint: string }>(
    `SELECT fingerprint FROM operation WHERE store_id = $1 AND operation_id = 'auth.signup'`,
    [shop.store.storeId],
  );
  expect(operations).toEqual([{ fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  expect(operations[0]!.fingerprint).not.toBe(plain);
  // The password is part of the request all the same.
  expect((await signUp(password)).headers.get('idempotent-replayed')).toBe('true');
  expect((await signUp('another-horse')).body.error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
});
