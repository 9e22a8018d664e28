import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
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
const connectionOf = (storeId: string, userId: string, clientId: string) =>
  ({ caller: { principal: `mcp/${userId}/${clientId}`, storeId, userId, actor: { id: clientId }, scopes: [] } }) as never;
const mine = connectionOf('sto', 'usr', 'cli');
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
  const begin = async (connection = mine) => (await sessions.serve(request(), INITIALIZE, connection)).headers.get('mcp-session-id')!;
  const use = async (id: string, connection = mine) =>
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
  await expect(sessions.serve(request(), INITIALIZE, mine)).rejects.toMatchObject({ code: 'TEMPORARILY_UNAVAILABLE' });
});

describe('beyond its share', () => {
  /** Begins sessions one after the other; what answers how many of them are still open. */
  async function opening(sessions: ReturnType<typeof opened>, connections: readonly never[]) {
    const ids: [string, never][] = [];
    for (const connection of connections) ids.push([await sessions.begin(connection), connection]);
    return async () => {
      let open = 0;
      for (const [id, connection] of ids) if ((await sessions.use(id, connection)) === 202) open++;
      return open;
    };
  }
  const many = (n: number, one: (i: number) => never) => Array.from({ length: n }, (_, i) => one(i));

  test('a client, a person and a store end sessions of their own, and nobody else’s', async () => {
    const sessions = opened();
    const others = await opening(sessions, [
      connectionOf('other', 'b', 'c'),
      ...many(25, () => mine),
      connectionOf('sto', 'colleague', 'cli'),
    ]);
    expect(await others()).toBe(22);
    // A person's clients, as many as they register.
    const ofPerson = await opening(
      sessions,
      many(100, (i) => connectionOf('sto', 'greedy', `cli${i}`)),
    );
    expect([await ofPerson(), await others()]).toEqual([40, 22]);
    // A store's persons: 100 together, and the one with the most gives way.
    const ofStore = await opening(
      sessions,
      many(100, (i) => connectionOf('sto', `greedy${i % 3}`, `cli${i}`)),
    );
    const [left, greedy, rest] = [await ofStore(), await ofPerson(), await others()];
    expect([left + greedy + rest, rest]).toEqual([101, 22]);
  });
  test('of the process, the store with the most gives way to one that has fewer', async () => {
    const sessions = opened();
    const quiet = await opening(
      sessions,
      many(5, (i) => connectionOf('quiet', 'q', `cli${i}`)),
    );
    const loud = await opening(
      sessions,
      many(1200, (i) => connectionOf(`sto${i % 12}`, `usr${i % 60}`, `cli${i}`)),
    );
    expect([await quiet(), await loud()]).toEqual([5, 995]);
    const newcomer = await opening(sessions, [connectionOf('newcomer', 'n', 'cli')]);
    expect([await newcomer(), await quiet(), await loud()]).toEqual([1, 5, 994]);
  }, 30_000);
});
