/** Generated from the endpoint list: what every operation refuses, whoever declares it. A route without a row cannot exist. */
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT, generateKeyPair } from 'jose';
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { CLIENT_SCOPES, covers } from '../../../domain/identity/rules.ts';
import { call, type Headers_, type Reply, token } from '../../../bin/dev/client.ts';
import { loginAs, storeToken } from '../../kernel/login.ts';
import { query, underTest, type World, world, seedMembers } from '../../kernel/world.ts';

const url = (endpoint: Endpoint) => endpoint.route.split(' ')[1]!.replaceAll(/{(\w+)}/g, 'x');
const method = (endpoint: Endpoint) => endpoint.route.split(' ')[0]!;
const send = (endpoint: Endpoint, headers: Headers_, body: unknown = endpoint.body ? {} : undefined) =>
  call(underTest.api, method(endpoint), url(endpoint), { body, headers });
/** With a body whatever the method is: `fetch` sends none with GET. */
const sendBody = async (endpoint: Endpoint, headers: Headers_, body: unknown): Promise<Reply> => {
  if (method(endpoint) !== 'GET') return send(endpoint, headers, body);
  const words = typeof body === 'string' ? body : JSON.stringify(body);
  const options = {
    method: 'GET',
    headers: { 'content-type': 'application/json', ...headers, 'content-length': Buffer.byteLength(words) },
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(underTest.api + url(endpoint), options, resolve)
      .on('error', reject)
      .end(words);
  });
  return { status: response.statusCode!, headers: new Headers(), body: JSON.parse(await text(response)) as Reply['body'] };
};
const named = (list: readonly Endpoint[]) => list.map((endpoint) => [endpoint.id, endpoint] as const);
const store = named(endpoints.filter((endpoint) => endpoint.access === 'store'));

let shop: World;
let rival: World;
let bearer: Record<string, string>;
/** Callers of our store, each made when it is first wanted. The console's rules for each role are in test/identity. */
const callers = {
  owner: once(async () => {
    const { storeId, storeCode } = shop.store;
    await seedMembers(storeId, [{ role: 'OWNER', email: `owner@${storeCode}.example` }]);
    return { authorization: `Bearer ${await storeToken(`owner@${storeCode}.example`, storeId)}` };
  }),
  user: once(async () => ({ authorization: `Bearer ${(await loginAs('somebody@example.com')).user.access_token}` })),
  member: once(async () => (await shop.member()).headers),
  buyer: once(async () => (await shop.buyer()).headers),
  foreignBuyer: once(async () => (await rival.buyer()).headers),
};
function once(make: () => Promise<Headers_>): () => Promise<Headers_> {
  let made: Promise<Headers_> | undefined;
  return () => (made ??= make());
}
const clients = new Map<string, Promise<Headers_>>();
/** Our client's headers with these scopes. */
function clientWith(scopes: string): Promise<Headers_> {
  const headers = clients.get(scopes) ?? token(underTest.api, shop.store, scopes).then((value) => ({ authorization: `Bearer ${value}` }));
  clients.set(scopes, headers);
  return headers;
}
/** As ours in everything but its key. */
let forged: string;
beforeAll(async () => {
  [shop, rival] = await Promise.all([world(), world()]);
  bearer = { authorization: `Bearer ${shop.seller.bearer}` };
  const { privateKey } = await generateKeyPair('RS256');
  forged = await new SignJWT({ use: 'store', store_id: shop.store.storeId, client_id: shop.store.clientId, scope: 'order:rw' })
    .setProtectedHeader({ alg: 'RS256', kid: 'x', typ: 'at+jwt' })
    .setIssuer(underTest.api)
    .setExpirationTime('1h')
    .sign(privateKey);
});

test('every declaration is consistent', () => {
  const problems = endpoints.flatMap(({ id, route, access, scopes, change, body, ...endpoint }) => [
    ...(endpoints.filter((other) => other.id === id || other.route === route).length > 1 ? [`${id} is declared twice`] : []),
    ...(access === 'store' && (scopes ?? []).length === 0 && !endpoint.console ? [`${id} needs a scope or the console`] : []),
    ...(route.startsWith('GET') && (body || change !== 'none') ? [`${id} is a GET that writes`] : []),
  ]);
  expect(problems).toEqual([]);
});

describe.each(store)('%s', (_, endpoint) => {
  test('401 without a token of ours', async () => {
    for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: `Bearer ${forged}` }, { authorization: 'Basic eDp5' }]) {
      const reply = await send(endpoint, headers);
      expect([reply.status, reply.body.error?.code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });
  test('403 when the token lacks a scope, before the body is looked at', async () => {
    if (endpoint.console) {
      // A server, whatever its scopes, is nobody at the console; before scope and body.
      expect((await send(endpoint, bearer, endpoint.body && { zz: 1 })).body.error?.code).toBe('INSUFFICIENT_ROLE');
      return;
    }
    const others = CLIENT_SCOPES.filter((scope) => !endpoint.scopes!.some((wanted) => scope.startsWith(`${wanted.split(':')[0]!}:`))).join(
      ' ',
    );
    expect((await send(endpoint, await clientWith(others), endpoint.body && { zz: 1 })).body.error?.code).toBe('INSUFFICIENT_SCOPE');
  });
  test('403 when X-Store-Id names another store', async () => {
    const reply = await send(endpoint, { ...bearer, 'x-store-id': rival.store.storeId });
    expect(reply.body.error?.code).toBe('TENANT_MISMATCH');
  });
});

/** POLICY_BODIES=all: each operation refuses each of them. Else one of each kind, in turn. */
const ALL_BODIES = process.env['POLICY_BODIES'] === 'all';
const inTurn = (all: readonly string[], turn: number) => (ALL_BODIES ? all : [all[turn % all.length]!]);
const FOREIGN_TYPES = ['text/plain', 'application/merge-patch+json', 'application/json; charset=euc-kr'];
const MALFORMED = ['{', 'null', '[]', '"x"', '1'];
// Multipart bodies: test/uploads.
const bodied = endpoints.filter((endpoint) => endpoint.maxFileBytes === undefined);
describe.each(bodied.map((endpoint, i) => [endpoint.id, endpoint, i] as const))('%s', (_, endpoint, turn) => {
  const caller = async (): Promise<Headers_> => {
    const isServers = CLIENT_SCOPES.some((held) => endpoint.scopes?.every((scope) => covers([held], scope)) ?? true);
    if (endpoint.access === 'store' && (endpoint.console || !isServers)) return callers.owner();
    if (endpoint.access === 'user') return callers.user();
    if (endpoint.access === 'store') return bearer;
    if (endpoint.access === 'customer') return callers.member();
    return endpoint.access === 'buyer' ? callers.buyer() : { 'x-store-code': shop.store.storeCode };
  };
  const reachable = endpoint.access !== 'payment';
  test('refuses every body that it does not declare', async () => {
    if (!reachable) return expect((await sendBody(endpoint, {}, { zz: 1 })).status).toBe(404);
    const headers = await caller();
    const unknown = await sendBody(endpoint, headers, { zz: 1 });
    expect(unknown.body.error?.fieldErrors).toContainEqual(expect.objectContaining({ field: 'zz', code: 'UNKNOWN_FIELD' }));
    for (const type of inTurn(FOREIGN_TYPES, turn))
      expect((await sendBody(endpoint, { ...headers, 'content-type': type }, '{}')).body.error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    for (const malformed of inTurn(MALFORMED, turn))
      expect((await sendBody(endpoint, headers, malformed)).body.error?.code).toBe('VALIDATION_FAILED');
    expect((await sendBody(endpoint, headers, { zz: '\u0000' })).body.error?.fieldErrors).toContainEqual(
      expect.objectContaining({ code: 'CONTROL_CHARACTER' }),
    );
    const large = await sendBody(endpoint, headers, JSON.stringify({ zz: 'x'.repeat(300_000) }));
    expect([large.status, large.body.error?.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

test.each(named(endpoints.filter((endpoint) => endpoint.access === 'buyer')))(
  '%s needs a store code and a guest session',
  async (_, endpoint) => {
    expect((await send(endpoint, {})).body.error?.code).toBe('STORE_REQUIRED');
    expect((await send(endpoint, { 'x-store-code': 'no-such-store' })).body.error?.code).toBe('STORE_NOT_FOUND');
    expect((await send(endpoint, { 'x-store-code': shop.store.storeCode })).status).toBe(401);
    const foreign = (await callers.foreignBuyer())['x-cart-token']!;
    const stranger = await send(endpoint, { 'x-store-code': shop.store.storeCode, 'x-cart-token': foreign });
    // Where tokens that have ended are replaced, an unknown one is as good as ended: it opens an empty cart.
    if (!endpoint.renewsSession) expect(stranger.status).toBe(401);
    else expect([stranger.status, stranger.headers.get('x-cart-token') === foreign]).not.toEqual([401, true]);
  },
);

test('every table with a store has forced row-level security', async () => {
  const loose = await query(
    `SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'store_id' AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`,
  );
  expect(loose).toEqual([]);
  const roles = await query('SELECT rolname FROM pg_roles WHERE rolname LIKE $1 AND (rolsuper OR rolbypassrls)', ['sangjeom%']);
  expect(roles).toEqual([]);
});
