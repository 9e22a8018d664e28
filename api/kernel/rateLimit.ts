/** How many requests a minute may be made (D25, X10). Counted per process: this limit guards the machine, not a secret. */
import { createHash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { limitRefusals } from '../../db/kernel/metrics.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { MINUTE } from '../../domain/kernel/time.ts';
import { bearerOf, proofOf } from './bearer.ts';
import { clientAddress } from './clientAddress.ts';
import type { ApiDeps } from './deps.ts';

/** Keys of a generation; two are remembered. About 10 MB. */
const GENERATION = 25_000;
/** Tokens that an address may have refused a minute and still have others verified, however low the limit is. */
const MIN_TRIES = 600;

interface Window {
  count: number;
  readonly began: number;
}
/**
 * Counts by key, each in a minute of its own that begins with its first. The keys of a minute, or `GENERATION` of them, make room
 * for the next as a whole, which costs the same however many there are: millions of addresses fill no memory and take no time.
 */
export class Windows {
  private young = new Map<string, Window>();
  private old = new Map<string, Window>();
  private youngSince = 0;
  get size(): number {
    return this.young.size + this.old.size;
  }
  /** The count of a key's minute with this one, and when that minute ends. */
  add(key: string, now: number): { readonly count: number; readonly endsInMs: number } {
    const known = this.find(key, now);
    if (known) return { count: ++known.count, endsInMs: known.began + MINUTE - now };
    if (this.young.size >= GENERATION || !isOpen(this.youngSince, now)) {
      this.old = this.young;
      this.young = new Map();
      this.youngSince = now;
    }
    this.young.set(key, { count: 1, began: now });
    return { count: 1, endsInMs: MINUTE };
  }
  has(key: string, now: number): boolean {
    return this.find(key, now) !== null;
  }
  giveBack(key: string, now: number): void {
    const known = this.find(key, now);
    if (known) known.count--;
  }
  private find(key: string, now: number): Window | null {
    const known = this.young.get(key) ?? this.old.get(key);
    return known && isOpen(known.began, now) ? known : null;
  }
}
/** A clock that was set back opens a new window instead of a long one. */
const isOpen = (began: number, now: number) => now >= began && now < began + MINUTE;

/**
 * Counts each request, by its token when that is a valid one of ours, else by the client's address; tells both in
 * `RateLimit-*`. A bearer that turns out dead counts to its address too. Over the limit: TOO_MANY_REQUESTS, `Retry-After`.
 */
export function limitRate(deps: ApiDeps): Middleware {
  const most = deps.config.rateLimitPerMinute;
  const [tokens, addresses, tries] = [new Windows(), new Windows(), new Windows()];

  const spend = (ctx: Context, windows: Windows, key: string) => {
    const { count, endsInMs } = windows.add(key, deps.clock.now());
    const seconds = String(Math.max(1, Math.ceil(endsInMs / 1000)));
    ctx.set({ 'RateLimit-Limit': String(most), 'RateLimit-Remaining': String(Math.max(0, most - count)), 'RateLimit-Reset': seconds });
    if (count <= most) return;
    ctx.set('Retry-After', seconds);
    limitRefusals.inc({ limit: 'requests' });
    throw new Fault('TOO_MANY_REQUESTS');
  };

  /**
   * The name under which a valid token counts, or null. Verifying costs something, so what an address may have refused is
   * bounded: beyond it only tokens are verified that proved themselves within their minute.
   */
  const tokenOf = async (ctx: Context, address: string): Promise<string | null> => {
    const token = bearerOf(ctx);
    if (token === undefined) return null;
    const key = createHash('sha256').update(token).digest('base64');
    const now = deps.clock.now();
    const tried = tokens.has(key, now) ? null : tries.add(address, now);
    if (tried && tried.count > Math.max(most, MIN_TRIES)) return null;
    const { claims, apiToken } = await proofOf(ctx, deps);
    if (!claims && !apiToken) return null;
    if (tried) tries.giveBack(address, now);
    return key;
  };

  return async (ctx, next) => {
    const address = clientAddress(ctx.req, deps.config.trustedProxies);
    ctx.state['clientAddress'] = address;
    const token = await tokenOf(ctx, address);
    if (token === null) spend(ctx, addresses, address);
    else spend(ctx, tokens, token);
    try {
      await next();
    } catch (error) {
      if (token !== null && error instanceof Fault && error.code === 'UNAUTHORIZED') spend(ctx, addresses, address);
      throw error;
    }
    if (token !== null && ctx.status === 401) spend(ctx, addresses, address);
  };
}
