/** A TCP proxy that can stop forwarding without closing connections, like a network failure. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';

export interface SilentProxy {
  /** `url` through the proxy. */
  readonly through: (url: string) => string;
  /** Forwards what clients send, and nothing of what they are answered from now on. */
  readonly deafen: () => void;
  /** Stops forwarding on all open connections, without closing them. New connections work. */
  readonly silence: () => void;
  /**
   * Holds the next connection on which the client sends `words` after it has sent `after`: `words` and all that follows are not forwarded
   * until `release`. `held` resolves when the connection is held.
   */
  readonly holdAt: (words: string, after: string) => { readonly held: Promise<void>; readonly release: () => void };
  readonly close: () => void;
}

interface Hold {
  readonly words: string;
  readonly after: string;
  readonly onHeld: () => void;
  onReleased: () => void;
}
/** The stream of one connection, which can be held. */
class Gate extends Transform {
  readonly #holds: () => Hold[];
  readonly #begun = new Set<Hold>();
  constructor(holds: () => Hold[]) {
    super();
    this.#holds = holds;
  }
  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const holds = this.#holds();
    for (const hold of holds) if (chunk.includes(hold.after)) this.#begun.add(hold);
    const hold = holds.find((one) => this.#begun.has(one) && chunk.includes(one.words));
    if (!hold) return done(null, chunk);
    holds.splice(holds.indexOf(hold), 1);
    hold.onHeld();
    hold.onReleased = () => done(null, chunk);
  }
}

/** Listens on the loopback interface; returns what a URL becomes on its way through the proxy. */
export async function listen(server: Server): Promise<(url: string) => string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (url) => {
    const proxied = new URL(url);
    proxied.hostname = '127.0.0.1';
    proxied.port = String((server.address() as AddressInfo).port);
    return proxied.href;
  };
}

export async function silentProxy(toUrl: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(toUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  const silenced = new Set<Socket>();
  const holds: Hold[] = [];
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const pair = [client, upstream] as const;
    pairs.add(pair);
    client.pipe(new Gate(() => holds)).pipe(upstream);
    upstream.pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  const through = await listen(server);
  return {
    through,
    holdAt(words, after) {
      const { promise: held, resolve: onHeld } = Promise.withResolvers<void>();
      const hold: Hold = { words, after, onHeld, onReleased: () => {} };
      holds.push(hold);
      return { held, release: () => hold.onReleased() };
    },
    deafen() {
      for (const [client, upstream] of pairs) upstream.unpipe(client).resume();
    },
    silence() {
      for (const [client, upstream] of pairs) {
        client.unpipe().pause();
        upstream.unpipe(client).pause();
        for (const socket of [client, upstream]) {
          socket.removeAllListeners('error').on('error', () => {});
          silenced.add(socket);
        }
      }
      pairs.clear();
    },
    close() {
      server.close();
      for (const socket of [...silenced, ...[...pairs].flat()]) socket.destroy();
    },
  };
}
