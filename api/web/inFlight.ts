/**
 * Bytes under way, in this process: of request bodies, and of answers (sending.ts). A body is admitted by its head: its `Content-Length`,
 * or the most that it may have where it tells none. It counts until its request is answered, for its store and for who sends it as rate
 * limits count them: the principal of a valid token, or else the client's address (X10). All members behind one address have what a store
 * has: accounts cost nothing. What a store's sellers send counts apart from what its public sends. Of either a principal has no more than
 * is left free for the others, a network no more than a quarter of that: "dynamic thresholds" (Choudhury and Hahne, 1998). So a few that
 * take what they can leave room for all others. The same holds for stores, and for those who belong to none, within the process.
 */
import type { ServerOptions } from 'node:http';
import type { Context } from 'koa';
import type { Config } from '../../db/kernel/config.ts';
import { Counts } from '../../db/kernel/counts.ts';
import { bodyBytes, limitRefusals } from '../../db/kernel/metrics.ts';
import type { Side } from '../../db/kernel/requester.ts';
import { NO_STORE } from '../../db/kernel/tenancy.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';

export const MIB = 1024 * 1024;
/** What a body costs at least: its request and its socket. */
const MIN_BYTES = 4096;
/** Bodies end within half a minute; most of them at once. */
const RETRY_AFTER = '5';

/** Of a body whose sender has gone. */
export const cutOff = (): Fault => invalid('', 'INVALID_BODY', 'The body could not be read to its end.');

type StoreSide = Extract<Side, 'SELLER' | 'PUBLIC'>;
/** What a side of a store, and who belongs to no store, has of what the process has free. */
const OF_PROCESS = { store: 1 / 2, outsider: 1 / 4 } as const;
/** What one principal, or one network, has of what is free to its side. */
const OF_FREE: Readonly<Record<StoreSide, number>> = { SELLER: 1, PUBLIC: 1 / 4 };

interface Bounds {
  readonly sender: number;
  readonly store: number;
  readonly process: number;
}
/** Who pays for bytes. `members`: of all members behind one address. */
export interface InFlightKeys {
  readonly sender: string;
  readonly members?: string | undefined;
  /** A side of a store, and who shares it with others: a seller's principal, or a network. Null: no store. */
  readonly store: { readonly id: string; readonly side: StoreSide; readonly sharer: string } | null;
}
interface Sent {
  readonly senders?: readonly [string, string?];
  readonly network?: string;
  readonly storeId?: string;
  readonly seller?: string | null;
}
/** From now on the request counts for this store. `seller`: the principal of whom it has let in. */
export function countForStore({ state }: Pick<Context, 'state'>, storeId: string, seller: string | null): void {
  Object.assign(state, { storeId, seller });
}
/** Who sends as rate limits know them; the address of who was not asked who they are. */
export function keysOf({ state, req }: Pick<Context, 'state' | 'req'>): InFlightKeys {
  const { senders, network, storeId, seller = null } = state as Sent;
  const address = req.socket.remoteAddress ?? 'unknown';
  const [sender, members] = senders ?? [address];
  if (storeId === undefined || storeId === NO_STORE) return { sender, members, store: null };
  const sharing =
    seller === null ? ({ side: 'PUBLIC', sharer: network ?? address } as const) : ({ side: 'SELLER', sharer: seller } as const);
  return { sender, members, store: { id: storeId, ...sharing } };
}
interface Share {
  readonly name: string;
  readonly max: number;
  /** It has at most this part of what is left of another one. */
  readonly free?: { readonly of: Share; readonly part: number };
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
    return this.hasRoom(keys, n) ? this.add(keys, n) : null;
  }
  hasRoom(keys: InFlightKeys, n: number): boolean {
    return this.sharesOf(keys).every((share) => this.held.of(share.name) + n <= this.maxOf(share));
  }
  /** Counts them whatever the bounds. Returns what gives them back. */
  add(keys: InFlightKeys, n: number): () => void {
    const names = this.sharesOf(keys).map(({ name }) => name);
    for (const name of names) this.change(name, n);
    return () => {
      for (const name of names) this.change(name, -n);
    };
  }
  /** Admits the body of a request, or TOO_MANY_REQUESTS before a byte of it is read. */
  admit(ctx: Context, max: number): void {
    // Its end, which gives the bytes back, has been told already.
    if (ctx.req.socket.destroyed || ctx.res.closed) throw cutOff();
    const length = ctx.req.headers['content-length'];
    const release = this.take(keysOf(ctx), Math.max(MIN_BYTES, length === undefined ? max : Number(length)));
    if (release) return void ctx.res.once('close', release);
    limitRefusals.inc({ limit: this.name });
    ctx.set('Retry-After', RETRY_AFTER);
    throw new Fault('TOO_MANY_REQUESTS');
  }
  /** What counts them, and how many it may have: of what `of` counts, no more than is left free. */
  private sharesOf({ sender, members, store }: InFlightKeys): readonly Share[] {
    const { bounds } = this;
    const process: Share = { name: 'process', max: bounds.process };
    const own: Share = { name: `sender/${sender}`, max: bounds.sender };
    const shares: Share[] = members === undefined ? [process] : [process, { name: `sender/${members}`, max: bounds.store }];
    if (store === null) return [...shares, { ...own, free: { of: process, part: OF_PROCESS.outsider } }];
    const side: Share = {
      name: `store/${store.side}/${store.id}`,
      max: bounds.store,
      free: { of: process, part: OF_PROCESS.store },
    };
    const sharer: Share = { name: `${side.name}/${store.sharer}`, max: bounds.store, free: { of: side, part: OF_FREE[store.side] } };
    return [...shares, own, side, sharer];
  }
  private maxOf({ max, free }: Share): number {
    return free === undefined ? max : Math.min(max, free.part * (free.of.max - this.held.of(free.of.name)));
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
 * A request that has not arrived in time, its head within ten seconds, is answered 408 without an envelope, and its connection closed:
 * whoever sends 5 MiB has to send 175 kB a second. Looked at each second.
 */
export const arrivalLimits = ({ requestMs }: Config): ServerOptions => ({
  requestTimeout: requestMs,
  headersTimeout: Math.min(requestMs, 10_000),
  connectionsCheckingInterval: 1000,
});
