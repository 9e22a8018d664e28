/** How many images a buyer may upload. */
import { expect, test } from '@jest/globals';
import { newAddress } from '../../kernel/api.ts';
import type { Buyer, Reply } from '../../../bin/dev/client.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const upload = async (buyer: Buyer, address: string, bytes: Uint8Array = PNG, headers = {}) => {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(bytes)], { type: 'image/png' }));
  const response = await fetch(`${underTest.api}/storefront/v1/uploads/order-inputs`, {
    method: 'POST',
    headers: { ...buyer.headers, 'x-forwarded-for': address, ...headers },
    body: form,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] };
};
const times = <T>(count: number, work: (i: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const uploadCount = async (shop: World) => (await query('SELECT 1 FROM upload WHERE store_id = $1', [shop.store.storeId])).length;
const counts = (replies: readonly Reply[]) => [201, 429].map((status) => replies.filter((reply) => reply.status === status).length);

test.each(['guest', 'member'] as const)(
  'a %s uploads thirty files a day, from wherever, in parallel or not; refused ones do not count',
  async (who) => {
    const shop = await world();
    const buyer = who === 'guest' ? await shop.buyer() : await shop.member();
    for (let i = 0; i < 3; i++) expect((await upload(buyer, newAddress(), Buffer.from('no image'))).body.error?.code).toBe('INVALID_IMAGE');
    const first = await upload(buyer, newAddress(), PNG, { 'idempotency-key': 'k' });
    expect((await upload(buyer, newAddress(), PNG, { 'idempotency-key': 'k' })).headers.get('idempotent-replayed')).toBe('true');
    expect(counts([first, ...(await times(35, () => upload(buyer, newAddress())))])).toEqual([30, 6]);
    const refused = await upload(buyer, newAddress());
    expect([refused.status, refused.body.error?.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000);
    expect(await uploadCount(shop)).toBe(30);
    // A replay is no upload, and another buyer has thirty of their own.
    expect((await upload(buyer, newAddress(), PNG, { 'idempotency-key': 'k' })).status).toBe(201);
    expect((await upload(await shop.buyer(), newAddress())).status).toBe(201);
  },
  60_000,
);

test('an address uploads a hundred a day over all sessions and stores', async () => {
  const [shop, other] = [await world(), await world()];
  const address = newAddress();
  const all: Reply[] = [];
  for (const where of [shop, shop, other, other]) {
    const buyer = await where.buyer();
    all.push(...(await times(27, () => upload(buyer, address))));
  }
  expect(counts(all)).toEqual([100, 8]);
  const late = await shop.buyer();
  const refused = await upload(late, address);
  expect([refused.status, refused.body.error?.code, Number(refused.headers.get('retry-after')) > 86_000]).toEqual([
    429,
    'TOO_MANY_REQUESTS',
    true,
  ]);
  // What the address was refused is not counted to the session.
  expect(counts(await times(30, () => upload(late, newAddress())))).toEqual([30, 0]);
}, 60_000);
