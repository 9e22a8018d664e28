/** A request never waits for its log: what Postgres is too slow for is bounded in memory, and counted when it is dropped. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { Recorder } from '../../../api/apiRequestLogs/recorder.ts';
import type { ApiDeps } from '../../../api/declare/deps.ts';
import { Seller } from '../../../bin/dev/client.ts';
import { freePort } from '../../../bin/dev/ports.ts';
import { root } from '../../../bin/kernel/paths.ts';
import { makeStore } from '../../../bin/ops/store/make.ts';
import type { CreatedStore } from '../../../db/identity/createStore.ts';
import { newId, realClock } from '../../../db/kernel/clock.ts';
import { createLog } from '../../../db/kernel/log.ts';
import { unloggedRequests } from '../../../db/kernel/metrics.ts';
import { openOrm } from '../../../db/orm.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { underTest, until } from '../../kernel/world.ts';

/** A database of its own: what holds its log up holds up no other suite. */
let url: string;
let owner: Client;
let store: CreatedStore;
beforeAll(async () => {
  url = await migratedDatabase('slow');
  store = await makeStore(url, { code: 'slow', name: 'n', sandbox: true, withProduct: false });
  owner = new Client({ connectionString: url });
  await owner.connect();
}, 60_000);
afterAll(() => owner.end());

const logged = async () =>
  (await owner.query<{ request_id: string }>('SELECT request_id FROM api_request_log')).rows.map((row) => row.request_id);
/** Nobody else reads or writes the table while `work` is under way. */
async function held<T>(work: () => Promise<T>, table = 'api_request_log'): Promise<T> {
  await owner.query('BEGIN');
  await owner.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  try {
    return await work();
  } finally {
    await owner.query('COMMIT');
  }
}
async function api() {
  const [port, metrics] = [await freePort(25_900), await freePort(26_000)];
  const env = { ...underTest.env, APP_DATABASE_URL: roleUrl(url, 'sangjeom_app'), PORT: String(port), METRICS_PORT: String(metrics) };
  const child = fork(join(root, 'api/main.ts'), [], {
    env: { ...process.env, ...env, DRAIN_SECONDS: '0' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await new Promise((resolve) => child.once('message', resolve));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const dropped = async () =>
    /^sangjeom_api_request_log_dropped_total (\d+)/m.exec(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text())?.[1];
  return { seller: await Seller.login(`http://127.0.0.1:${port}`, store), child, ended, dropped };
}

test('requests are answered while the log cannot be written, and are in it afterwards, once', async () => {
  const { seller, child, ended, dropped } = await api();
  const ids = await held(async () => {
    const replies = [];
    const began = performance.now();
    // Longer than a lock is waited for, so that batches fail.
    while (performance.now() - began < 4000) {
      const at = performance.now();
      const reply = await seller.call('GET', '/v1/store');
      expect([reply.status, performance.now() - at < 1900]).toEqual([200, true]);
      replies.push(reply.headers.get('x-request-id')!);
    }
    return replies;
  });
  await until('all are logged', async () => (await logged()).length >= ids.length, 20_000);
  expect((await logged()).toSorted()).toEqual(ids.toSorted());
  expect(await dropped()).toBe('0');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
}, 60_000);

test('a 503 is in the log too', async () => {
  const { seller, child, ended } = await api();
  const reply = await held(() => seller.call('GET', '/v1/products'), 'product');
  child.kill('SIGTERM');
  await ended;
  const { rows } = await owner.query('SELECT status_code, error_code, operation_id FROM api_request_log WHERE request_id = $1', [
    reply.body.meta.requestId,
  ]);
  expect(rows).toEqual([{ status_code: 503, error_code: 'TEMPORARILY_UNAVAILABLE', operation_id: 'products.list' }]);
}, 60_000);

test('no process changes a record, or writes one for another store than that of its transaction', async () => {
  const app = new Client({ connectionString: roleUrl(url, 'sangjeom_app') });
  await app.connect();
  const { storeId } = await makeStore(url, { code: 'other', name: 'n', sandbox: true, withProduct: false });
  await app.query(`SELECT set_config('app.store_id', $1, false)`, [storeId]);
  expect((await app.query('SELECT 1 FROM api_request_log')).rows).toEqual([]);
  const add = (store: string) =>
    app.query(
      `INSERT INTO api_request_log (store_id, request_id, created_at, method, path, status_code, status_class, duration_ms)
       VALUES ($1, $2, now(), 'GET', '/v1/x', 200, 2, 1)`,
      [store, newId('req', realClock.now())],
    );
  await add(storeId);
  await expect(add(store.storeId)).rejects.toThrow(/row-level security/);
  for (const change of [`UPDATE api_request_log SET path = ''`, 'DELETE FROM api_request_log', 'TRUNCATE api_request_log'])
    await expect(app.query(change)).rejects.toThrow(/permission denied/);
  await app.end();
}, 60_000);

test('a process that stops writes what it still has', async () => {
  const { seller, child, ended } = await api();
  const reply = await seller.call('GET', '/v1/carriers');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(await logged()).toContain(reply.headers.get('x-request-id'));
}, 60_000);

test('no more than its bound is held in memory: what comes beyond is dropped and counted', async () => {
  const orm = await openOrm(roleUrl(url, 'sangjeom_app'), 2);
  const recorder = new Recorder({ orm, clock: realClock, log: createLog('test', 'silent') } as unknown as ApiDeps, 250);
  const count = async () => (await unloggedRequests.get()).values[0]!.value;
  const before = await count();
  const by = { storeId: store.storeId, at: realClock.now(), actor: null };
  const add = (operationId: string | null, statusCode = 200) => {
    const requestId = newId('req', realClock.now());
    const request = { requestId, receivedAt: realClock.now(), method: 'GET', path: '/v1/x', operationId, statusCode };
    recorder.add({ request: { ...request, errorCode: null, durationMs: 1, ip: null, userAgent: null }, by });
    return requestId;
  };
  const first = await held(async () => {
    const ids = Array.from({ length: 1000 }, () => add(null));
    await until('a batch failed', async () => (await count()) - before === 750);
    return ids;
  });
  await until('the rest is written', async () => (await logged()).filter((id) => first.includes(id)).length === 250, 20_000);
  expect((await logged()).filter((id) => first.slice(0, 250).includes(id))).toHaveLength(250);
  // What Postgres refuses is dropped, and holds up nothing that comes after it.
  add('x', 99_999);
  await until('refused', async () => (await count()) - before === 751);
  const last = add('y');
  await until('written', async () => (await logged()).includes(last));
  await recorder.close();
  await orm.close();
}, 60_000);
