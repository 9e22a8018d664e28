/** A TCP proxy to Postgres that reads along: which statements a process sends. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from './proxy.ts';

export interface StatementCounter {
  /** `url` through the proxy. */
  readonly through: (url: string) => string;
  /**
   * The statements since the last call, and how many transactions were begun. `begin`, `commit` and their settings are no statements. What
   * writes the request log is not counted: it belongs to no operation and comes at any time.
   */
  readonly take: () => { readonly statements: readonly string[]; readonly transactions: number };
  readonly close: () => void;
}

/** A transaction of the request log's (api/apiRequestLogs/recorder.ts). */
const BEHIND = /^INSERT INTO api_request_log /;
const ENDS: ReadonlySet<string> = new Set(['commit', 'rollback']);
const CONTROL = /^(?:begin|commit|rollback|select set_config\()/;
/** Types of frontend messages: a simple query; Parse, which names a text, and Bind, which uses it, of the extended protocol. */
const [QUERY, PARSE, BIND] = ['Q', 'P', 'B'];

export async function statementCounter(toUrl: string): Promise<StatementCounter> {
  const { hostname, port } = new URL(toUrl);
  const sockets = new Set<Socket>();
  let texts: string[] = [];
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    const reader = new FrontendReader((all) => texts.push(...(all.some((text) => BEHIND.test(text)) ? [] : all)));
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

/** Reads the messages of one connection (Postgres' frontend/backend protocol 3), and reports each transaction when it ends. */
class FrontendReader {
  readonly #onEnd: (texts: readonly string[]) => void;
  #texts: string[] = [];
  readonly #prepared = new Map<string, string>();
  #rest = Buffer.alloc(0);
  #isStarted = false;

  constructor(onEnd: (texts: readonly string[]) => void) {
    this.#onEnd = onEnd;
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
    if (type === QUERY) this.#add(word(5));
    // Parse: the statement's name, its text. Bind: the portal's name, the statement's.
    if (type === PARSE) this.#prepared.set(word(5), word(message.indexOf(0, 5) + 1));
    if (type === BIND) this.#add(this.#prepared.get(word(message.indexOf(0, 5) + 1)) ?? '');
  }
  #add(text: string): void {
    this.#texts.push(text);
    if (this.#texts[0] === 'begin' && !ENDS.has(text)) return;
    this.#onEnd(this.#texts);
    this.#texts = [];
  }
}
