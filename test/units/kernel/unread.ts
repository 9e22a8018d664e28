/** Clients that ask and read nothing. */
import { connect, type Socket } from 'node:net';

const sockets: Socket[] = [];

/** A connection that sends so many requests at once. */
export function unread(port: number, requests = 1, method = 'GET', path = '/'): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`.repeat(requests));
  sockets.push(socket);
  return socket;
}
/** Hangs up for all of them. */
export function hangUp(): void {
  for (const socket of sockets.splice(0)) socket.destroy();
}
