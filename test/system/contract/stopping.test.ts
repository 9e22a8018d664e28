/** How a process ends that is told to: nobody's request is cut off, and nobody is sent to it any more. */
import { expect, test } from '@jest/globals';
import { fork } from 'node:child_process';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../../../bin/kernel/paths.ts';
import { freePort } from '../../../bin/dev/ports.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { Seller } from '../../../bin/dev/client.ts';
import { silentProxy } from '../../kernel/proxy.ts';
import { newNamespace } from '../../kernel/temporal.ts';
import { underTest, until, world } from '../../kernel/world.ts';

test('an idle connection is kept for longer than proxies and clients keep theirs', async () => {
  const { headers } = await fetch(`${underTest.api}/health/live`);
  expect(headers.get('keep-alive')).toBe('timeout=75');
});

const started = async (entry: string, env: Readonly<Record<string, string>>) => {
  const child = fork(join(root, entry), [], {
    env: { ...process.env, ...underTest.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  await new Promise((resolve) => child.once('message', resolve));
  return { child, ended: new Promise<number | null>((resolve) => child.once('exit', resolve)) };
};
/** A worker with a database and a namespace of its own: what it takes and never finishes is nobody else's. */
async function ownWorker(env: Readonly<Record<string, string>> = {}) {
  const url = await migratedDatabase('stopping');
  const namespace = await newNamespace('stopping');
  const port = await freePort(25_700);
  const worker = await started('worker/main.ts', {
    APP_DATABASE_URL: roleUrl(url, 'sangjeom_app'),
    RELAY_DATABASE_URL: roleUrl(url, 'sangjeom_relay'),
    TEMPORAL_NAMESPACE: namespace,
    WORKER_METRICS_PORT: String(port),
    ...env,
  });
  return { ...worker, url: `http://127.0.0.1:${port}` };
}
const readiness = async (url: string) => {
  const response = await fetch(`${url}/health/ready`);
  return [response.status, ((await response.json()) as { status: string }).status];
};

test('the API answers what is under way when it stops', async () => {
  const [port, metrics] = [await freePort(25_500), await freePort(25_600)];
  const { child, ended } = await started('api/main.ts', { PORT: String(port), METRICS_PORT: String(metrics), DRAIN_SECONDS: '3' });
  const url = `http://127.0.0.1:${port}`;
  const shop = await world();
  const seller = new Seller(url, shop.seller.bearer);
  expect(await readiness(url)).toEqual([200, 'ok']);
  expect(await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()).toContain('sangjeom_http_request_seconds_bucket');
  const body = JSON.stringify({ name: '늦은 분류' });
  const late = request(`${url}/v1/categories`, {
    method: 'POST',
    headers: { authorization: `Bearer ${seller.bearer}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  const answered = new Promise<string>((resolve, reject) => {
    late.on('response', (response) => void text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject));
    late.on('error', reject);
  });
  late.write(body.slice(0, 5));
  child.kill('SIGTERM');
  await until('it says that it stops', async () => (await readiness(url))[1] === 'stopping');
  expect(await readiness(url)).toEqual([503, 'stopping']);
  const meanwhile = await seller.call('GET', '/v1/products');
  expect([meanwhile.status, meanwhile.headers.get('connection')]).toEqual([200, 'close']);
  await until('it takes no connection', () =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  );
  expect(child.exitCode).toBeNull();
  late.end(body.slice(5));
  expect(await answered).toMatch(/^201 .*늦은 분류/);
  expect(await ended).toBe(0);
}, 60_000);

test('a worker is unready while Temporal is out of reach', async () => {
  const proxy = await silentProxy(`http://${underTest.temporalAddress}`);
  const { child, ended, url } = await ownWorker({ TEMPORAL_ADDRESS: new URL(proxy.through('http://temporal')).host });
  await until('ready', async () => (await readiness(url).catch(() => []))[0] === 200);
  proxy.silence();
  const response = await fetch(`${url}/health/ready`);
  expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable', postgres: 'ok', temporal: 'unreachable' }]);
  child.kill('SIGKILL');
  await ended;
  proxy.close();
}, 60_000);

test('a worker is unready from the moment it is told to stop', async () => {
  const { child, ended, url } = await ownWorker();
  await until('ready', async () => (await readiness(url).catch(() => []))[0] === 200);
  child.kill('SIGTERM');
  const seen: unknown[] = [];
  await until('it ended', async () => {
    seen.push(await readiness(url).catch(() => null));
    return child.exitCode !== null;
  });
  expect(seen).toContainEqual([503, 'stopping']);
  expect(await ended).toBe(0);
}, 60_000);
