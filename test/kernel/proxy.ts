/** A network that can fall silent: everything sent through it arrives, until it does not, and nobody is told. */
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface SilentProxy {
  /** `url` by way of the proxy. */
  readonly through: (url: string) => string;
  /** From now on nothing is forwarded on the connections that are open, and none is closed. New ones work. */
  readonly silence: () => void;
  readonly close: () => void;
}

export async function silentProxy(toUrl: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(toUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.pipe(to);
      from.on('error', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    through(url) {
      const proxied = new URL(url);
      proxied.hostname = '127.0.0.1';
      proxied.port = String((server.address() as AddressInfo).port);
      return proxied.href;
    },
    silence() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause();
        upstream.unpipe(client).pause();
        for (const socket of [client, upstream]) socket.removeAllListeners('error').on('error', () => {});
      }
      pairs.clear();
    },
    close() {
      server.close();
      for (const pair of pairs) for (const socket of pair) socket.destroy();
    },
  };
}
