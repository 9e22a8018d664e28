/**
 * Bytes of request bodies under way, in this process. A body is admitted by its head: its `Content-Length`, or the most that it may have
 * where it tells none. It counts until its request is answered, for its store and for who sends it as rate limits count them: the principal
 * of a valid token, or else the client's address (X10). All members behind one address have what a store has: accounts cost nothing.
 */
import type { ServerOptions } from 'node:http';
import type { Context } from 'koa';
import type { Config } from '../../db/kernel/config.ts';
import { bodyBytes, limitRefusals } from '../../db/kernel/metrics.ts';
import { NO_STORE } from '../../db/kernel/tx.ts';
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
export class InFlight {
  private readonly name: string;
  private readonly bounds: Bounds;
  private readonly held = new Map<string, number>();
  constructor(name: string, bounds: Bounds) {
    this.name = name;
    this.bounds = bounds;
  }
  /** The number of keys that are remembered: those of bodies under way. */
  get size(): number {
    return this.held.size;
  }
  /** Counts `n` bytes for each of them, or for none: null. Returns what gives them back. */
  take(
    keys: { readonly sender: string; readonly members?: string | undefined; readonly store: string | null },
    n: number,
  ): (() => void) | null {
    const { sender, store, process } = this.bounds;
    const shares = [
      ['process', process],
      [`sender/${keys.sender}`, sender],
      ...(keys.members === undefined ? [] : [[`sender/${keys.members}`, store] as const]),
      ...(keys.store === null ? [] : [[`store/${keys.store}`, store] as const]),
    ] as const;
    if (shares.some(([key, most]) => (this.held.get(key) ?? 0) + n > most)) return null;
    for (const [key] of shares) this.add(key, n);
    return () => {
      for (const [key] of shares) this.add(key, -n);
    };
  }
  /** Admits the body of a request, or TOO_MANY_REQUESTS before a byte of it is read. */
  admit(ctx: Context, most: number): void {
    // Its end, which gives the bytes back, has been told already.
    if (ctx.req.socket.destroyed || ctx.res.closed) throw cutOff();
    const length = ctx.req.headers['content-length'];
    const { senders, storeId } = ctx.state as { readonly senders?: readonly [string, string?]; readonly storeId?: string };
    const [sender, members] = senders ?? ['unknown'];
    const keys = { sender, members, store: storeId === undefined || storeId === NO_STORE ? null : storeId };
    const release = this.take(keys, Math.max(LEAST, length === undefined ? most : Number(length)));
    if (release) return void ctx.res.once('close', release);
    limitRefusals.inc({ limit: this.name });
    ctx.set('Retry-After', RETRY_AFTER);
    throw new Fault('TOO_MANY_REQUESTS');
  }
  private add(key: string, n: number): void {
    const sum = (this.held.get(key) ?? 0) + n;
    if (sum === 0) this.held.delete(key);
    else this.held.set(key, sum);
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
