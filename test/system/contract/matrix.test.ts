/**
 * Every operation × 18 principals, generated from the endpoint list: what each is answered follows from the declaration
 * alone. No answer ever holds a text of the other store.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPair, SignJWT } from 'jose';
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { loadTokenKeys } from '../../../api/callers/tokens.ts';
import { realClock } from '../../../db/kernel/clock.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { openOrm } from '../../../db/orm.ts';
import { CLIENT_SCOPES, covers, intersect, ROLE_SCOPES } from '../../../domain/identity/rules.ts';
import { ADDRESS, call, GUEST, type Headers_, OPTION, pay, token } from '../../../bin/dev/client.ts';
import {
  basic,
  employ,
  exchange,
  loginAs,
  loginLured,
  loginThrough,
  people,
  registerApp,
  storeToken,
  TOKEN_EXCHANGE,
  tokens,
} from '../../kernel/login.ts';
import { query, type Receiver, underTest, until, type World, world } from '../../kernel/world.ts';
import { plantReview } from '../reviews/plant.ts';
import { roleUrl } from '../../kernel/database.ts';

const CANARY = 'canary-of-the-other-store';
const BUYER = 'a buyer';
const THEIR_OWNER = 'the other store’s OWNER, by header';
/** Refusals that say who may call at all. */
const WHO: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'INSUFFICIENT_SCOPE', 'INSUFFICIENT_ROLE', 'TENANT_MISMATCH', 'STORE_REQUIRED']);

/** Somebody with their headers, and what they are answered: a refusal of WHO, or null when they get past it. */
interface Principal {
  readonly name: string;
  readonly headers: Headers_;
  readonly refused: (endpoint: Endpoint) => string | null;
}
/** Before the body is looked at, any will do where the body decides which it needs. */
const lacks = ({ scopes: needed = [], scopeOf }: Endpoint, scopes: readonly string[]) => {
  const missing = needed.filter((scope) => !covers(scopes, scope));
  return scopeOf ? missing.length === needed.length : missing.length > 0;
};
const always = (store: string | null, user: string | null) => (endpoint: Endpoint) => (endpoint.access === 'user' ? user : store);
/** At the storefront a bearer must be a buyer's; what needs no buyer looks at none. */
const atStorefront = (name: string, { access }: Endpoint) =>
  (access === 'buyer' || access === 'customer') && name !== BUYER ? 'UNAUTHORIZED' : null;
const isStorefront = ({ access }: Endpoint) => access !== 'store' && access !== 'user';
/** What is no person at the console: every console operation is refused before its scopes. */
const machine = (scopes: readonly string[]) => (endpoint: Endpoint) => {
  if (endpoint.access === 'user') return 'UNAUTHORIZED';
  if (endpoint.console) return 'INSUFFICIENT_ROLE';
  return lacks(endpoint, scopes) ? 'INSUFFICIENT_SCOPE' : null;
};
const APP_SCOPES = ['order:rw', 'store:rw', 'member:rw'];
/** A person’s token through a client of one store: what takes a login at the console is not for them. */
const throughApp = (principal: Principal['refused']) => (endpoint: Endpoint) => {
  if (endpoint.access !== 'user') return principal(endpoint);
  return endpoint.console ? 'INSUFFICIENT_ROLE' : null;
};
const bearer = (value: string, more: Headers_ = {}): Headers_ => ({ authorization: `Bearer ${value}`, ...more });

let shop: World;
let rival: World;
let principals: Principal[];
let hooked: Receiver;
const at = (role: string, { store }: World) => `${role.toLowerCase()}@${store.storeCode}.example`;

/** Everything that a store can hold now, with the canary in every text that people write. */
async function plant(one: World): Promise<void> {
  const { storeId, storeCode } = one.store;
  const owner = await storeToken(at('OWNER', one), storeId);
  const asOwner = (path: string, body: object) => call(underTest.api, 'POST', path, { body, headers: bearer(owner) });
  const product = await one.product({
    name: CANARY,
    description: CANARY,
    optionGroups: [{ name: CANARY, values: [CANARY] }],
    stockQuantity: undefined,
  });
  await query(`UPDATE variant SET stock_quantity = 5 WHERE store_id = $1`, [storeId]);
  const buyer = await one.buyer();
  await buyer.call('POST', '/storefront/v1/cart/items', { productId: product.productId, quantity: 1 });
  const { checkoutId } = (await buyer.checkout(product.productId)).body.data as { checkoutId: string };
  const started = await call(underTest.api, 'POST', `/storefront/v1/checkout/${checkoutId}/payment`, {
    headers: buyer.headers,
    body: {
      option: OPTION,
      returnUrl: `http://localhost:9/${CANARY}`,
      shippingAddress: { ...ADDRESS, receiverName: CANARY, address1: CANARY },
      guest: { ...GUEST, name: CANARY, email: `${CANARY}@example.com` },
    },
  });
  await pay(started.body.data.payUrl as string);
  const member = await one.member();
  const { orderItemId } = await one.order(product, 1, member);
  await one.act(orderItemId, 'confirm');
  const claim = { type: 'CANCEL', reason: 'OTHER', detail: CANARY };
  await member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, claim);
  const inquiry = { title: CANARY, content: CANARY };
  await member.call('POST', `/storefront/v1/products/${product.productId}/inquiries`, inquiry);
  await plantReview(storeId, CANARY);
  const receiver = await one.receiver();
  receiver.close();
  await query(`UPDATE webhook SET url = $2 WHERE store_id = $1`, [storeId, `https://${CANARY}.example`]);
  await query(`UPDATE store SET name = $2 WHERE store_id = $1`, [storeId, CANARY]);
  await query(`UPDATE category SET name = $2 WHERE store_id = $1`, [storeId, CANARY]);
  await query(`UPDATE client SET name = $2 WHERE store_id = $1`, [storeId, CANARY]);
  await query(`UPDATE order_item SET seller_memo = $2 WHERE store_id = $1`, [storeId, CANARY]);
  await asOwner('/v1/store/api-tokens', { name: CANARY, scopes: ['order:r'] });
  await asOwner('/v1/store/invitations', { email: `${CANARY}@example.com`, role: 'STAFF' });
  const consents = [{ kind: 'TERMS', version: CANARY }, { kind: 'PRIVACY' }];
  const person = { email: `${CANARY}@example.org`, password: 'long enough', name: CANARY, phone: '010-1111-2222', consents };
  await call(underTest.api, 'POST', '/storefront/v1/auth/signup', { body: person, headers: { 'x-store-code': storeCode } });
}

async function everybody(): Promise<Principal[]> {
  const { storeId, clientId, clientSecret } = shop.store;
  const orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 1);
  const keys = await loadTokenKeys(orm, createKeyring(underTest.env['SEALING_KEYS']!), underTest.api, realClock.now());
  const all = { use: 'store', storeId, clientId, origin: 'm2m', scopes: ['order:rw', 'product:rw'], person: null } as const;
  const expired = await keys.sign(all, realClock.now() - 3_700_000);
  keys.close();
  await orm.close();
  const { privateKey } = await generateKeyPair('RS256');
  const forged = await new SignJWT({ use: 'store', store_id: storeId, client_id: clientId, origin: 'console', scope: 'order:rw' })
    .setProtectedHeader({ alg: 'RS256', kid: 'x', typ: 'at+jwt' })
    .setSubject(clientId)
    .setExpirationTime('1h')
    .sign(privateKey);
  const theirApp = (await registerApp(await storeToken(at('OWNER', rival), rival.store.storeId))).client_id;
  // As before people were asked: a login of a person who has nothing to do with the client's store.
  const luredUser = (await loginLured(theirApp, rival, at('ADMIN', shop))).access_token;
  // A person of both stores, through a client of ours.
  const deputy = `deputy@${shop.store.storeCode}.example`;
  await Promise.all([employ(shop, deputy, 'ADMIN'), employ(rival, deputy, 'ADMIN')]);
  const owner = await storeToken(at('OWNER', shop), storeId);
  const issue = async (purpose: string) =>
    (
      await call(underTest.api, 'POST', '/v1/store/api-tokens', {
        body: { name: 'n', scopes: ['order:rw', 'store:r'], purpose },
        headers: bearer(owner),
      })
    ).body.data.token as string;
  const register = async (body: object) =>
    (await (
      await fetch(`${underTest.api}/oauth2/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(owner) },
        body: JSON.stringify(body),
      })
    ).json()) as { client_id: string; client_secret: string };
  const dead = await register({ client_name: 'dead', grant_types: ['client_credentials'], scope: 'order:rw' });
  const deadToken = (await tokens({ grant_type: 'client_credentials' }, basic(dead.client_id, dead.client_secret))).body.access_token;
  await call(underTest.api, 'POST', `/v1/store/api-clients/${dead.client_id}/deactivate`, { headers: bearer(owner) });
  const app = await registerApp(owner);
  const appUser = (await loginThrough(app.client_id, at('OWNER', shop))).access_token;
  const deputyUser = (await loginThrough(app.client_id, deputy)).access_token;
  const appToken = (await exchange(appUser, storeId, { client_id: app.client_id })).body.access_token;
  const member = await tokens(
    { grant_type: TOKEN_EXCHANGE, subject_token: 'm@example.com', subject_token_type: 'urn:svc:params:oauth:token-type:member-ref' },
    basic(clientId, clientSecret),
  );
  const ownerUser = (await loginAs(at('OWNER', shop))).user.access_token;
  const rivalUser = (await loginAs(at('OWNER', rival))).user.access_token;
  const apiScopes = intersect(['order:rw', 'store:r'], ROLE_SCOPES.OWNER);
  const nobody = always('UNAUTHORIZED', 'UNAUTHORIZED');
  return [
    { name: 'nobody', headers: {}, refused: nobody },
    { name: 'garbage', headers: bearer('x.y.z'), refused: nobody },
    { name: 'an expired token', headers: bearer(expired), refused: nobody },
    { name: 'a token of another key', headers: bearer(forged), refused: nobody },
    { name: 'a deactivated client', headers: bearer(deadToken), refused: nobody },
    { name: BUYER, headers: bearer(member.body.access_token), refused: nobody },
    {
      name: THEIR_OWNER,
      headers: bearer(rivalUser, { 'x-store-id': storeId }),
      refused: always('TENANT_MISMATCH', null),
    },
    {
      name: 'our OWNER naming the other store',
      headers: bearer(ownerUser, { 'x-store-id': rival.store.storeId }),
      refused: always('TENANT_MISMATCH', null),
    },
    {
      name: 'STAFF',
      headers: bearer(await storeToken(at('STAFF', shop), storeId)),
      refused: (endpoint) => {
        if (endpoint.access === 'user') return 'UNAUTHORIZED';
        // They may remove themselves, and this is another's id.
        if (endpoint.id === 'members.remove') return 'INSUFFICIENT_ROLE';
        if (endpoint.console && !endpoint.console.includes('STAFF')) return 'INSUFFICIENT_ROLE';
        return lacks(endpoint, ROLE_SCOPES.STAFF) ? 'INSUFFICIENT_SCOPE' : null;
      },
    },
    {
      name: 'a server with one scope',
      headers: bearer(await token(underTest.api, shop.store, 'product:r')),
      refused: machine(['product:r']),
    },
    {
      name: 'a server',
      headers: bearer(shop.seller.bearer),
      refused: machine(CLIENT_SCOPES),
    },
    { name: 'an API token', headers: bearer(await issue('plain')), refused: machine(apiScopes) },
    {
      name: 'an agent',
      headers: bearer(await issue('agent')),
      // Judged elsewhere: test/system/approvals/access.test.ts.
      refused: (endpoint) => (endpoint.agentAccess ? null : machine(apiScopes)(endpoint)),
    },
    { name: 'an app', headers: bearer(appToken), refused: machine(APP_SCOPES) },
    {
      name: 'a client of theirs with a person of ours, naming our store',
      headers: bearer(luredUser, { 'x-store-id': storeId }),
      refused: throughApp(() => 'TENANT_MISMATCH'),
    },
    {
      name: 'a client of theirs with a person of ours, naming theirs',
      headers: bearer(luredUser, { 'x-store-id': rival.store.storeId }),
      refused: throughApp(() => 'TENANT_MISMATCH'),
    },
    {
      name: 'a client of ours with a person of both, naming their store',
      headers: bearer(deputyUser, { 'x-store-id': rival.store.storeId }),
      refused: throughApp(() => 'TENANT_MISMATCH'),
    },
    {
      name: 'a client of ours with a person of both, naming ours',
      headers: bearer(deputyUser, { 'x-store-id': storeId }),
      refused: throughApp(machine(APP_SCOPES)),
    },
  ];
}

beforeAll(async () => {
  [shop, rival] = await Promise.all([world(), world()]);
  await Promise.all([people(shop), people(rival)]);
  await plant(rival);
  principals = await everybody();
  hooked = await shop.receiver();
});
afterAll(() => hooked.close());

describe.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
  test('answers each of 18 principals as it is declared', async () => {
    const [method = '', path = ''] = endpoint.route.split(' ');
    const seen = await Promise.all(
      principals.map(async ({ name, headers }) => {
        const url = path.replaceAll(/{(\w+)}/g, 'no-such-thing');
        const reply = await call(underTest.api, method, url, {
          body: endpoint.body && {},
          headers: isStorefront(endpoint) ? { 'x-store-code': shop.store.storeCode, ...headers } : headers,
        });
        // Before a store is chosen, the other store's OWNER sees their own.
        const isTheirs = endpoint.access === 'user' && name === THEIR_OWNER;
        expect([name, !isTheirs && JSON.stringify(reply.body).includes(CANARY)]).toEqual([name, false]);
        const code = String(reply.body.error?.code);
        expect([name, reply.status < 500]).toEqual([name, true]);
        return [name, WHO.has(code) ? code : null];
      }),
    );
    const declared = (one: Principal) => (isStorefront(endpoint) ? atStorefront(one.name, endpoint) : one.refused(endpoint));
    expect(seen).toEqual(principals.map((one) => [one.name, declared(one)]));
  });
});

test('the other store’s pages show nothing of it to ours', async () => {
  const own = { 'x-store-code': shop.store.storeCode };
  const replies = await Promise.all([
    call(underTest.api, 'GET', '/storefront/v1/products', { headers: own }),
    call(underTest.api, 'GET', '/v1/orders', { headers: bearer(shop.seller.bearer) }),
    call(underTest.api, 'GET', '/v1/order-items', { headers: bearer(shop.seller.bearer) }),
    call(underTest.api, 'GET', '/v1/products', { headers: bearer(shop.seller.bearer) }),
  ]);
  for (const { status, body } of replies) expect([status, JSON.stringify(body).includes(CANARY)]).toEqual([200, false]);
  const [planted] = await query<{ texts: number }>(
    `SELECT count(*)::int AS texts FROM orders WHERE store_id = $1 AND buyer::text LIKE '%${CANARY}%'`,
    [rival.store.storeId],
  );
  expect(planted!.texts).toBe(1);
});

test('neither our webhooks nor any log holds any of it', async () => {
  await shop.order();
  await until('our event', async () => hooked.types.includes('ORDER.PAID'));
  expect(hooked.received.filter(({ body }) => body.includes(CANARY))).toEqual([]);
  const logs = underTest.dataDir;
  const found = readdirSync(logs).filter((name) => /^(api|worker)\.log$/.test(name));
  expect(found.toSorted()).toEqual(['api.log', 'worker.log']);
  for (const name of found) expect([name, readFileSync(join(logs, name), 'utf8').includes(CANARY)]).toEqual([name, false]);
});
