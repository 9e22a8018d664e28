/** Whoever fills a store's turns leaves its other senders theirs (docs/performance.md#what-stays-bounded). */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { newAddress } from '../../kernel/api.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

const CROWD = 60;
let shop: World;
let productId: string;
let path: string;
beforeAll(async () => {
  shop = await world();
  const values = Array.from({ length: 20 }, (_, n) => `${n}`);
  const rooms = {
    stockQuantity: undefined,
    inventoryMode: 'DATED',
    fulfillment: { type: 'MANUAL' },
    optionGroups: [{ name: 'room', values }],
  };
  ({ productId } = await shop.product(rooms));
  const { variants } = (await shop.seller.call('GET', `/v1/products/${productId}`)).body.data as { variants: { variantId: string }[] };
  const nights = { variantIds: variants.map(({ variantId }) => variantId), from: '2027-01-01', to: '2027-12-31', stock: 1, price: 1000 };
  expect((await shop.seller.call('PUT', `/v1/products/${productId}/calendar`, nights)).status).toBe(200);
  path = `/storefront/v1/products/${productId}/calendar?from=2027-01-01&to=2027-04-30`;
}, 60_000);

const read = async (address: string): Promise<number> =>
  (await call(underTest.api, 'GET', path, { headers: { 'x-store-code': shop.store.storeCode, 'x-forwarded-for': address } })).status;

/** One address asks for so many large answers at once: how many it has when the other's work is done, and all their statuses. */
async function besideCrowd(work: () => Promise<unknown>) {
  const answered: number[] = [];
  const address = newAddress();
  const crowd = Array.from({ length: CROWD }, async () => {
    answered.push(await read(address));
  });
  while (answered.length === 0) await sleep(5);
  await work();
  const meanwhile = answered.length;
  await Promise.all(crowd);
  return { meanwhile, statuses: answered };
}

test('another address, and the seller, are answered before most of a crowd that came before them', async () => {
  const buyer = await besideCrowd(async () => expect(await read(newAddress())).toBe(200));
  const seller = await besideCrowd(async () =>
    expect((await shop.seller.call('GET', `/v1/products/${productId}/calendar?from=2027-01-01&to=2027-12-31`)).status).toBe(200),
  );
  expect(Math.max(buyer.meanwhile, seller.meanwhile)).toBeLessThan(CROWD / 2);
  expect(new Set([...buyer.statuses, ...seller.statuses])).toEqual(new Set([200]));
});

test('a crowd that fills its store’s line has its own refused, and nobody else’s', async () => {
  const crowd = newAddress();
  const statuses: number[] = [];
  const all = Array.from({ length: 160 }, () => read(crowd).then((status) => statuses.push(status)));
  while (!statuses.includes(429)) await sleep(5);
  const others = await Promise.all(Array.from({ length: 10 }, () => read(newAddress())));
  expect(new Set(others)).toEqual(new Set([200]));
  await Promise.all(all);
});

test('a refusal is recorded while the line of changes is full', async () => {
  const { seller } = shop;
  const { categoryId } = (await seller.call('POST', '/v1/categories', { name: '방' })).body.data as { categoryId: string };
  const change = (body: object) => seller.call('PATCH', `/v1/categories/${categoryId}`, body).then(({ status }) => status);
  const statuses: number[] = [];
  const crowd = Array.from({ length: 300 }, (_, n) => change({ name: `방 ${n}` }).then((status) => statuses.push(status)));
  while (!statuses.includes(429)) await sleep(5);
  expect(await change({ unknown: true })).toBe(400);
  await Promise.all(crowd);
  const { items } = (await seller.call('GET', '/v1/audit-logs?action=categories.patch&outcome=FAILED')).body.data as {
    items: { errorCode: string }[];
  };
  // Not the limits of rates.
  expect(items.map(({ errorCode }) => errorCode)).toEqual(['VALIDATION_FAILED']);
});
