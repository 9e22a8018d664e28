/** Services that mean harm, against the request of an external node: each ends as it is specified, within its time. */
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { createEgress } from '../../../activities/providers/egress.ts';
import { ANSWER_BYTES, answerData } from '../../../domain/flows/run/external.ts';

/** For what never ends: that it is over at all shows the deadline. */
const HELD_MS = 2000;
const ANSWERED_MS = 20_000;
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});
let visits = 0;
async function hostile(behave: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      visits++;
      behave(socket);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
const egress = createEgress({ allowLoopback: true, dns: null });
const send = (url: string, deadlineMs: number) =>
  egress.call({ method: 'PUT', url, headers: { 'content-type': 'application/json' }, body: '{}', deadlineMs }, ANSWER_BYTES);
const drip = (socket: Socket, piece: string | Buffer, everyMs = 50) => {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
};
const HEAD = 'HTTP/1.1 200 OK\r\n';
const sized =
  (body: string | Buffer, more = '') =>
  (socket: Socket) => {
    socket.write(`${HEAD}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`);
    socket.end(body);
  };
const objectOf = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) });
const deep = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

test.each<[string, (socket: Socket) => void, string | null, number?]>([
  ['says nothing', () => {}, 'TIMEOUT', HELD_MS],
  ['sends its headers a byte at a time', (s) => (s.write(HEAD), drip(s, 'X')), 'TIMEOUT', HELD_MS],
  ['says 100 Continue and no more', (s) => void s.write('HTTP/1.1 100 Continue\r\n\r\n'), 'TIMEOUT', HELD_MS],
  ['answers 200 and a body a byte at a time', (s) => (s.write(`${HEAD}\r\n`), drip(s, 'b')), 'TIMEOUT', HELD_MS],
  ['keeps its body back', (s) => void s.write(`${HEAD}Content-Length: 5\r\n\r\n`), 'TIMEOUT', HELD_MS],
  ['resets the connection', (s) => void s.resetAndDestroy(), 'CONNECTION_FAILED'],
  ['closes it without a word', (s) => void s.end(), 'CONNECTION_FAILED'],
  ['answers garbage', (s) => void s.end('no HTTP at all\r\n\r\n'), 'CONNECTION_FAILED'],
  ['sends more than 16 KiB of headers', (s) => void s.end(`${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n`), 'CONNECTION_FAILED'],
  ['cuts its body off', (s) => void s.end(`${HEAD}Content-Length: 99\r\n\r\n{}`), 'CONNECTION_FAILED'],
  ['cuts a chunk off', (s) => void s.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n40\r\n{}`), 'CONNECTION_FAILED'],
  ['upgrades', (s) => void s.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'), 'CONNECTION_FAILED'],
  ['redirects', (s) => void s.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n'), 'NON_2XX'],
  ['keeps the method', (s) => void s.end('HTTP/1.1 308 Permanent Redirect\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n'), 'NON_2XX'],
  ['says 500 and a body without end', (s) => (s.write('HTTP/1.1 500 No\r\n\r\n'), drip(s, 'x'.repeat(100))), 'NON_2XX'],
])('a service that %s: failed', async (_, behave, errorCode, deadlineMs = ANSWERED_MS) => {
  visits = 0;
  expect(await send(await hostile(behave), deadlineMs)).toEqual({ errorCode, responseBody: null });
  expect(visits).toBe(1);
});

test.each<[string, (socket: Socket) => void, object | null]>([
  ['204', (s) => void s.end('HTTP/1.1 204 No Content\r\n\r\n'), null],
  ['an object', sized('{"a":1}', 'Content-Type: application/json\r\n'), { a: 1 }],
  ['an object that is called text', sized('{"a":1}', 'Content-Type: text/html\r\n'), { a: 1 }],
  ['an object until the end of the connection', (s) => void s.end(`${HEAD}\r\n{"a":1}`), { a: 1 }],
  ['no JSON', sized('<ok/>'), null],
  ['a list', sized('[{"a":1}]'), null],
  ['null', sized('null'), null],
  ['64 KiB', sized(objectOf(ANSWER_BYTES)), JSON.parse(objectOf(ANSWER_BYTES)) as object],
  ['64 KiB and a byte', sized(objectOf(ANSWER_BYTES + 1)), null],
  ['more and more of it', (s) => (s.write(`${HEAD}\r\n`), drip(s, 'x'.repeat(40_000), 1)), null],
  ['50 MB in 48 KB', sized(gzipSync(Buffer.alloc(50 * 1024 * 1024)), 'Content-Encoding: gzip\r\n'), null],
  ['32 levels', sized(deep(32)), JSON.parse(deep(32)) as object],
  ['33 levels', sized(deep(33)), null],
  ['10,000 levels', sized(deep(10_000)), null],
  ['NUL, and half a character', sized(String.raw`{"a\u0000":"b\u0000\ud83d"}`), { a: 'b\ufffd' }],
  ['bytes that are no text', sized(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), { '\ufffd': 1 }],
  ['a number of 300 digits', sized('{"a":1e300}'), null],
])('an answer of %s: success, and what is kept of it', async (_, behave, data) => {
  const { errorCode, responseBody } = await send(await hostile(behave), ANSWERED_MS);
  expect(errorCode).toBeNull();
  expect(responseBody === null ? null : answerData(responseBody)).toEqual(data);
});

test.each(['https://10.0.0.1/x', 'https://[::ffff:169.254.169.254]/', 'http://169.254.169.254/', 'http://8.8.8.8/'])(
  '%s is not called',
  async (url) => expect(await send(url, ANSWERED_MS)).toEqual({ errorCode: 'BLOCKED_ADDRESS', responseBody: null }),
);
