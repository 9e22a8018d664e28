/**
 * Attempts in a system of its own. A storm of events holds up all retries: a first attempt at a receiver that failed before does not wait
 * behind them. A worker that is stopped or killed leaves no attempt that is counted twice.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as Postgres } from 'pg';
import { Seller } from '../../bin/dev/client.ts';
import type { System } from '../../bin/dev/system.ts';
import { temporarySystem } from '../../bin/dev/temporary.ts';
import { until } from '../../bin/dev/until.ts';
import { makeStore } from '../../bin/ops/store/make.ts';
import type { CreatedStore } from '../../db/identity/createStore.ts';
import { openOrm } from '../../db/orm.ts';
import { Receiver } from '../kernel/world.ts';
import { inquired, soldOut } from '../system/webhooks/events.ts';

let system: System;
let store: CreatedStore;
let database: Postgres;
let orm: Awaited<ReturnType<typeof openOrm>>;
const open: Receiver[] = [];
beforeAll(async () => {
  system = await temporarySystem('storm', {
    firstPort: 21_000 + Math.floor(Math.random() * 8000),
    durable: false,
    env: { LOG_LEVEL: 'error' },
  });
  store = await made('storm');
  database = new Postgres({ connectionString: system.databaseUrl });
  await database.connect();
  orm = await openOrm(system.env['APP_DATABASE_URL']!, 2);
}, 120_000);
afterAll(async () => {
  for (const receiver of open) receiver.close();
  await database?.end();
  await orm?.close();
  await system?.stop();
}, 60_000);

const made = (code: string): Promise<CreatedStore> =>
  makeStore(system.databaseUrl, { code, name: code, sandbox: true, withProduct: true }, system.env['SEALING_KEYS']);
async function receiver(seller: Seller, type: string, answer: Parameters<typeof Receiver.listen>[0]): Promise<void> {
  const made = await Receiver.listen(answer);
  open.push(made);
  expect((await seller.call('POST', '/v1/webhooks', { url: made.url, eventTypes: [type] })).status).toBe(201);
}
const count = async (from: string): Promise<number> =>
  (await database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`)).rows[0]!.n;

/** Events for a receiver that answers, more than are delivered, until it is ended. */
function storm(): () => Promise<void> {
  const over = new AbortController();
  const blow = async () => {
    while (!over.signal.aborted) {
      if ((await count('outbox WHERE NOT yields')) < 60) await inquired(orm, { store }, 60);
      await sleep(100);
    }
  };
  const blowing = blow();
  return () => {
    over.abort();
    return blowing;
  };
}

test.each([
  ['stopped', 'SIGTERM', { status: 'SUCCESS', attempt_count: 1, error_code: null }],
  ['killed', 'SIGKILL', { status: 'PENDING_RETRY', attempt_count: 1, error_code: 'TIMEOUT' }],
] as const)(
  'an attempt under way when its worker is %s counts once, and is not made again meanwhile',
  async (code, signal, expected) => {
    const own = await made(code);
    let arrived = 0;
    await receiver(await Seller.login(system.api, own), 'PRODUCT.OUT_OF_STOCK', (_, response) => {
      arrived++;
      setTimeout(() => response.end('ok'), 4000).unref();
    });
    await soldOut(orm, { store: own }, 1);
    await until('it came', async () => arrived > 0);
    process.kill(system.processes().find(({ name }) => name === 'worker')!.pid, signal);
    const outcome = `SELECT status, attempt_count, error_code FROM webhook_delivery WHERE store_id = $1 AND status <> 'PENDING'`;
    const record = await until('its outcome', async () => (await database.query<object>(outcome, [own.storeId])).rows[0], 60_000);
    expect([record, arrived]).toEqual([expected, 1]);
  },
  90_000,
);

const RETRIES = 150;
const WAITING = `webhook_delivery WHERE status = 'PENDING_RETRY' AND next_attempt_at IS NOT NULL`;

test('a first attempt does not wait behind the retries of its receiver', async () => {
  const seller = await Seller.login(system.api, store);
  const came: string[] = [];
  await receiver(seller, 'PRODUCT.OUT_OF_STOCK', ({ headers }, response) => {
    came.push(String(headers['svc-event-id']));
    response.writeHead(500).end();
  });
  await receiver(seller, 'INQUIRY.CREATED', (_, response) => void response.end('ok'));
  // The first of them fails before the others are committed, so that these yield.
  await soldOut(orm, { store }, 1);
  await until('a failure', async () => (await count(WAITING)) === 1);
  await soldOut(orm, { store }, RETRIES - 1);
  await until('all wait', async () => (await count(WAITING)) === RETRIES, 120_000);
  const [known, retried] = [new Set(came), came.length];
  const end = storm();
  try {
    void seller.call('POST', '/v1/sandbox/clock', { advance: 'PT1M' }).catch(() => null);
    await until('retries begin', async () => came.length > retried);
    // After ten seconds Temporal no longer keeps a task for the worker that has its run in memory: all are in the queue of new runs.
    await sleep(13_000);
    const before = came.length;
    await soldOut(orm, { store }, 1);
    const positionOfNew = () => came.slice(before).findIndex((event) => !known.has(event));
    await until('it came', async () => positionOfNew() >= 0, 120_000);
    expect(positionOfNew()).toBeLessThan(20);
  } finally {
    await end();
  }
}, 400_000);
