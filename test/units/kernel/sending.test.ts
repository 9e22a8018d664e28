/** Answers that their clients do not read. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import Koa from 'koa';
import { InFlight } from '../../../api/web/inFlight.ts';
import { refuseUnread, sendBounded } from '../../../api/web/sending.ts';
import { until } from '../../../bin/dev/until.ts';
import { RetryLater } from '../../../domain/kernel/errors.ts';
import { hangUp, unread } from './unread.ts';

const MIB = 1024 * 1024;
const LARGE = 'x'.repeat(4 * MIB);
let server: Server;
afterEach(() => {
  hangUp();
  server.close();
});

interface Serving {
  readonly inFlight: InFlight;
  readonly takenMs?: number;
  /** What it waits for before it answers. */
  readonly before?: () => Promise<unknown>;
}
/** Answers large objects; the statuses that it gave. */
async function serve({ before = () => Promise.resolve(), ...options }: Serving) {
  const app = new Koa();
  const statuses: number[] = [];
  app.use(async (ctx, next) => {
    await next();
    statuses.push(ctx.status);
  });
  app.use(sendBounded(options));
  app.use(async (ctx) => {
    await before();
    ctx.body = { large: LARGE };
  });
  app.on('error', () => {});
  server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return statuses;
}
/** A connection that sends so many requests at once and reads nothing. */
const client = (requests: number, method = 'GET') => unread((server.address() as AddressInfo).port, requests, method);
const ended = (what: string, holds: () => boolean) => until(what, () => Promise.resolve(holds()), 5000);
const room = () => new InFlight('answer_bytes', { sender: 20 * MIB, store: 20 * MIB, process: 100 * MIB });

test('what waits is of no heap: bytes in place of texts', async () => {
  const bodies: unknown[] = [];
  const app = new Koa();
  app.use(async (ctx, next) => {
    await next();
    bodies.push(ctx.body);
    expect(ctx.type).toBe(ctx.path === '/page' ? 'text/html' : 'application/json');
  });
  app.use(sendBounded({ inFlight: room() }));
  app.use((ctx) => {
    ctx.body = ctx.path === '/page' ? `<p>${'가'.repeat(5000)}` : { large: LARGE };
  });
  server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [json, page] = await Promise.all(['', 'page'].map(async (path) => (await fetch(`http://127.0.0.1:${port}/${path}`)).text()));
  expect([json!.length, page!.length]).toEqual([LARGE.length + 12, 5003]);
  expect(bodies.every((body) => Buffer.isBuffer(body))).toBe(true);
});

test('who does not read gets no more than the bound; what they hold is given back when they are gone', async () => {
  const inFlight = room();
  const statuses = await serve({ inFlight });
  client(16);
  await ended('all are answered', () => statuses.length === 16);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(inFlight.size).toBe(2);
  hangUp();
  await ended('nothing is counted', () => inFlight.size === 0);
});

test('who has no room for another large answer is refused before it is computed', () => {
  const inFlight = room();
  const ctx = { state: { senders: ['a'] }, req: { socket: {} } } as never;
  expect(() => refuseUnread(ctx, inFlight)).not.toThrow();
  inFlight.take({ sender: 'a', store: null }, 20 * MIB - 1000);
  expect(() => refuseUnread(ctx, inFlight)).toThrow(RetryLater);
});

test('the answer to a change is sent, whatever its client has not read', async () => {
  const statuses = await serve({ inFlight: room() });
  client(8, 'POST');
  await ended('all are answered', () => statuses.length === 8);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('who does not take an answer in its time is disconnected', async () => {
  const inFlight = room();
  await serve({ inFlight, takenMs: 100 });
  client(8);
  await ended('two are counted', () => inFlight.size === 2);
  await ended('nothing is counted', () => inFlight.size === 0);
});

test('a connection has sixteen requests under way, and is closed with the next', async () => {
  let begun = 0;
  await serve({
    inFlight: room(),
    before: () => {
      begun++;
      return new Promise(() => {});
    },
  });
  await once(client(17).resume(), 'close');
  expect(begun).toBe(16);
});

test('answers that are read are not bounded together', async () => {
  const inFlight = room();
  await serve({ inFlight });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let n = 0; n < 10; n++) {
    const answer = await fetch(url);
    expect([answer.status, ((await answer.json()) as { large: string }).large.length]).toEqual([200, LARGE.length]);
  }
  await ended('nothing is counted', () => inFlight.size === 0);
});
