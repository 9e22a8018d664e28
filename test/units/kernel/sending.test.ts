/** Answers that their clients do not read (D90). */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import Koa from 'koa';
import { InFlight } from '../../../api/web/inFlight.ts';
import { refuseUnread, sendBounded } from '../../../api/web/sending.ts';
import { RetryLater } from '../../../domain/kernel/errors.ts';

const MIB = 1024 * 1024;
const LARGE = 'x'.repeat(4 * MIB);
let server: Server;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
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
function client(requests: number, method = 'GET'): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  socket.write(`${method} / HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`.repeat(requests));
  sockets.push(socket);
  return socket;
}
async function until(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 500 && !holds(); n++) await sleep(10);
  expect(holds()).toBe(true);
}
const room = () => new InFlight('answer_bytes', { sender: 20 * MIB, store: 20 * MIB, process: 20 * MIB });

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
  await until(() => statuses.length === 16);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(inFlight.size).toBe(2);
  for (const socket of sockets) socket.destroy();
  await until(() => inFlight.size === 0);
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
  await until(() => statuses.length === 8);
  expect(new Set(statuses)).toEqual(new Set([200]));
});

test('who does not take an answer in its time is disconnected', async () => {
  const inFlight = room();
  await serve({ inFlight, takenMs: 100 });
  client(8);
  await until(() => inFlight.size === 2);
  await until(() => inFlight.size === 0);
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
  await until(() => inFlight.size === 0);
});
