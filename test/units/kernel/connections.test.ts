/** Connections of one address. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, BlockList, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { boundConnections } from '../../../api/web/connections.ts';

const proxies = new BlockList();
proxies.addAddress('127.0.0.1');

test.each([
  ['one address has so many and no more, and room again when one is gone', new BlockList(), 2],
  ['a trusted proxy has as many as it opens', proxies, 3],
])('%s', async (_, trusted, most) => {
  const server = createServer().listen(0, '127.0.0.1');
  boundConnections(server, trusted, 2);
  await once(server, 'listening');
  const sockets: Socket[] = [];
  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    await sleep(50);
    return !socket.closed;
  };
  expect([await open(), await open(), await open()].filter(Boolean)).toHaveLength(most);
  sockets[0]!.destroy();
  await sleep(50);
  expect(await open()).toBe(true);
  for (const socket of sockets) socket.destroy();
  server.close();
});
