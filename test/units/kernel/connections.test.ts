/** Connections of one address. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, BlockList, connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { boundConnections } from '../../../api/web/connections.ts';

const proxies = new BlockList();
proxies.addAddress('127.0.0.1');

test.each([
  ['one address has so many and no more, and room again when one is gone', new BlockList(), 2],
  ['a trusted proxy has as many as it opens', proxies, 3],
])('%s', async (_, trusted, max) => {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  boundConnections(server, trusted, 2);
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  await once(server, 'listening');
  const sockets: Socket[] = [];
  /** Whether a request on a new connection is answered; otherwise it is closed. */
  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
  };
  expect([await open(), await open(), await open()].filter(Boolean)).toHaveLength(max);
  const gone = once(accepted[0]!, 'close');
  sockets[0]!.destroy();
  await gone;
  expect(await open()).toBe(true);
  for (const socket of sockets) socket.destroy();
  server.close();
});
