/**
 * What arrives slowly, or all at once: bodies are admitted by their heads, written as they come, and end in time (docs/security.md#limits).
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { call, type Headers_, Seller } from '../../../bin/dev/client.ts';
import { freePort } from '../../../bin/dev/ports.ts';
import { newAddress, ownApi } from '../../kernel/api.ts';
import { SlowSender } from '../../kernel/slowSender.ts';
import { until, type World, world } from '../../kernel/world.ts';

const MIB = 1024 * 1024;
const FILE_BYTES = 5 * MIB - 1000;
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const OPENING = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
const folder = mkdtempSync(join(tmpdir(), 'sangjeom-bodies-'));
const arriving = join(folder, 'arriving');

/** An API process with its metrics. */
async function start(env: Readonly<Record<string, string>>) {
  const port = await freePort(26_000 + (process.pid % 500) * 2);
  const started = await ownApi({ STORAGE_DIR: folder, METRICS_PORT: String(port), ...env });
  return { ...started, metrics: `http://127.0.0.1:${port}/metrics` };
}
let own: Awaited<ReturnType<typeof start>>;
let shop: World;
let other: World;
const open: SlowSender[] = [];

beforeAll(async () => {
  mkdirSync(arriving);
  for (const [name, ageMs] of [
    ['left', 2 * 3_600_000],
    ['new', 60_000],
  ] as const) {
    writeFileSync(join(arriving, name), 'x');
    const at = new Date(Date.now() - ageMs);
    utimesSync(join(arriving, name), at, at);
  }
  own = await start({});
  [shop, other] = [await world(), await world()];
}, 30_000);
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});
afterAll(() => {
  own.stop();
  rmSync(folder, { recursive: true });
});

function sender(path: string, headers: Headers_, length: number | null, type = 'multipart/form-data; boundary=x'): SlowSender {
  const size = length === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  const one = new SlowSender(own.api, [
    `POST ${path} HTTP/1.1`,
    `Content-Type: ${type}`,
    size,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]);
  open.push(one);
  return one;
}
const ORDER_INPUTS = '/storefront/v1/uploads/order-inputs';
const guest = async (where: World, address = newAddress()): Promise<Headers_> => ({
  ...(await where.buyer()).headers,
  'x-forwarded-for': address,
});
const seller = (where: World): Headers_ => ({ authorization: `Bearer ${where.seller.bearer}` });
const times = <T>(count: number, work: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => work(i));
/** Until the API has admitted so many bytes of this kind. */
const held = async (kind: string): Promise<number> => {
  const [, bytes = '0'] = new RegExp(`^sangjeom_request_body_bytes\\{kind="${kind}"\\} (\\d+)`, 'm').exec(await scrape()) ?? [];
  return Number(bytes);
};
const scrape = async () => (await fetch(own.metrics)).text();
const none = async () => {
  for (const kind of ['upload_bytes', 'body_bytes']) await until(`no ${kind} are under way`, async () => (await held(kind)) === 0);
};
const upload = async (where: World, address = newAddress()) => {
  const form = new FormData();
  form.append('file', new Blob([Uint8Array.from(PNG)]));
  return (await fetch(own.api + ORDER_INPUTS, { method: 'POST', headers: await guest(where, address), body: form })).status;
};
/** How many uploads of this size an address has in one store: together a quarter of what is left free. */
function ofAddress(bytes: number): number {
  let count = 0;
  while ((count + 1) * bytes <= (128 * MIB - count * bytes) / 4) count++;
  return count;
}
/** Once each of them is admitted or refused: how many were refused. */
async function refusals(senders: readonly SlowSender[], bytes: number, kind: string): Promise<number> {
  const refused = () => senders.filter(({ status }) => status !== null).length;
  await until('all heads are judged', async () => (await held(kind)) === (senders.length - refused()) * bytes);
  expect(senders.every(({ status }) => status === null || status === 429)).toBe(true);
  return refused();
}

describe('an upload', () => {
  test('of one too many for its sender is refused at its head, and nobody else', async () => {
    const address = newAddress();
    const headers = await guest(shop, address);
    const senders = times(20, () => sender(ORDER_INPUTS, headers, FILE_BYTES));
    expect(await refusals(senders, FILE_BYTES, 'upload_bytes')).toBe(20 - ofAddress(FILE_BYTES));
    const refused = senders.find(({ status }) => status === 429)!;
    await until('its body has come', async () => refused.answer.includes('TOO_MANY_REQUESTS'));
    expect(refused.answer).toMatch(/^retry-after: [1-9]/im);
    // In other shops the same address has as many again, and in all of them so many.
    const [third, elsewhere] = [await world(), await guest(other, address)];
    const others = [...times(ofAddress(FILE_BYTES), () => elsewhere), ...(await Promise.all(times(5, () => guest(third, address))))];
    const inOthers = others.map((where) => sender(ORDER_INPUTS, where, FILE_BYTES));
    const all = [...senders, ...inOthers];
    expect(await refusals(all, FILE_BYTES, 'upload_bytes')).toBe(all.length - Math.floor((64 * MIB) / FILE_BYTES));
    expect([await upload(shop), await upload(other)]).toEqual([201, 201]);
    for (const one of all) one.close();
    await none();
    expect(await upload(shop, address)).toBe(201);
  });

  test('of one too many for its store is refused at its head, from whatever address; another store’s is taken', async () => {
    const guests = await Promise.all(times(30, () => guest(shop)));
    const senders = guests.map((headers) => sender(ORDER_INPUTS, headers, FILE_BYTES));
    expect(await refusals(senders, FILE_BYTES, 'upload_bytes')).toBe(30 - (Math.floor((128 * MIB) / FILE_BYTES) - 3));
    expect([await upload(shop), await upload(other)]).toEqual([201, 201]);
    // What the public sends takes nothing from its seller.
    const sellers = times(2, () => sender('/v1/uploads', seller(shop), FILE_BYTES));
    const all = [...senders, ...sellers];
    expect(await refusals(all, FILE_BYTES, 'upload_bytes')).toBe(all.length - 24);
  });

  test('of one too many for its client is refused, whichever of its tokens it comes with', async () => {
    const bearers = [shop.seller, await Seller.login(own.api, shop.store)].map(({ bearer }) => ({ authorization: `Bearer ${bearer}` }));
    const senders = times(20, (i) => sender('/v1/uploads', bearers[i % 2]!, FILE_BYTES));
    expect(await refusals(senders, FILE_BYTES, 'upload_bytes')).toBe(20 - Math.floor((64 * MIB) / FILE_BYTES));
    expect(await sender('/v1/uploads', seller(other), 6 * MIB).answered()).toBe(413);
  });

  test('of one too many for the members behind one address is refused: in each shop they have what one of them has', async () => {
    const address = { 'x-forwarded-for': newAddress() };
    const members = await Promise.all([shop, shop, other, other].map(async (where) => ({ ...(await where.member()).headers, ...address })));
    const senders = times(40, (i) => sender(ORDER_INPUTS, members[i % 4]!, FILE_BYTES));
    expect(await refusals(senders, FILE_BYTES, 'upload_bytes')).toBe(40 - 2 * ofAddress(FILE_BYTES));
  });

  test('of no told length counts as the largest', async () => {
    const headers = await guest(shop);
    const senders = times(15, () => sender(ORDER_INPUTS, headers, null));
    const max = 5 * MIB + 16_384;
    expect(await refusals(senders, max, 'upload_bytes')).toBe(15 - ofAddress(max));
  });

  test('is on the disk while it comes, not in memory', async () => {
    const guests = await Promise.all(times(12, () => guest(shop)));
    const senders = guests.map((headers) => sender(ORDER_INPUTS, headers, FILE_BYTES));
    const sent = Buffer.concat([PNG, Buffer.alloc(4 * MIB)]);
    await Promise.all(senders.map((one) => one.send(Buffer.concat([Buffer.from(OPENING), sent]))));
    const written = await until('all of it is written but what a stream holds back', async () => {
      const files = readdirSync(arriving).filter((name) => name !== 'new');
      return files.length === 12 && files.every((name) => statSync(join(arriving, name)).size > sent.length - 131_072) && files;
    });
    for (const one of senders) one.close();
    await until('nothing is left', async () => written.every((name) => !readdirSync(arriving).includes(name)));
  });

  test('that cannot count any more is refused before it is sent', async () => {
    const headers = await guest(shop);
    for (const [i, status] of [...times(30, () => 201), 429].entries()) {
      const form = new FormData();
      form.append('file', new Blob([Uint8Array.from(PNG)]));
      const { status: actual } = await fetch(own.api + ORDER_INPUTS, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': `u${i}` },
        body: form,
      });
      expect(actual).toBe(status);
    }
    expect(await sender(ORDER_INPUTS, headers, FILE_BYTES).answered()).toBe(429);
    expect(await sender(ORDER_INPUTS, { ...headers, 'idempotency-key': 'another' }, FILE_BYTES).answered()).toBe(429);
  });

  test('that is too large, of nobody, or for which the scope is missing is refused before it is sent', async () => {
    expect(await sender(ORDER_INPUTS, await guest(shop), 6 * MIB).answered()).toBe(413);
    expect(await sender('/v1/uploads', seller(shop), 6 * MIB).answered()).toBe(413);
    expect(await sender('/v1/uploads', {}, FILE_BYTES).answered()).toBe(401);
    expect(await sender(ORDER_INPUTS, { 'x-store-code': shop.store.storeCode }, FILE_BYTES).answered()).toBe(401);
    expect(await held('upload_bytes')).toBe(0);
  });
});

describe('any other body', () => {
  test('of one too many for its sender is refused at its head, and nobody else', async () => {
    const headers = { 'x-store-code': shop.store.storeCode, 'x-forwarded-for': newAddress() };
    const bytes = 250_000;
    const path = '/storefront/v1/auth/login';
    const senders = times(50, () => sender(path, headers, bytes, 'application/json'));
    expect(await refusals(senders, bytes, 'body_bytes')).toBe(50 - Math.floor((8 * MIB) / bytes));
    const login = (address: string) =>
      call(own.api, 'POST', path, { headers: { ...headers, 'x-forwarded-for': address }, body: { email: 'a@b.kr', password: 'x' } });
    expect((await login(newAddress())).status).toBe(401);
    // A short one has room beside them.
    expect((await login(headers['x-forwarded-for'])).status).toBe(401);
  });

  test('that says it is too large is refused before it is sent', async () => {
    for (const [path, headers, type] of [
      ['/v1/categories', seller(shop), 'application/json'],
      ['/oauth2/token', {}, 'application/x-www-form-urlencoded'],
    ] as const)
      expect([path, await sender(path, headers, MIB, type).answered()]).toEqual([path, 413]);
  });
});

test('whoever sends a byte now and then is ended in time, whatever they send, and nothing of it is left', async () => {
  const patient = own;
  own = await start({ REQUEST_SECONDS: '4' });
  const senders = [
    sender(ORDER_INPUTS, await guest(shop), FILE_BYTES),
    sender('/v1/uploads', seller(shop), FILE_BYTES),
    sender('/v1/categories', seller(shop), 200_000, 'application/json'),
    sender('/oauth2/token', {}, 2000, 'application/x-www-form-urlencoded'),
    sender('/nowhere', {}, 2000, 'application/json'),
  ];
  for (const one of senders) await one.send(OPENING);
  await until(
    'all are ended',
    async () => {
      await Promise.all(senders.map((one) => one.send('x')));
      return senders.every(({ isEnded }) => isEnded);
    },
    20_000,
  );
  expect(senders.slice(0, 2).map(({ status }) => status)).toEqual([408, 408]);
  await none();
  await until('no file is left', async () => readdirSync(arriving).every((name) => name === 'new'));
  own.stop();
  own = patient;
}, 60_000);

test('who is gone before the body is looked at holds nothing', async () => {
  const headers = await guest(shop);
  // What is no chunk ends the connection at once.
  await Promise.all(times(20, () => sender(ORDER_INPUTS, headers, null).send('no chunk\r\n')));
  await until('all are ended', async () => open.every(({ isEnded }) => isEnded));
  await none();
});

test('a file that a process left behind is deleted when one starts, a younger one is not', () => {
  expect(readdirSync(arriving)).toContain('new');
  expect(readdirSync(arriving)).not.toContain('left');
});
