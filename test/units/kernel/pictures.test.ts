/** Pictures are read piece by piece, as their clients take them (D90). */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Koa from 'koa';
import { createStorage, type Storage } from '../../../activities/providers/storage.ts';
import type { ApiDeps } from '../../../api/declare/deps.ts';
import { uploadRoutes } from '../../../api/uploads/routes.ts';
import { answersInFlight, sendBounded } from '../../../api/web/sending.ts';
import { until } from '../../../bin/dev/until.ts';
import { hangUp, unread } from './unread.ts';

const MIB = 1024 * 1024;
/** More than the buffers of a socket take. */
const BYTES = Buffer.alloc(12 * MIB, 'x');
const PATH = '/uploads/sto_a/upl_0000000000000000000000.png';
let [folder, opened, taken] = ['', 0, 0];
let server: Server;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sangjeom-pictures-'));
  const storage = await createStorage({ kind: 'files', folder });
  const file = join(folder, 'picture');
  writeFileSync(file, BYTES);
  await storage.putFile(PATH.slice(1), file, 'image/png');
  [opened, taken] = [0, 0];
  const app = new Koa();
  app.on('error', () => {});
  app.use(sendBounded());
  app.use(async (ctx, next) => {
    await next().catch((error: unknown) => {
      ctx.status = (error as { code?: string }).code === 'TOO_MANY_REQUESTS' ? 429 : 500;
    });
    taken++;
  });
  app.use(uploadRoutes({ storage: counted(storage) } as ApiDeps).routes());
  server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  hangUp();
  server.close();
  rmSync(folder, { recursive: true });
});
/** Counts the files that are opened. */
const counted = (storage: Storage): Storage => ({
  ...storage,
  find: async (key) => {
    const found = await storage.find(key);
    const read = () => {
      opened++;
      return found!.read();
    };
    return found && { ...found, read };
  },
});
const port = () => (server.address() as AddressInfo).port;

test('a picture comes whole, with its length, and its head alone opens nothing', async () => {
  const head = await fetch(`http://127.0.0.1:${port()}${PATH}`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), opened]).toEqual([200, String(BYTES.length), 0]);
  const shown = await fetch(`http://127.0.0.1:${port()}${PATH}`);
  expect(shown.headers.get('content-length')).toBe(String(BYTES.length));
  expect(BYTES.equals(Buffer.from(await shown.arrayBuffer()))).toBe(true);
  await until('nothing is counted', () => Promise.resolve(answersInFlight.size === 0), 5000);
});

test('who reads none of them has only so many opened, of which pieces are in memory', async () => {
  const before = process.memoryUsage().rss;
  for (let n = 0; n < 12; n++) unread(port(), 8, 'GET', PATH);
  await until('all are answered', () => Promise.resolve(taken === 96), 10_000);
  expect(opened).toBeLessThanOrEqual(64);
  expect(opened).toBeGreaterThan(16);
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
  hangUp();
  await until('nothing is counted', () => Promise.resolve(answersInFlight.size === 0), 5000);
});
