import { mock } from 'node:test';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Sessions } from '../../../api/mcp/sessions.ts';
import { MINUTE } from '../../../domain/kernel/time.ts';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] }));
afterEach(() => mock.timers.reset());

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const connection = { caller: { principal: 'mcp/usr/cli', actor: { id: 'cli' }, scopes: [] } } as never;
const request = (headers: Record<string, string> = {}) =>
  new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
function opened() {
  const stopping = new AbortController();
  const clock = { now: () => Date.now() };
  const sessions = new Sessions(
    { clock, config: { mcpFormMs: 1000 }, stopping: stopping.signal } as never,
    { listed: [], call: () => {} } as never,
  );
  const begin = async () => (await sessions.serve(request(), INITIALIZE, connection)).headers.get('mcp-session-id')!;
  const use = async (id: string) =>
    (await sessions.serve(request({ 'mcp-session-id': id }), { jsonrpc: '2.0', method: 'notifications/initialized' }, connection)).status;
  return { begin, use, stopping, sessions };
}

test('a session ends after half an hour without a request, and each request gives it another', async () => {
  const { begin, use } = opened();
  const [used, idle] = [await begin(), await begin()];
  mock.timers.tick(20 * MINUTE);
  expect(await use(used)).toBe(202);
  mock.timers.tick(15 * MINUTE);
  expect([await use(used), await use(idle)]).toEqual([202, 404]);
  mock.timers.tick(32 * MINUTE);
  expect(await use(used)).toBe(404);
});

test('a process that stops ends its sessions and begins none', async () => {
  const { begin, use, stopping, sessions } = opened();
  const id = await begin();
  stopping.abort();
  expect(await use(id)).toBe(404);
  await expect(sessions.serve(request(), INITIALIZE, connection)).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' });
});
