/** API processes that are killed under people who refresh, and clients that end under load. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { root } from '../../../bin/kernel/paths.ts';
import { freePort } from '../../../bin/dev/ports.ts';
import { call } from '../../../bin/dev/client.ts';
import { basic, CONSOLE, loginAs, storeToken, tokens } from '../../kernel/login.ts';
import { underTest, until, world, seedMembers } from '../../kernel/world.ts';

const KILLS = Number(process.env['REFRESH_KILLS'] ?? 3);
const SESSIONS = KILLS > 10 ? 50 : 10;
let api: ChildProcess | undefined;
afterAll(() => void api?.kill('SIGKILL'));

async function startApi(port: number): Promise<void> {
  api = fork(join(root, 'api/main.ts'), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...underTest.env, PORT: String(port) },
  });
  await new Promise((resolve) => api!.once('message', resolve));
}

test(
  'kill -9 in a refresh loop loses no session',
  async () => {
    const port = await freePort(4970);
    await startApi(port);
    const lines = await Promise.all(
      Array.from({ length: SESSIONS }, async (_, i) => (await loginAs(`loop${i}@example.com`, 'offline_access')).user.refresh_token!),
    );
    const refresh = async (token: string) => {
      const response = await fetch(`http://127.0.0.1:${port}/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'refresh_token', client_id: CONSOLE, refresh_token: token }),
      });
      return { status: response.status, body: (await response.json()) as { refresh_token?: string } };
    };
    const stopping = new AbortController();
    const refreshed = lines.map(() => 0);
    const lost: number[] = [];
    const first = lines[0]!;
    const loops = lines.map(async (_, i) => {
      while (!stopping.signal.aborted && !lost.includes(i)) {
        // A lost answer is asked for again with the token that is still at hand.
        const answer = await refresh(lines[i]!).catch(() => null);
        if (answer === null) await sleep(100);
        else if (answer.body.refresh_token === undefined) lost.push(i);
        else {
          lines[i] = answer.body.refresh_token;
          refreshed[i]!++;
        }
      }
    });
    const everyLineRefreshes = async () => {
      const before = [...refreshed];
      await until('every line refreshes', async () => lost.length > 0 || refreshed.every((count, i) => count > before[i]!));
    };
    for (let kill = 0; kill < KILLS; kill++) {
      await everyLineRefreshes();
      // Not always at the same point of a refresh.
      await sleep(Math.random() * 100);
      api!.kill('SIGKILL');
      await startApi(port);
    }
    await everyLineRefreshes();
    stopping.abort();
    await Promise.all(loops);
    expect(lost).toEqual([]);
    expect(Math.min(...refreshed)).toBeGreaterThan(KILLS);
    expect((await refresh(first)).status).toBe(400);
    expect((await refresh(lines[0]!)).status).toBe(400);
  },
  60_000 + KILLS * 4000,
);

test('no request of a client is accepted after its end was committed', async () => {
  const shop = await world();
  const email = `owner@${shop.store.storeCode}.example`;
  await seedMembers(shop.store.storeId, [{ role: 'OWNER', email }]);
  const owner = { authorization: `Bearer ${await storeToken(email, shop.store.storeId)}` };
  const register = await fetch(`${underTest.api}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...owner },
    body: JSON.stringify({ client_name: 'busy', grant_types: ['client_credentials'], scope: 'order:r' }),
  });
  const { client_id: id, client_secret: secret } = (await register.json()) as { client_id: string; client_secret: string };
  const { access_token: token } = (await tokens({ grant_type: 'client_credentials' }, basic(id, secret))).body;
  let hasEnded = false;
  const late: number[] = [];
  let accepted = 0;
  const busy = Array.from({ length: 8 }, async () => {
    for (let i = 0; i < 60; i++) {
      const isLate = hasEnded;
      const { status } = await call(underTest.api, 'GET', '/v1/carriers', { headers: { authorization: `Bearer ${token}` } });
      if (status === 200) accepted++;
      if (isLate && status !== 401) late.push(status);
    }
  });
  await until('some are accepted', async () => accepted > 0);
  await call(underTest.api, 'POST', `/v1/store/api-clients/${id}/deactivate`, { headers: owner });
  hasEnded = true;
  await Promise.all(busy);
  expect(late).toEqual([]);
  expect(accepted).toBeGreaterThan(0);
});
