/** Answers in parts that their clients do not read. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import Koa from 'koa';
import { InFlight } from '../../../api/web/inFlight.ts';
import { CountedStream } from '../../../api/web/streaming.ts';
import { until } from '../../../bin/dev/until.ts';
import { hangUp, unread } from './unread.ts';

const MIB = 1024 * 1024;
/** More than the buffers of a socket take. */
const PART = new Uint8Array(12 * MIB).fill(120);
let server: Server;
afterEach(() => {
  hangUp();
  server.close();
});

/** Sends so many parts as soon as it is asked; what it counts, and how many clients were disconnected. */
async function serve(parts: number, takenMs = 60_000) {
  const inFlight = new InFlight('answer_bytes', { sender: 60 * MIB, store: 60 * MIB, process: 300 * MIB });
  const disconnected: unknown[] = [];
  const app = new Koa();
  app.on('error', () => {});
  app.use((ctx) => {
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let n = 0; n < parts; n++) controller.enqueue(PART);
        controller.close();
      },
    });
    const disconnect = () => {
      disconnected.push(ctx.path);
      ctx.req.socket.destroy();
    };
    const sender = { sender: 'a', store: null };
    ctx.body = new CountedStream(source, { take: (bytes) => inFlight.take(sender, bytes), disconnect, takenMs });
  });
  server = createServer(app.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { inFlight, disconnected, port: (server.address() as AddressInfo).port };
}
const ended = (what: string, holds: () => boolean) => until(what, () => Promise.resolve(holds()), 5000);

test('parts that are read come whole, and nothing is counted afterwards', async () => {
  const { inFlight, disconnected, port } = await serve(4);
  const bytes = (await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()).byteLength;
  expect(bytes).toBe(4 * PART.length);
  await ended('nothing is counted', () => inFlight.size === 0);
  expect(disconnected).toEqual([]);
});

test('who reads none of the parts has no more of them than there is room for, and is disconnected', async () => {
  const { inFlight, disconnected, port } = await serve(12);
  unread(port);
  await ended('it is disconnected', () => disconnected.length === 1);
  await ended('nothing is counted', () => inFlight.size === 0);
});

test('who does not take a part in its time is disconnected, the last one too', async () => {
  const { inFlight, disconnected, port } = await serve(1, 50);
  unread(port);
  await ended('it is disconnected', () => disconnected.length === 1);
  await ended('nothing is counted', () => inFlight.size === 0);
});

test('what is counted is given back when the client goes', async () => {
  const { inFlight, disconnected, port } = await serve(3);
  const socket = unread(port);
  await ended('a part is counted', () => inFlight.size > 0);
  socket.destroy();
  await ended('nothing is counted', () => inFlight.size === 0);
  expect(disconnected).toEqual([]);
});
