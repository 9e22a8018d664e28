/** In whose log a request is, and as whose: of tokens that are valid, dead, somebody else's, or nobody's. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateKeyPair, SignJWT } from 'jose';
import type { Claims, TokenKeys } from '../../../api/declare/tokens.ts';
import { loadTokenKeys } from '../../../api/callers/tokens.ts';
import { call, type Headers_, type Reply, token as serverToken } from '../../../bin/dev/client.ts';
import { newApiToken } from '../../../db/identity/apiTokens.ts';
import { realClock } from '../../../db/kernel/clock.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { openOrm } from '../../../db/orm.ts';
import { sharedApi } from '../../kernel/secondApi.ts';
import { roleUrl } from '../../kernel/database.ts';
import { employ, loginAs, loginThrough, registerApp, storeToken } from '../../kernel/login.ts';
import { query, underTest } from '../../kernel/world.ts';
import { bearer, type Logged, Watched } from './log.ts';

const UNKNOWN = '/v1/nowhere';
const get = (headers: Headers_, path = '/v1/store', api = underTest.api): Promise<Reply> => call(api, 'GET', path, { headers });

let watched: Watched;
let rival: Watched;
let keys: TokenKeys;
beforeAll(async () => {
  [watched, rival] = await Promise.all([Watched.open(), Watched.open()]);
  const orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 1);
  keys = await loadTokenKeys(orm, createKeyring(underTest.env['SEALING_KEYS']!), underTest.api, realClock.now());
  await orm.close();
});
afterAll(() => keys.close());

const asOwner = (method: string, path: string, body?: object) =>
  call(underTest.api, method, path, { body, headers: bearer(watched.owner) });
async function issue(name: string, purpose: 'plain' | 'agent' = 'plain'): Promise<{ tokenId: string; token: string }> {
  const { body } = await asOwner('POST', '/v1/store/api-tokens', { name, scopes: ['store:r', 'order:r'], purpose });
  return body.data as { tokenId: string; token: string };
}
const register = async (name: string) => {
  const response = await fetch(`${underTest.api}/oauth2/register`, {
    method: 'POST',
    headers: { ...bearer(watched.owner), 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, grant_types: ['client_credentials'], scope: 'store:r' }),
  });
  return (await response.json()) as { client_id: string; client_secret: string };
};
const userIdOf = async (email: string) =>
  (await query<{ user_id: string }>('SELECT user_id FROM user_account WHERE email = $1', [email]))[0]!.user_id;
const email = (role: string) => `${role}@${watched.shop.store.storeCode}.example`;

describe('a request with a valid token', () => {
  test('is its actor’s, by the name of that time', async () => {
    const { storeId } = watched.shop.store;
    const ownerId = await userIdOf(email('owner'));
    const [plain, agent, server, app] = [
      await issue('ERP'),
      await issue('Helper', 'agent'),
      await register('Stock'),
      await registerApp(watched.owner),
    ];
    const machine = await serverToken(underTest.api, {
      ...watched.shop.store,
      clientId: server.client_id,
      clientSecret: server.client_secret,
    });
    const login = await loginThrough(app.client_id, email('admin'), 'store:r');
    const { user } = await loginAs(email('owner'));
    // A login writes the provider's.
    await query(`UPDATE user_account SET name = '김사장' WHERE user_id = $1`, [ownerId]);
    const named = { 'x-store-id': storeId };
    const actors: [Headers_, Logged['actor']][] = [
      [bearer(watched.owner), { type: 'USER', id: ownerId, name: '김사장' }],
      [bearer(user.access_token, named), { type: 'USER', id: ownerId, name: '김사장' }],
      [bearer(plain.token), { type: 'USER', id: ownerId, name: '김사장' }],
      [bearer(agent.token), { type: 'AGENT', id: agent.tokenId, name: 'Helper' }],
      [bearer(machine), { type: 'APP', id: server.client_id, name: 'Stock' }],
      [bearer(login.access_token, named), { type: 'APP', id: app.client_id, name: 'app' }],
    ];
    for (const [headers, actor] of actors) {
      const known = await watched.logged(await get(headers));
      const unknown = await watched.logged(await get(headers, UNKNOWN));
      expect([known.statusCode, known.actor, unknown.statusCode, unknown.operationId, unknown.actor]).toEqual([
        200,
        actor,
        404,
        null,
        actor,
      ]);
    }
    await query(`UPDATE user_account SET name = NULL WHERE user_id = $1`, [ownerId]);
    expect((await watched.logged(await get(bearer(plain.token)))).actor?.name).toBe(email('owner'));
    const earlier = await watched.items(`?actorId=${ownerId}&operationId=stores.get&limit=100`);
    expect(earlier.map(({ actor }) => actor?.name)).toContain('김사장');
  });

  test('is there with another method, beyond the limit and before a store was chosen', async () => {
    const { seller, store } = watched.shop;
    const method = await watched.logged(await seller.call('DELETE', '/v1/store'));
    expect(method).toMatchObject({ statusCode: 405, errorCode: 'METHOD_NOT_ALLOWED', operationId: null, actor: { id: store.clientId } });
    const limited = await sharedApi({ RATE_LIMIT_PER_MINUTE: '1' });
    const { token } = await issue('busy');
    await get(bearer(token), '/v1/store', limited);
    const refused = await watched.logged(await get(bearer(token), '/v1/store', limited));
    expect(refused).toMatchObject({ statusCode: 429, errorCode: 'TOO_MANY_REQUESTS', operationId: 'stores.get', actor: { type: 'USER' } });
    const app = await registerApp(watched.owner);
    const login = await loginThrough(app.client_id, email('admin'), 'store:r');
    const stores = await watched.logged(await get(bearer(login.access_token), '/me/stores'));
    const nowhere = await watched.logged(await get(bearer(login.access_token)));
    expect([stores.statusCode, stores.actor?.id, nowhere.errorCode, nowhere.actor?.id]).toEqual([
      200,
      app.client_id,
      'STORE_REQUIRED',
      app.client_id,
    ]);
  });

  test('is in its own store’s log and in no other', async () => {
    const { shop } = watched;
    const theirs = { 'x-store-id': rival.shop.store.storeId };
    expect(await watched.storesOf(await get(bearer(shop.seller.bearer)))).toEqual([shop.store.storeId]);
    const { user } = await loginAs(email('owner'));
    const { client_id: foreign } = await registerApp(rival.owner);
    const mismatches = [
      await get(bearer(shop.seller.bearer, theirs)),
      await get(bearer(user.access_token, theirs)),
      await get(bearer(watched.owner), `/v1/store/api-clients/${foreign}`),
    ];
    expect(mismatches.map(({ body }) => body.error?.code)).toEqual(['TENANT_MISMATCH', 'TENANT_MISMATCH', 'TENANT_MISMATCH']);
    const unknown = [await get(bearer(shop.seller.bearer, theirs), UNKNOWN), await get(bearer(user.access_token, theirs), UNKNOWN)];
    expect(await watched.storesOf(...mismatches, ...unknown)).toEqual([]);
    expect((await rival.items('?limit=100')).filter(({ actor }) => actor?.id === shop.store.clientId)).toEqual([]);
  });
});

describe('a request', () => {
  /** The record of a refusal, which is in this store's log alone. */
  const refusal = async (headers: Headers_): Promise<Logged> => {
    const reply = await get(headers);
    expect([reply.status, await watched.storesOf(reply)]).toEqual([401, [watched.shop.store.storeId]]);
    return watched.logged(reply);
  };

  test('of a dead token is in the log of its store, without an actor', async () => {
    const { store } = watched.shop;
    const [revoked, expired, orphan] = [await issue('revoked'), await issue('expired'), `temp@${store.storeCode}.example`];
    await asOwner('DELETE', `/v1/store/api-tokens/${revoked.tokenId}`);
    await query(`UPDATE api_token SET expires_at = now() WHERE token_id = $1`, [expired.tokenId]);
    await employ(watched.shop, orphan, 'ADMIN');
    const own = await storeToken(orphan, store.storeId);
    const left = await call(underTest.api, 'POST', '/v1/store/api-tokens', {
      body: { name: 'left', scopes: ['store:r'] },
      headers: bearer(own),
    });
    const app = await registerApp(watched.owner);
    const login = await loginThrough(app.client_id, orphan, 'store:r');
    await query('DELETE FROM member WHERE store_id = $1 AND user_id = $2', [store.storeId, await userIdOf(orphan)]);
    const ended = await register('ended');
    const machine = await serverToken(underTest.api, { ...store, clientId: ended.client_id, clientSecret: ended.client_secret });
    await asOwner('POST', `/v1/store/api-clients/${ended.client_id}/deactivate`);
    await asOwner('POST', `/v1/store/api-clients/${app.client_id}/deactivate`);
    const before = realClock.now() - 3_700_000;
    const claims: Claims = {
      use: 'store',
      storeId: store.storeId,
      clientId: store.clientId,
      origin: 'm2m',
      scopes: ['store:r'],
      person: null,
    };
    const old = await keys.sign(claims, before);
    const named = { 'x-store-id': store.storeId };
    for (const [why, headers] of Object.entries({
      revoked: bearer(revoked.token),
      expired: bearer(expired.token),
      'its issuer left': bearer(left.body.data.token as string),
      'its person left': bearer(own),
      'its client was deactivated': bearer(machine),
      'so was that of the login': bearer(login.access_token, named),
      'expired, signed by us': bearer(old),
      'a buyer’s': (await watched.shop.member()).headers,
    })) {
      const { statusCode, errorCode, operationId, actor, ip } = await refusal(headers);
      expect([why, statusCode, errorCode, operationId, actor, ip]).toEqual([why, 401, 'UNAUTHORIZED', 'stores.get', null, '127.0.0.1']);
    }
    const unknown = await watched.logged(await get(bearer(revoked.token), UNKNOWN));
    expect([unknown.statusCode, unknown.actor]).toEqual([404, null]);
  });

  test('of a token that belongs to no store is in no log', async () => {
    const { store } = watched.shop;
    const { privateKey } = await generateKeyPair('RS256');
    const forge = (kid: string) =>
      new SignJWT({ use: 'store', store_id: store.storeId, client_id: store.clientId, origin: 'm2m', scope: 'store:r' })
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'at+jwt' })
        .setSubject(store.clientId)
        .setExpirationTime('-1h')
        .sign(privateKey);
    const { keys: known } = (await (await fetch(`${underTest.api}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
    const ended = { use: 'user', userId: await userIdOf(email('owner')), clientId: 'console', loginId: 'lgn_none' } as const;
    const console = await keys.sign({ ...ended, origin: 'console', scopes: [], authTime: 0, resource: null }, realClock.now() - 3_700_000);
    const { user } = await loginAs(email('owner'));
    const replies: Reply[] = [];
    for (const headers of [
      {},
      { authorization: 'Basic eDp5' },
      bearer('x'),
      bearer(newApiToken()),
      bearer(await forge('x')),
      bearer(await forge(known[0]!.kid)),
      bearer(console),
      bearer(console, { 'x-store-id': store.storeId }),
      bearer(user.access_token),
    ])
      for (const path of ['/v1/store', UNKNOWN]) replies.push(await get(headers, path));
    expect(await watched.storesOf(...replies)).toEqual([]);
  });
});
