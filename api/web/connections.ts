/**
 * Connections of this process: so many of all, fewer than it may have files open, and so many of one address that is no trusted proxy. A
 * client needs a few; who holds more is disconnected.
 */
import type { Server } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { Counts } from '../../db/kernel/counts.ts';
import { isWithin } from '../../db/kernel/networks.ts';
import { countedAddress, wholeAddress } from './clientAddress.ts';

const MAX_CONNECTIONS = 10_000;
const OF_ADDRESS = 1000;

export function boundConnections(server: Server, trusted: BlockList, ofAddress = OF_ADDRESS): void {
  server.maxConnections = MAX_CONNECTIONS;
  const open = new Counts();
  server.on('connection', (socket: Socket) => {
    const peer = wholeAddress({ socket, headers: {} }, trusted);
    if (peer !== null && isWithin(trusted, peer)) return;
    const address = countedAddress(peer);
    if (open.of(address) >= ofAddress) {
      socket.destroy();
      return;
    }
    open.add(address, 1);
    socket.once('close', () => void open.add(address, -1));
  });
}
