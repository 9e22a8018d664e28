/**
 * Bytes under way, in this process: of request bodies, and of answers (sending.ts). A body is admitted by its head: its `Content-Length`, or
 * the most that it may have where it tells none. It counts until its request is answered, for its store and for who sends it as rate limits
 * count them: the principal of a valid token, or else the client's address (X10). All members behind one address have what a store has:
 * accounts cost nothing.
 */
import type { ServerOptions } from 'node:http';
import type { Context } from 'koa';
import type { Config } from '../../db/kernel/config.ts';
import { Counts } from '../../db/kernel/counts.ts';
import { bodyBytes, limitRefusals } from '../../db/kernel/metrics.ts';
import { NO_STORE } from '../../db/kernel/tenancy.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';

const MIB = 1024 * 1024;
/** What a body costs at least: its request and its socket. */
const LEAST = 4096;
/** Bodies end within half a minute; most of them at once. */
const RETRY_AFTER = '5';

/** Of a body whose sender has gone. */
export const cutOff = (): Fault => invalid('', 'INVALID_BODY', 'The body could not be read to its end.');

interface Bounds {
  readonly sender: number;
  readonly store: number;
  readonly process: number;
}
/** Who pays for bytes. `members`: of all members behind one address. */
export interface InFlightKeys {
  readonly sender: string;
  readonly members?: string | undefined;
  readonly store: string | null;
}
/** Who sends as rate limits know them; the address of who was not asked who they are. */
export function keysOf({ state, req }: Pick<Context, 'state' | 'req'>): InFlightKeys {
  const { senders, storeId } = state as { readonly senders?: readonly [string, string?]; readonly storeId?: string };
  const [sender, members] = senders ?? [req.socket.remoteAddress ?? 'unknown'];
  return { sender, members, store: storeId === undefined || storeId === NO_STORE ? null : storeId };
}
export class InFlight {
  readonly name: string;
  private readonly bounds: Bounds;
  private readonly held = new Counts();
  constructor(name: string, bounds: Bounds) {
    this.name = name;
    this.bounds = bounds;
  }
  /** The number of keys that are remembered: those of bodies under way. */
  get size(): number {
    return this.held.size;
  }
  /** Counts `n` bytes for each of them, or for none: null. Returns what gives them back. */
  take(keys: InFlightKeys, n: number): (() => void) | null {
    const isOver = this.sharesOf(keys).some(([name, most]) => this.held.of(name) + n > most);
    return isOver ? null : this.add(keys, n);
  }
  /** Counts them whatever the bounds. Returns what gives them back. */
  add(keys: InFlightKeys, n: number): () => void {
    const names = this.sharesOf(keys).map(([name]) => name);
    for (const name of names) this.change(name, n);
    return () => {
      for (const name of names) this.change(name, -n);
    };
  }
  /** Admits the body of a request, or TOO_MANY_REQUESTS before a byte of it is read. */
  admit(ctx: Context, most: number): void {
    // Its end, which gives the bytes back, has been told already.
    if (ctx.req.socket.destroyed || ctx.res.closed) throw cutOff();
    const length = ctx.req.headers['content-length'];
    const release = this.take(keysOf(ctx), Math.max(LEAST, length === undefined ? most : Number(length)));
    if (release) return void ctx.res.once('close', release);
    limitRefusals.inc({ limit: this.name });
    ctx.set('Retry-After', RETRY_AFTER);
    throw new Fault('TOO_MANY_REQUESTS');
  }
  /** What counts them, and how many it may have. */
  private sharesOf({ sender, members, store }: InFlightKeys): readonly (readonly [string, number])[] {
    const { bounds } = this;
    return [
      ['process', bounds.process],
      [`sender/${sender}`, bounds.sender],
      ...(members === undefined ? [] : [[`sender/${members}`, bounds.store] as const]),
      ...(store === null ? [] : [[`store/${store}`, bounds.store] as const]),
    ];
  }
  private change(key: string, n: number): void {
    const sum = this.held.add(key, n);
    if (key === 'process') bodyBytes.set({ kind: this.name }, sum);
  }
}

/** Bodies that are kept in memory. */
export const bodiesInFlight = new InFlight('body_bytes', { sender: 8 * MIB, store: 32 * MIB, process: 256 * MIB });
/** Files, which are written to the disk as they come. */
export const uploadsInFlight = new InFlight('upload_bytes', { sender: 64 * MIB, store: 128 * MIB, process: 1024 * MIB });

/**
 * A request that has not arrived in time, its head within ten seconds, is answered 408 without an envelope, and its connection closed: whoever
 * sends 5 MiB has to send 175 kB a second. Looked at each second.
 */
export const arrivalLimits = ({ requestMs }: Config): ServerOptions => ({
  requestTimeout: requestMs,
  headersTimeout: Math.min(requestMs, 10_000),
  connectionsCheckingInterval: 1000,
});
