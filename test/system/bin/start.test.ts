/** `npm start`, as a person starts it, and what it writes for programs (docs/contract.md#development). */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../../bin/kernel/paths.ts';
import { freePort } from '../../../bin/dev/ports.ts';
import { call } from '../../../bin/dev/client.ts';
import { until } from '../../kernel/world.ts';

interface DevJson {
  readonly api: string;
  readonly mail: string;
  readonly consoleClientId: string;
  readonly databaseUrl: string;
  readonly metrics: Readonly<Record<'api' | 'worker', string>>;
  readonly stores: readonly { readonly storeCode: string }[];
  readonly users: readonly { readonly email: string; readonly role: string; readonly storeCode: string }[];
}

test('starts everything, and ends with all of it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sangjeom-start-'));
  chmodSync(dir, 0o755);
  const port = await freePort(20_500);
  const { DATABASE_URL: _, TEMPORAL_ADDRESS: __, ...env } = process.env;
  const child = spawn(process.execPath, [join(root, 'bin/start.ts')], {
    env: { ...env, PORT: String(port), DATA_DIR: join(dir, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const file = join(dir, 'data/dev.json');
  await until(`the table; said: ${output}`, async () => output.includes('Ctrl-C') || child.exitCode !== null, 60_000);
  expect([child.exitCode, existsSync(file)]).toEqual([null, true]);
  const dev = JSON.parse(readFileSync(file, 'utf8')) as DevJson;
  expect(dev).toMatchObject({ api: `http://127.0.0.1:${port}`, consoleClientId: 'console' });
  expect(dev.stores.map(({ storeCode }) => storeCode)).toEqual(['demo', 'rival']);
  expect(dev.users.map(({ role, storeCode }) => `${storeCode} ${role}`)).toEqual(
    ['demo', 'rival'].flatMap((store) => ['OWNER', 'ADMIN', 'STAFF'].map((role) => `${store} ${role}`)),
  );
  expect(await (await fetch(dev.mail)).json()).toEqual([]);
  const shelves = await call(dev.api, 'GET', '/storefront/v1/products', { headers: { 'x-store-code': 'demo' } });
  expect(shelves.body.data.total).toBe(1);
  for (const url of [dev.metrics.api, dev.metrics.worker]) expect(await (await fetch(url)).text()).toContain('process_cpu_seconds_total');
  // What API and worker know opens no store but by its policies; the owner's URL is the drivers'.
  const given = readFileSync(join(dir, 'data/env.json'), 'utf8');
  expect([given.includes(new URL(dev.databaseUrl).password), given.includes('sangjeom_app')]).toEqual([false, true]);
  child.kill('SIGINT');
  await ended;
  await expect(fetch(dev.api)).rejects.toThrow();
  rmSync(dir, { recursive: true, force: true });
}, 90_000);
