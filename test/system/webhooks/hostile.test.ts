/**
 * Receivers and name servers that mean harm, against the one way to addresses that sellers chose: each ends as it is specified,
 * within its deadline (docs/contract.md#deliveries, docs/contract.md#receivers). Whatever holds the connection has a
 * second here; the shipped ten are tried in http.test.ts.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createEgress } from '../../../activities/providers/egress.ts';
import { isPublic } from '../../../activities/providers/addresses.ts';
import { RECEIVER_URL } from '../../../domain/kernel/hosts.ts';
import { type NameServer, nameServer } from './dnsServer.ts';

/** For what never ends: that it is over at all shows the deadline. */
const HELD_MS = 1000;
/** For what ends by itself: enough on the busiest machine. */
const ANSWERED_MS = 20_000;
const servers: Server[] = [];
const sockets = new Set<Socket>();
let visits = 0;

/** A receiver that is told when a request has arrived and may do with the connection what it likes. */
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
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

const egress = createEgress({ allowLoopback: true, dns: null });
const post = (url: string, deadlineMs = ANSWERED_MS, with_ = egress) =>
  with_.post({ url, headers: { 'content-type': 'application/json' }, body: '{}', deadlineMs });
/** Writes `piece` every 50 ms for as long as the connection is there. */
const drip = (socket: Socket, piece: string | Buffer) => {
  const timer = setInterval(() => socket.write(piece), 50);
  socket.once('close', () => clearInterval(timer));
};
const HEAD = 'HTTP/1.1 200 OK\r\n';
const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));

describe('a receiver that', () => {
  async function meets(behave: (socket: Socket) => void, expected: object, deadlineMs: number): Promise<void> {
    visits = 0;
    const outcome = await post(await hostile(behave), deadlineMs);
    expect(outcome).toMatchObject(expected);
    expect(Array.from(outcome.responseBodyExcerpt ?? '').length).toBeLessThanOrEqual(1024);
    expect(outcome.responseBodyExcerpt ?? '').not.toContain('\u0000');
    expect(visits).toBe(1);
  }
  test.each<[string, (socket: Socket) => void, object]>([
    ['sends its headers a byte at a time', (s) => (s.write(HEAD), drip(s, 'X')), { errorCode: 'TIMEOUT', responseStatusCode: null }],
    ['says nothing', () => {}, { errorCode: 'TIMEOUT' }],
    ['says 100 Continue and no more', (s) => void s.write('HTTP/1.1 100 Continue\r\n\r\n'), { errorCode: 'TIMEOUT' }],
    ['says 102 Processing for ever', (s) => drip(s, 'HTTP/1.1 102 Processing\r\n\r\n'), { errorCode: 'TIMEOUT' }],
    ['says 103 Early Hints for ever', (s) => drip(s, 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'), { errorCode: 'TIMEOUT' }],
    [
      'answers 200 and a body a byte at a time',
      (s) => (s.write(`${HEAD}\r\n`), drip(s, 'b')),
      { errorCode: null, responseStatusCode: 200 },
    ],
    [
      'answers 500 and a body without end',
      (s) => (s.write('HTTP/1.1 500 No\r\n\r\n'), drip(s, 'x'.repeat(100))),
      { errorCode: 'NON_2XX', responseStatusCode: 500 },
    ],
  ])('%s', (_, behave, expected) => meets(behave, expected, HELD_MS));
  test.each<[string, (socket: Socket) => void, object]>([
    ['resets the connection', (s) => void s.resetAndDestroy(), { errorCode: 'CONNECTION_FAILED', responseStatusCode: null }],
    ['closes it without a word', (s) => void s.end(), { errorCode: 'CONNECTION_FAILED' }],
    ['answers garbage', (s) => void s.end('no HTTP at all\r\n\r\n'), { errorCode: 'CONNECTION_FAILED' }],
    ['answers in HTTP/0.9', (s) => void s.end('<html>'), { errorCode: 'CONNECTION_FAILED' }],
    ['cuts its headers off', (s) => void s.end('HTTP/1.1 200 OK\r\nContent-Le'), { errorCode: 'CONNECTION_FAILED' }],
    ['sends more than 16 KiB of headers', (s) => void s.end(`${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n`), { errorCode: 'CONNECTION_FAILED' }],
    ['sends headers without end', (s) => (s.write(HEAD), drip(s, `X-${'y'.repeat(900)}: z\r\n`)), { errorCode: 'CONNECTION_FAILED' }],
    [
      'contradicts itself about its length',
      (s) => void s.end(`${HEAD}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`),
      { errorCode: 'CONNECTION_FAILED' },
    ],
    [
      'upgrades',
      (s) => void s.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      { errorCode: 'CONNECTION_FAILED' },
    ],
    [
      'redirects',
      (s) => void s.end('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n'),
      { errorCode: 'NON_2XX', responseStatusCode: 302 },
    ],
    [
      'moves for good',
      (s) => void s.end('HTTP/1.1 308 Permanent Redirect\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n'),
      { errorCode: 'NON_2XX', responseStatusCode: 308 },
    ],
    [
      'is no teapot',
      (s) => void s.end('HTTP/1.1 418 No\r\nContent-Length: 3\r\n\r\nnot'),
      { errorCode: 'NON_2XX', responseBodyExcerpt: 'not' },
    ],
    [
      'answers 200 and cuts its body off',
      (s) => void s.end(`${HEAD}Content-Length: 99\r\n\r\npart`),
      { errorCode: null, responseBodyExcerpt: 'part' },
    ],
    [
      'sends 50 MB in 48 KB',
      (s) => (s.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`), s.end(bomb)),
      { errorCode: null },
    ],
    [
      'sends NUL and bytes that are no text',
      (s) => void s.end(Buffer.concat([Buffer.from(`${HEAD}\r\na\u0000b`), Buffer.from([0xff, 0xfe, 0xe2, 0x82]), Buffer.from('c')])),
      { errorCode: null, responseBodyExcerpt: 'ab\ufffd\ufffd\ufffdc' },
    ],
    [
      'sends 3,000 characters outside the BMP',
      (s) => void s.end(`${HEAD}\r\n${'😀'.repeat(3000)}`),
      { responseBodyExcerpt: '😀'.repeat(1024) },
    ],
  ])('%s', (_, behave, expected) => meets(behave, expected, ANSWERED_MS));
  test('speaks no TLS is CONNECTION_FAILED', async () => {
    const plain = await hostile((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await post(plain.replace('http:', 'https:'))).toMatchObject({ errorCode: 'CONNECTION_FAILED' });
  });
  test('does not listen is CONNECTION_FAILED', async () => {
    expect(await post('http://127.0.0.1:9/')).toMatchObject({ errorCode: 'CONNECTION_FAILED' });
  });
});

describe('a name server that', () => {
  let names: NameServer;
  let port: string;
  let guarded: ReturnType<typeof createEgress>;
  beforeAll(async () => {
    names = await nameServer((name, n) => {
      switch (name) {
        case 'good.test':
          return ['127.0.0.1'];
        case 'mixed.test':
          return ['127.0.0.1', '10.0.0.1'];
        case 'mixed6.test':
          return ['127.0.0.1', '::ffff:10.0.0.1'];
        case 'metadata.test':
          return ['169.254.169.254'];
        case 'rebinding.test':
          return n === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
        case 'silent.test':
          return null;
        default:
          return [];
      }
    });
    port = new URL(await hostile((socket) => void socket.end(`${HEAD}Content-Length: 0\r\n\r\n`))).port;
    guarded = createEgress({ allowLoopback: true, dns: names.address });
  });
  afterAll(() => names.close());
  const to = (name: string, deadlineMs?: number) => post(`http://${name}:${port}/`, deadlineMs, guarded);

  test.each<[string, string | null, number?]>([
    ['good.test', null],
    // One internal address among several refuses all.
    ['mixed.test', 'BLOCKED_ADDRESS'],
    ['mixed6.test', 'BLOCKED_ADDRESS'],
    ['metadata.test', 'BLOCKED_ADDRESS'],
    ['nowhere.test', 'CONNECTION_FAILED'],
    ['silent.test', 'TIMEOUT', HELD_MS],
  ])('%s: %s', async (name, errorCode, deadlineMs = ANSWERED_MS) => {
    visits = 0;
    expect(await to(name, deadlineMs)).toMatchObject({ errorCode });
    expect(visits).toBe(errorCode === null ? 1 : 0);
  });
  test('changes its answer is asked at every send', async () => {
    visits = 0;
    expect(await to('rebinding.test')).toMatchObject({ errorCode: null });
    expect(await to('rebinding.test')).toMatchObject({ errorCode: 'BLOCKED_ADDRESS' });
    expect(await to('rebinding.test')).toMatchObject({ errorCode: 'BLOCKED_ADDRESS' });
    expect([visits, names.queries('rebinding.test')]).toEqual([1, 3]);
  });
  test.each<[string, string | null, number?]>([
    ['mixed.test', 'BLOCKED_ADDRESS'],
    ['metadata.test', 'BLOCKED_ADDRESS'],
    ['nowhere.test', null],
    ['silent.test', null, HELD_MS],
  ])('is asked at registration: %s → %s', async (name, problem, deadlineMs = ANSWERED_MS) =>
    expect(await guarded.screen(`https://${name}/`, deadlineMs)).toBe(problem),
  );
  test.each([
    ['https://[2606:4700::1111]:65535/a?b#c', null],
    ['https://8.8.8.8', null],
    ['https://a_b.nowhere.test./', null],
    ['https://10.0.0.1/', 'BLOCKED_ADDRESS'],
    ['https://0x0a.1/', 'BLOCKED_ADDRESS'],
    ['https://167772161/', 'BLOCKED_ADDRESS'],
    ['https://[::ffff:10.0.0.1]/', 'BLOCKED_ADDRESS'],
    ['https://134744072/', 'INVALID_URL'],
    ['https:nowhere.test', 'INVALID_URL'],
    ['https://nowhere.test:0/', 'INVALID_URL'],
    ['https://nowhere.test\\a', 'INVALID_URL'],
    ['https://@nowhere.test/', 'INVALID_URL'],
  ])('an address is registered as it is written: %s → %s', async (url, problem) =>
    expect(await guarded.screen(url, ANSWERED_MS)).toBe(problem),
  );
  test('whatever the documents allow is refused for the address that it leads to alone', async () => {
    const urls = fc.sample(fc.stringMatching(new RegExp(RECEIVER_URL)), { numRuns: 100, seed: 7 });
    for (const url of urls.filter((one) => /^https/i.test(one)))
      expect([url, await guarded.screen(url, ANSWERED_MS)]).not.toEqual([url, 'INVALID_URL']);
  });
});

/** The ranges of docs/contract.md#receivers: one address from each range, and its neighbours outside. */
describe('addresses', () => {
  test.each(
    `0.0.0.0 0.1.2.3 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1
     192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
     255.255.255.255 168.63.129.16 :: ::1 ::7f00:1 ::a9fe:a9fe ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:0:7f00:1 64:ff9b::1 64:ff9b:1::1 100::1 100:0:0:1::1
     2001::1 2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:1::1 2001:db8::1 2002:7f00:1:: 2620:4f:8000::1 3fff::1 4000::1 5f00::1
     200::1 fc00::1 fd00::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1`.split(/\s+/),
  )('%s is not public', (address) => expect(isPublic(address)).toBe(false));
  test.each(
    '1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 172.15.255.255 172.32.0.0 223.255.255.255 2001:200::1 2606:4700::1111 2a00:1450::1'.split(
      ' ',
    ),
  )('%s is public', (address) => expect(isPublic(address)).toBe(true));
});
