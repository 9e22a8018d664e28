/** What is malformed, too much or meant to break something is a clean error, and counts. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { ownApi } from '../../kernel/api.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { callBare, emailOf, mcpToken, post } from '../../kernel/mcp.ts';
import { underTest, type World, world } from '../../kernel/world.ts';

let shop: World;
let token: string;
let owner: string;
beforeAll(async () => {
  shop = await world();
  await people(shop);
  owner = await storeToken(emailOf(shop, 'owner'), shop.store.storeId);
  ({ token } = await mcpToken(shop, owner, 'owner'));
});

/** Of an answer to a message or a batch, as JSON or as a stream of events. */
// oxlint-disable typescript/no-explicit-any -- answers of many shapes
async function messages(response: Response): Promise<Record<string, any>[]> {
  const text = await response.text();
  const parts = response.headers.get('content-type')?.startsWith('text/event-stream') ? text.matchAll(/^data: (.+)$/gm) : [[text, text]];
  return [...parts].flatMap(([, part]) => JSON.parse(part!) as Record<string, any>);
}
async function session(
  protocolVersion: string,
  capabilities: object = {},
  of = token,
  api = underTest.api,
): Promise<Record<string, string>> {
  const params = { protocolVersion, capabilities, clientInfo: { name: 'bare', version: '1' } };
  const response = await post(of, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, {}, api);
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id')! };
}
const request = (id: number, method: string, params?: unknown) => ({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
const search = (id: number) => request(id, 'tools/call', { name: 'api_search', arguments: { query: 'cancel' } });
/** Nothing of ours: no stack, no path, no text of a library or of Postgres. */
const expectNothingInternal = (text: string) =>
  expect(text).not.toMatch(/at .*\.(?:ts|js)|node_modules|\/api\/|Error:|invalid_type|"expected"|SQLSTATE|byte sequence/);

describe('a batch', () => {
  const batch = (n: number) => Array.from({ length: n }, (_, i) => search(i + 1));
  test.each(['2025-06-18', '2025-11-25'])('is refused in a session of %s, which has none', async (version) => {
    const response = await post(token, batch(2), await session(version));
    expect([response.status, await response.json()]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32_600, message: expect.stringContaining('2025-03-26') } },
    ]);
  });
  test('is refused without a session, of 2026-07-28 too', async () => {
    for (const headers of [{}, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' }]) {
      const response = await post(token, batch(2), headers);
      expect([response.status, (await messages(response))[0]!['error'].code]).toEqual([400, -32_600]);
    }
  });
  test('of 2025-03-26 is answered message by message; an empty one and one of more than twenty are refused', async () => {
    const headers = await session('2025-03-26');
    const answers = await messages(await post(token, batch(3), headers));
    expect(new Set(answers.map(({ id, result }) => `${id} ${result.isError}`))).toEqual(new Set([1, 2, 3].map((id) => `${id} undefined`)));
    for (const n of [0, 21]) expect((await post(token, batch(n), headers)).status).toBe(400);
  });
  test('counts message by message; one that passes the limit is refused whole', async () => {
    const { api, stop } = await ownApi({ PUBLIC_URL: underTest.api, RATE_LIMIT_PER_MINUTE: '10' });
    try {
      const own = await mcpToken(shop, owner, 'owner');
      const headers = await session('2025-03-26', {}, own.token, api);
      const send = async (n: number) => {
        const response = await post(own.token, batch(n), headers, api);
        const text = await response.text();
        return [response.status, response.headers.get('ratelimit-remaining'), text.includes('"result"')];
      };
      expect(await send(4)).toEqual([200, '5', true]);
      expect(await send(6)).toEqual([429, '0', false]);
      expect(await send(1)).toEqual([429, '0', false]);
    } finally {
      stop();
    }
  });
});

describe('in both generations', () => {
  let headers: Record<string, string>;
  beforeAll(async () => {
    headers = await session('2025-11-25');
  });
  const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
  /** The answers to a message in a session, and without one. */
  async function both(method: string, params: object): Promise<{ status: number; message: Record<string, any> }[]> {
    const { name } = params as { readonly name?: unknown };
    const stateless = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` }),
    };
    const responses = [
      await post(token, request(5, method, params), headers),
      await post(token, request(5, method, { ...params, _meta: META }), stateless),
    ];
    const answers = [];
    for (const response of responses) {
      const [message] = await messages(response);
      expectNothingInternal(JSON.stringify(message));
      answers.push({ status: response.status, message: message! });
    }
    return answers;
  }

  test.each<[string, string, object, number]>([
    ['an unknown method', 'tools/none', {}, -32_601],
    ['a method with control characters', 'tools/\u0000call', {}, -32_601],
    ['an unknown tool', 'tools/call', { name: 'none' }, -32_602],
    ['a tool named with control characters', 'tools/call', { name: 'a\u0000\n' }, -32_602],
    ['a tool with a number for its name', 'tools/call', { name: 5 }, -32_602],
    ['no tool', 'tools/call', {}, -32_602],
  ])('%s is a JSON-RPC error', async (_, method, params, code) => {
    // No header can say a method with control characters.
    const answers = method.includes('\0')
      ? [{ status: 200, message: (await messages(await post(token, request(5, method, params), headers)))[0]! }]
      : await both(method, params);
    for (const { status, message } of answers) {
      expect(status).toBeLessThan(500);
      expect(message).toMatchObject({ id: 5, error: { code } });
    }
  });

  test.each<[string, unknown]>([
    ['of another type', 5],
    ['a list', []],
    ['null for a field', { method: 'GET', path: null }],
    ['an unknown field', { method: 'GET', path: '/v1/store', zz: 1 }],
    ['a path that is too long', { method: 'GET', path: `/${'x'.repeat(2001)}` }],
    ['a path with control characters', { method: 'GET', path: '/v1/products/\u0000' }],
    ['a path with half a character', { method: 'GET', path: '/v1/products/\ud800' }],
    ['a query with control characters', { method: 'GET', path: '/v1/products', query: { a: '\u0000' } }],
    ['a query with half a character for a name', { method: 'GET', path: '/v1/products', query: { '\ud800': '1' } }],
    ['a query of objects', { method: 'GET', path: '/v1/products', query: { a: { b: 1 } } }],
    ['a body with control characters', { method: 'POST', path: '/v1/categories', body: { name: 'a\u0000' } }],
    ['a body of another type', { method: 'POST', path: '/v1/categories', body: 'x' }],
    ['a key with control characters', { method: 'POST', path: '/v1/categories', body: { name: 'a' }, idempotencyKey: '\u0001' }],
  ])('arguments: %s is VALIDATION_FAILED', async (_, input) => {
    for (const { status, message } of await both('tools/call', { name: 'api_call', arguments: input })) {
      expect([status, message['result']?.isError]).toEqual([200, true]);
      expect(message['result'].structuredContent).toMatchObject({
        meta: { status: 400, code: 'VALIDATION_FAILED', requestId: expect.stringMatching(/^req_/) },
        data: null,
      });
    }
  });

  test.each<[string, object, string]>([
    ['a path with an escaped control character', { method: 'GET', path: '/v1/products/%00' }, 'VALIDATION_FAILED'],
    ['a path that goes up', { method: 'GET', path: '/v1/products/../store' }, 'NOT_FOUND'],
    ['another host', { method: 'GET', path: 'http://127.0.0.1/v1/store' }, 'NOT_FOUND'],
    ['ids of expressions', { method: 'GET', path: `/v1/products/'%3B--` }, 'PRODUCT_NOT_FOUND'],
    ['what takes a file', { method: 'POST', path: '/v1/uploads', body: {} }, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('%s is refused as over HTTP', async (_, input, code) => {
    for (const { message } of await both('tools/call', { name: 'api_call', arguments: input }))
      expect(message['result'].structuredContent.meta.code).toBe(code);
  });
});

test.each<[string, string | object, number]>([
  ['malformed JSON', '{"jsonrpc":', 400],
  ['bytes that are no UTF-8', '\u0000', 400],
  ['a JSON text that is no message', '"x"', 400],
  ['null', 'null', 400],
  ['a message of another protocol', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, 400],
  ['ten thousand levels', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 400],
  ['more than 256 kB', { jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(262_144) } }, 413],
])('a body of %s is %s', async (_, body, status) => {
  for (const headers of [{}, await session('2025-11-25'), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' }]) {
    const response = await post(token, body, headers);
    const [{ error }] = (await messages(response)) as [Record<string, any>];
    expectNothingInternal(JSON.stringify(error));
    expect([response.status, typeof error.message]).toEqual([status, 'string']);
    if (status === 413) expect(error.code).toBe('PAYLOAD_TOO_LARGE');
  }
});

test('a client that answers a form with what is no answer decides nothing', async () => {
  const { orderItemId } = await shop.order();
  const input = { method: 'POST', path: `/v1/order-items/${orderItemId}/cancel`, body: { reason: 'OUT_OF_STOCK' } };
  const { approvalId } = (await callBare(token, 'api_call', input)).body.result.structuredContent.data as { approvalId: string };
  const headers = await session('2025-11-25', { elicitation: {} });
  const called = await post(
    token,
    request(3, 'tools/call', { name: 'approvals_decide', arguments: { approvalId, decision: 'approve' } }),
    headers,
  );
  const reader = called.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const seen = async (pattern: RegExp) => {
    for (;;) {
      const found = pattern.exec(text);
      if (found) return JSON.parse(found[1]!) as Record<string, any>;
      const { value, done } = await reader.read();
      if (done) throw new Error(`the stream ended: ${text}`);
      text += value;
    }
  };
  const { id } = await seen(/^data: (.*elicitation\/create.*)$/m);
  await post(token, { jsonrpc: '2.0', id, result: { action: 5, content: 'x' } }, headers);
  const { result } = await seen(/^data: (.*"id":3.*)$/m);
  expect(result.structuredContent).toEqual({ approvalId, status: 'PENDING', confirmed: false });
});
