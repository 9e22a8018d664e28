/** A TCP proxy to Postgres that reads along: which statements a process sends. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './proxy.ts';

export interface StatementCounter {
  /** `url` through the proxy. */
  readonly through: (url: string) => string;
  /** The statements since the last call, and how many transactions were begun. `begin`, `commit` and their settings are no statements. */
  readonly take: () => { readonly statements: readonly string[]; readonly transactions: number };
  readonly close: () => void;
}

const CONTROL = /^(?:begin|commit|rollback|select set_config\()/;
/** Types of frontend messages: a simple query; Parse, which names a text, and Bind, which uses it, of the extended protocol. */
const [QUERY, PARSE, BIND] = ['Q', 'P', 'B'];

export async function statementCounter(toUrl: string): Promise<StatementCounter> {
  const { hostname, port } = new URL(toUrl);
  const sockets = new Set<Socket>();
  let texts: string[] = [];
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    const reader = new FrontendReader((text) => texts.push(text));
    client.on('data', (chunk) => reader.read(chunk));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => [client, upstream].forEach((one) => one.destroy())));
  });
  const through = await listen(server);
  return {
    through,
    take() {
      const taken = texts;
      texts = [];
      return { statements: taken.filter((text) => !CONTROL.test(text)), transactions: taken.filter((text) => text === 'begin').length };
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads the messages of one connection (Postgres' frontend/backend protocol 3). */
class FrontendReader {
  readonly #onText: (text: string) => void;
  readonly #prepared = new Map<string, string>();
  #rest = Buffer.alloc(0);
  #isStarted = false;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let size = this.#size(); size > 0 && size <= this.#rest.length; size = this.#size()) {
      if (this.#isStarted) this.#message(this.#rest.subarray(0, size));
      this.#isStarted = true;
      this.#rest = this.#rest.subarray(size);
    }
  }
  /** The length of the next message; the first has no type. 0: not known yet. */
  #size(): number {
    const type = this.#isStarted ? 1 : 0;
    return this.#rest.length < type + 4 ? 0 : type + this.#rest.readInt32BE(type);
  }
  #message(message: Buffer): void {
    const type = String.fromCharCode(message[0]!);
    const word = (from: number): string => message.toString('utf8', from, message.indexOf(0, from));
    if (type === QUERY) this.#onText(word(5));
    // Parse: the statement's name, its text. Bind: the portal's name, the statement's.
    if (type === PARSE) this.#prepared.set(word(5), word(message.indexOf(0, 5) + 1));
    if (type === BIND) this.#onText(this.#prepared.get(word(message.indexOf(0, 5) + 1)) ?? '');
  }
}
