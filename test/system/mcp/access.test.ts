/** Who may use `/mcp`, and whose sessions are whose. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { call } from '../../../bin/dev/client.ts';
import { ownApi } from '../../kernel/api.ts';
import { LIMIT, limitedApi } from '../../kernel/secondApi.ts';
import { APP, Browser, exchange, loginAs, loginThrough, people, registerApp, storeToken, tokens } from '../../kernel/login.ts';
import { beginSession, connect, emailOf, GENERATIONS, mcpAddress, mcpToken, post } from '../../kernel/mcp.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let owner: string;
beforeAll(async () => {
  shop = await world();
  await people(shop);
  owner = await storeToken(emailOf(shop, 'owner'), shop.store.storeId);
});
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const CHALLENGE = `Bearer resource_metadata="${underTest.api}/.well-known/oauth-protected-resource/mcp"`;
const refusedAs = async (token: string | null) => {
  const response = await post(token, ping);
  return [response.status, response.headers.get('www-authenticate')];
};

test('an official client finds its way from the address alone: 401, metadata, login with the resource, tools', async () => {
  const { client_id: clientId } = await registerApp(owner);
  let opened: URL | undefined;
  let saved: Record<string, unknown> | undefined;
  let verifier = '';
  const authProvider = {
    redirectUrl: APP,
    clientMetadata: { redirect_uris: [APP], client_name: 'test' },
    clientInformation: () => ({ client_id: clientId }),
    state: () => 'a-state',
    tokens: () => saved,
    saveTokens: (given: object) => void (saved = { ...given }),
    redirectToAuthorization: (url: URL) => void (opened = url),
    saveCodeVerifier: (given: string) => void (verifier = given),
    codeVerifier: () => verifier,
  };
  const transport = () => new StreamableHTTPClientTransport(new URL(mcpAddress()), { authProvider: authProvider as never });
  const first = transport();
  const stranger = new Client({ name: 'test', version: '1' });
  await expect(stranger.connect(first)).rejects.toThrow(UnauthorizedError);
  expect(opened?.searchParams.get('resource')).toBe(mcpAddress());
  const back = await new Browser().login(opened!.href, emailOf(shop, 'owner'), APP);
  await first.finishAuth(back.searchParams.get('code')!);
  expect(String(saved?.['scope']).split(' ')).toEqual(expect.arrayContaining(['order:rw', 'store:rw', 'member:rw']));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['api_search', 'api_call', 'approvals_list', 'approvals_get', 'approvals_decide']);
  await client.close();
});

describe('is 401 with the address of the metadata', () => {
  test('no token, a made-up one, and every other token that we give', async () => {
    const { client_id: clientId } = await registerApp(owner);
    const person = await loginThrough(clientId, emailOf(shop, 'owner'));
    const { user } = await loginAs(emailOf(shop, 'owner'));
    const created = await call(underTest.api, 'POST', '/v1/store/api-tokens', {
      headers: { authorization: `Bearer ${owner}` },
      body: { name: 'agent', scopes: ['order:rw'], purpose: 'agent' },
    });
    const server = await tokens(
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${Buffer.from(`${shop.store.clientId}:${shop.store.clientSecret}`).toString('base64')}` },
    );
    const exchanged = await exchange(person.access_token, shop.store.storeId, { client_id: clientId });
    const others = [person.access_token, user.access_token, owner, server.body.access_token, exchanged.body.access_token];
    expect(created.body.data.token).toMatch(/^svcpat_/);
    for (const token of [null, 'made.up.token', created.body.data.token as string, ...others])
      expect(await refusedAs(token)).toEqual([401, CHALLENGE]);
  });
  test('a deactivated client', async () => {
    const { token, clientId } = await mcpToken(shop, owner, 'owner');
    expect((await post(token, ping)).status).toBe(400);
    await call(underTest.api, 'POST', `/v1/store/api-clients/${clientId}/deactivate`, { headers: { authorization: `Bearer ${owner}` } });
    expect(await refusedAs(token)).toEqual([401, CHALLENGE]);
  });
  test('a lost membership, and a revoked login', async () => {
    const [{ token }, other] = [await mcpToken(shop, owner, 'staff'), await mcpToken(shop, owner, 'admin')];
    await query(`DELETE FROM member WHERE store_id = $1 AND role = 'STAFF'`, [shop.store.storeId]);
    await query('UPDATE login SET revoked_at = now() WHERE client_id = $1', [other.clientId]);
    expect(await refusedAs(token)).toEqual([401, CHALLENGE]);
    expect(await refusedAs(other.token)).toEqual([401, CHALLENGE]);
  });
});

describe('a session', () => {
  test('belongs to its subject: with another one’s token it is 404, also to end it', async () => {
    const [mine, theirs] = await Promise.all([mcpToken(shop, owner, 'owner'), mcpToken(shop, owner, 'admin')]);
    const id = await beginSession(mine.token);
    const headers = { 'mcp-session-id': id };
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await post(theirs.token, list, headers)).status).toBe(404);
    const asOther = { headers: { ...headers, authorization: `Bearer ${theirs.token}`, accept: 'text/event-stream' } };
    expect((await fetch(mcpAddress(), { ...asOther, method: 'GET' })).status).toBe(404);
    expect((await fetch(mcpAddress(), { ...asOther, method: 'DELETE' })).status).toBe(404);
    expect((await post(mine.token, list, headers)).status).toBe(200);
    expect((await post(mine.token, list, { 'mcp-session-id': 'made-up' })).status).toBe(404);
  });
  test('has a stream by GET, ends by DELETE, and is then 404', async () => {
    const { token } = await mcpToken(shop, owner, 'owner');
    const headers = { 'mcp-session-id': await beginSession(token), authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const stream = await fetch(mcpAddress(), { headers });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect((await fetch(mcpAddress(), { method: 'DELETE', headers })).status).toBe(200);
    expect(await stream.text()).toBe('');
    expect((await fetch(mcpAddress(), { headers })).status).toBe(404);
  });
  test('ends, the oldest first, when its subject has more than twenty', async () => {
    const { token } = await mcpToken(shop, owner, 'owner');
    const ids: string[] = [];
    for (let n = 0; n < 21; n++) ids.push(await beginSession(token));
    const status = async (id: string) =>
      (await post(token, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, { 'mcp-session-id': id })).status;
    expect([await status(ids[0]!), await status(ids[1]!), await status(ids[20]!)]).toEqual([404, 200, 200]);
  });
  test('ends when the process stops, with its stream', async () => {
    const { api, stop } = await ownApi({ PUBLIC_URL: underTest.api });
    const { token } = await mcpToken(shop, owner, 'owner');
    const begun = await post(
      token,
      {
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      },
      {},
      api,
    );
    const id = begun.headers.get('mcp-session-id')!;
    const headers = { 'mcp-session-id': id, authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const stream = await fetch(mcpAddress(api), { headers });
    stop();
    expect(await stream.text()).toBe('');
  });
});

describe('requests', () => {
  test.each(GENERATIONS)('%s: a client lists the tools', async (generation) => {
    const { token } = await mcpToken(shop, owner, 'owner');
    const client = await connect(generation, token);
    expect((await client.tools()).map(({ name }) => name)).toContain('api_call');
    await client.close();
  });
  test('of 2026-07-28 name version, method and tool in headers that agree with the body', async () => {
    const { token } = await mcpToken(shop, owner, 'owner');
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    const send = async (method: string, headers: Record<string, string>, params: object = {}, _meta: object = meta) => {
      const response = await post(token, { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta } }, headers);
      const { error } = (await response.json()) as { error?: { code: number } };
      return [response.status, error?.code];
    };
    const version = { 'mcp-protocol-version': '2026-07-28' };
    expect(await send('server/discover', { ...version, 'mcp-method': 'server/discover' })).toEqual([200, undefined]);
    expect(await send('tools/list', { 'mcp-method': 'tools/list' })).toEqual([400, -32_020]);
    expect(await send('tools/list', version)).toEqual([400, -32_020]);
    expect(await send('tools/list', { ...version, 'mcp-method': 'tools/call' })).toEqual([400, -32_020]);
    const called = { ...version, 'mcp-method': 'tools/call' };
    expect(await send('tools/call', called, { name: 'api_search', arguments: { query: 'x' } })).toEqual([400, -32_020]);
    expect(await send('tools/call', { ...called, 'mcp-name': 'api_call' }, { name: 'api_search' })).toEqual([400, -32_020]);
    expect(await send('tools/call', { ...called, 'mcp-name': 'none' }, { name: 'none' })).toEqual([200, -32_602]);
    expect(await send('ping', { ...version, 'mcp-method': 'ping' })).toEqual([404, -32_601]);
    expect(await send('tools/list', { ...version, 'mcp-method': 'tools/list' }, {}, {})).toEqual([400, -32_602]);
    const later = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' };
    expect(await send('tools/list', { 'mcp-protocol-version': '2027-01-01', 'mcp-method': 'tools/list' }, {}, later)).toEqual([
      400, -32_022,
    ]);
  });
  test('have bodies of JSON of at most 256 kB, from no page of another site', async () => {
    const { token } = await mcpToken(shop, owner, 'owner');
    expect((await post(token, '{')).status).toBe(400);
    expect((await post(token, { ...ping, params: { x: 'x'.repeat(300_000) } })).status).toBe(413);
    expect((await post(token, ping, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post(token, ping, { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await fetch(mcpAddress(), { method: 'PUT' })).status).toBe(405);
  });
  test('count as those of any valid token', async () => {
    const { token } = await mcpToken(shop, owner, 'owner');
    const statuses: number[] = [];
    for (let n = 0; n <= LIMIT; n++) statuses.push((await post(token, ping, {}, await limitedApi())).status);
    expect(statuses).toEqual([...Array<number>(LIMIT).fill(400), 429]);
  });
});
