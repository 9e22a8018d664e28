/**
 * Connections of this process: so many of all, fewer than it may have files open, and so many of one address that is no trusted proxy. A
 * client needs a few; who holds more is disconnected.
 */
import type { Server } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { countedAddress, isTrusted, wholeAddress } from './clientAddress.ts';

const MAX_CONNECTIONS = 10_000;
const OF_ADDRESS = 1000;

export function boundConnections(server: Server, trusted: BlockList, ofAddress = OF_ADDRESS): void {
  server.maxConnections = MAX_CONNECTIONS;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const peer = wholeAddress({ socket, headers: {} }, trusted);
    if (peer !== null && isTrusted(peer, trusted)) return;
    const address = countedAddress(peer);
    const count = open.get(address) ?? 0;
    if (count >= ofAddress) {
      socket.destroy();
      return;
    }
    open.set(address, count + 1);
    socket.once('close', () => {
      const left = open.get(address)! - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}
