/** How often a password may be guessed, and what guessing cannot hold up. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { Client } from 'pg';
import { newAddress, ownApi } from '../../kernel/api.ts';
import { sharedApi } from '../../kernel/secondApi.ts';
import { Buyer, call, GUEST, type Reply } from '../../../bin/dev/client.ts';
import { isBlocking, query, underTest, untilBlockedBy, type World, world } from '../../kernel/world.ts';

const RIGHT = 'correct-horse';
const code = ({ status, body }: Reply) => [status, body.error?.code ?? 'OK'];
const LOCKED = [429, 'TOO_MANY_REQUESTS'];
const WRONG = [401, 'LOGIN_FAILED'];

async function member(shop: World): Promise<string> {
  const email = `m-${randomUUID()}@example.com`;
  await Buyer.join(underTest.api, shop.store.storeCode, email);
  return email;
}
const login = (shop: World, email: string, password: string, address: string, api = underTest.api) =>
  call(api, 'POST', '/storefront/v1/auth/login', {
    body: { email, password },
    headers: { 'x-store-code': shop.store.storeCode, 'x-forwarded-for': address },
  });
const times = <T>(count: number, work: (i: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const keyring = createKeyring(underTest.env['SEALING_KEYS']!);
const keyOf = (...parts: string[]) => keyring.digest(JSON.stringify(parts));

describe('a login', () => {
  test('is locked for one address after ten wrong passwords', async () => {
    const shop = await world();
    const [email, address] = [await member(shop), newAddress()];
    for (let i = 0; i < 10; i++) expect(code(await login(shop, email, `guess ${i}`, address))).toEqual(WRONG);
    for (const password of ['guess', RIGHT]) {
      const locked = await login(shop, password === RIGHT ? email : email.toUpperCase(), password, address);
      expect(code(locked)).toEqual(LOCKED);
      expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(800);
      expect(Number(locked.headers.get('retry-after'))).toBeLessThanOrEqual(900);
    }
    expect(code(await login(shop, email, RIGHT, newAddress()))).toEqual([200, 'OK']);
    // Another store's account of the same address is another account.
    const other = await world();
    expect(code(await login(other, email, RIGHT, address))).toEqual(WRONG);
  }, 60_000);
  test('of an unknown e-mail is refused and locked alike', async () => {
    const shop = await world();
    const [email, address] = [`nobody-${randomUUID()}@example.com`, newAddress()];
    for (let i = 0; i < 10; i++) expect(code(await login(shop, email, RIGHT, address))).toEqual(WRONG);
    expect(code(await login(shop, email, RIGHT, address))).toEqual(LOCKED);
  });
  test('made in parallel is counted before its password is verified, by all processes together', async () => {
    const shop = await world();
    const [email, address] = [await member(shop), newAddress()];
    const other = await sharedApi();
    const seen = await times(36, (i) => login(shop, email, `guess ${i}`, address, i % 2 ? other : underTest.api));
    expect(seen.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(seen.filter(({ status }) => status === 429)).toHaveLength(26);
    for (const api of [underTest.api, other]) expect(code(await login(shop, email, RIGHT, address, api))).toEqual(LOCKED);
  }, 60_000);
  test('with the right password forgets the wrong ones of its address', async () => {
    const shop = await world();
    const [email, address] = [await member(shop), newAddress()];
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 9; i++) expect(code(await login(shop, email, 'wrong', address))).toEqual(WRONG);
      expect(code(await login(shop, email, RIGHT, address))).toEqual([200, 'OK']);
    }
    // Right ones are no guesses, also when they come at once.
    expect((await times(18, () => login(shop, email, RIGHT, address))).map(({ status }) => status)).toEqual(Array<number>(18).fill(200));
  }, 60_000);
  test('is locked from everywhere after a hundred wrong passwords', async () => {
    const shop = await world();
    const email = await member(shop);
    for (let i = 0; i < 10; i++) {
      const address = newAddress();
      const seen = await times(10, () => login(shop, email, 'wrong', address));
      expect(seen.map(({ status }) => status)).toEqual(Array<number>(10).fill(401));
      // A right one in between takes nothing back of what others guessed.
      if (i === 5) expect(code(await login(shop, email, RIGHT, newAddress()))).toEqual([200, 'OK']);
    }
    const locked = await login(shop, email, RIGHT, newAddress());
    expect(code(locked)).toEqual(LOCKED);
    expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(700);
    expect(code(await login(shop, await member(shop), RIGHT, newAddress()))).toEqual([200, 'OK']);
  }, 120_000);
  test('leaves nothing of a person in what is counted', async () => {
    const columns = await query<{ name: string; type: string }>(
      `SELECT column_name AS name, udt_name AS type FROM information_schema.columns WHERE table_name = 'rate_limit' ORDER BY 1`,
    );
    expect(columns).toEqual([
      { name: 'expires_at', type: 'timestamptz' },
      { name: 'key', type: 'bytea' },
      { name: 'used_at', type: '_timestamptz' },
    ]);
    const shop = await world();
    const [email, address] = [await member(shop), newAddress()];
    await login(shop, email, 'wrong', address);
    const key = keyOf('login', shop.store.storeId, email, address);
    const [row] = await query<{ used_at: Date[]; expires_at: Date }>('SELECT used_at, expires_at FROM rate_limit WHERE key = $1', [key]);
    expect(row!.expires_at.getTime() - row!.used_at[0]!.getTime()).toBe(15 * 60_000);
    // The key is of no use without the sealing key.
    expect(createKeyring(`other:${Buffer.alloc(32, 1).toString('base64')}`).digest('x')).not.toEqual(keyring.digest('x'));
  });
});

/** Somebody else's transaction holds the row that guesses of this login count on: whoever guesses it gets no further. */
async function holding(shop: World, email: string, address: string) {
  const held = new Client({ connectionString: underTest.databaseUrl });
  await held.connect();
  await held.query('BEGIN');
  const { pid } = (await held.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!;
  const key = keyOf('login', shop.store.storeId, email, address);
  await held.query(`INSERT INTO rate_limit VALUES ($1, '{}', now())`, [key]);
  return {
    untilBlocked: () => untilBlockedBy(pid),
    isBlocking: () => isBlocking(pid),
    release: async () => {
      await held.query('ROLLBACK');
      await held.end();
    },
  };
}
const join = (shop: World, api: string, address: string) =>
  call(api, 'POST', '/storefront/v1/auth/signup', {
    headers: { 'x-store-code': shop.store.storeCode, 'x-forwarded-for': address },
    body: {
      email: `new-${randomUUID()}@example.com`,
      password: RIGHT,
      name: '회원',
      phone: '010-2222-3333',
      consents: [{ kind: 'TERMS' }, { kind: 'PRIVACY' }],
    },
  });

describe('while logins are held up', () => {
  let own: Awaited<ReturnType<typeof ownApi>>;
  beforeAll(async () => {
    own = await ownApi({});
  }, 30_000);
  afterAll(() => own.stop());

  test('those of one address have twenty places, refuse nobody else, and hold up neither checkout nor sign-up', async () => {
    const shop = await world();
    const { api } = own;
    const { productId } = await shop.product();
    const buyer = new Buyer(api, (await shop.buyer()).headers);
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    const [victim, address] = [await member(shop), newAddress()];
    const held = await holding(shop, victim, address);
    const crowd = Array.from({ length: 60 }, () => login(shop, victim, 'wrong', address, api));
    const overflow = await Promise.race(crowd);
    await held.untilBlocked();
    const [late, elsewhere] = [await member(shop), newAddress()];
    const orderPath = `/storefront/v1/guest/orders/ord_${randomUUID()}`;
    const others = Promise.all([
      login(shop, late, RIGHT, elsewhere, api),
      buyer.call('POST', orderPath, { contact: GUEST.phone, orderPassword: 'x' }, { 'x-forwarded-for': newAddress() }),
    ]);
    const [paying, joining] = await Promise.all([buyer.start(checkoutId), join(shop, api, newAddress())]);
    const isStillHeld = await held.isBlocking();
    await held.release();
    expect(isStillHeld).toBe(true);
    expect([paying.status, joining.status]).toEqual([200, 201]);
    expect(code(overflow)).toEqual(LOCKED);
    expect(Number(overflow.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await others).map(code)).toEqual([
      [200, 'OK'],
      [404, 'ORDER_NOT_FOUND'],
    ]);
    const seen = (await Promise.all(crowd)).map(({ status }) => status);
    // Of the twenty, ten were counted as wrong before the limit.
    expect(seen.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(seen.filter((status) => status === 429).length).toBeGreaterThanOrEqual(50);
    // The places are free again.
    expect(code(await login(shop, late, RIGHT, elsewhere, api))).toEqual([200, 'OK']);
  }, 60_000);

  test('those of one store, from however many addresses, refuse no other store’s, and nothing that was refused is counted', async () => {
    const [shop, other] = [await world(), await world()];
    const { api } = own;
    const [victim, address] = [await member(shop), newAddress()];
    const held = await holding(shop, victim, address);
    const first = login(shop, victim, 'wrong', address, api);
    await held.untilBlocked();
    const emails = Array.from({ length: 100 }, (_, i) => [`x${i}-${randomUUID()}@example.com`, newAddress()] as const);
    const crowd = emails.map(([email, from]) => login(shop, email, 'wrong', from, api));
    const overflow = await Promise.race(crowd);
    const theirs = login(other, await member(other), RIGHT, newAddress(), api);
    const joining = await join(shop, api, newAddress());
    await held.release();
    expect(joining.status).toBe(201);
    expect(code(overflow)).toEqual(LOCKED);
    expect(code(await theirs)).toEqual([200, 'OK']);
    const refused = await Promise.all(crowd.map(async (reply, i) => ((await reply).status === 429 ? emails[i]! : null)));
    const keys = refused.flatMap((one) => (one ? [keyOf('login', shop.store.storeId, ...one)] : []));
    expect(keys.length).toBeGreaterThanOrEqual(39);
    expect(await query('SELECT 1 FROM rate_limit WHERE key = ANY($1)', [keys])).toEqual([]);
    expect((await first).status).toBe(401);
  }, 60_000);
  test('whoever sends a login slowly takes nobody’s place', async () => {
    const shop = await world();
    const email = await member(shop);
    const { hostname, port } = new URL(underTest.api);
    const slow = Array.from({ length: 30 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(
        `POST /storefront/v1/auth/login HTTP/1.1\r\nHost: x\r\nX-Store-Code: ${shop.store.storeCode}\r\nContent-Type: application/json\r\nContent-Length: 500\r\nExpect: 100-continue\r\n\r\n{"email":`,
      );
      return socket;
    });
    // Its word that it goes on: the API has read their headers.
    await Promise.all(slow.map((socket) => once(socket, 'data')));
    expect(code(await login(shop, email, RIGHT, newAddress()))).toEqual([200, 'OK']);
    for (const socket of slow) socket.destroy();
  });
  test('a missing store is reported before what is wrong with the body', async () => {
    const request = (headers: Record<string, string>, body: unknown) =>
      call(underTest.api, 'POST', '/storefront/v1/auth/login', { headers, body });
    expect(code(await request({}, '{'))).toEqual([400, 'STORE_REQUIRED']);
    expect(code(await request({ 'x-store-code': 'nobodys' }, '{'))).toEqual([404, 'STORE_NOT_FOUND']);
    const shop = await world();
    expect(code(await request({ 'x-store-code': shop.store.storeCode }, '{'))).toEqual([400, 'VALIDATION_FAILED']);
  });
});
