/** The limit of requests per minute (D25, X10). Counted per process: it protects the process, not a secret. */
import { hash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { limitRefusals } from '../../db/kernel/metrics.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { MINUTE } from '../../domain/kernel/time.ts';
import { bearerOf, proofOf } from './bearer.ts';
import { countedAddress, wholeAddress } from './clientAddress.ts';
import type { ApiDeps } from './deps.ts';

/** Keys per generation; two generations are in memory, about 10 MB. */
const GENERATION = 25_000;
/** The lowest limit of invalid tokens per address and minute, beyond which unknown tokens are not verified. */
const MIN_TRIES = 600;

interface Window {
  count: number;
  readonly began: number;
}
/**
 * Fixed windows of a minute per key, each starting with its first count. Keys are dropped by generation: after a minute, or `GENERATION`
 * keys. So memory is bounded and dropping takes constant time, even with millions of addresses.
 */
export class Windows {
  private young = new Map<string, Window>();
  private old = new Map<string, Window>();
  private youngSince = 0;
  get size(): number {
    return this.young.size + this.old.size;
  }
  /** Counts `n`; returns the count of the key's window, and the milliseconds until it ends. */
  add(key: string, now: number, n = 1): { readonly count: number; readonly endsInMs: number } {
    const known = this.find(key, now);
    if (known) {
      known.count += n;
      return { count: known.count, endsInMs: known.began + MINUTE - now };
    }
    if (this.young.size >= GENERATION || !isOpen(this.youngSince, now)) {
      this.old = this.young;
      this.young = new Map();
      this.youngSince = now;
    }
    this.young.set(key, { count: n, began: now });
    return { count: n, endsInMs: MINUTE };
  }
  has(key: string, now: number): boolean {
    return this.find(key, now) !== null;
  }
  release(key: string, now: number): void {
    const known = this.find(key, now);
    if (known) known.count--;
  }
  private find(key: string, now: number): Window | null {
    const known = this.young.get(key) ?? this.old.get(key);
    return known && isOpen(known.began, now) ? known : null;
  }
}
/** A clock that was set back starts a new window instead of prolonging one. */
const isOpen = (began: number, now: number) => now >= began && now < began + MINUTE;

/** `ctx.state.countMore`: counts `n` more requests, which one HTTP request carries. TOO_MANY_REQUESTS. */
export type CountMore = (n: number) => void;

/**
 * Counts each request by its valid token, or else by the client's address; sets `RateLimit-*`. A request with a token that turns out
 * UNAUTHORIZED counts for its address too. Over the limit: TOO_MANY_REQUESTS with `Retry-After`.
 */
export function limitRate(deps: ApiDeps): Middleware {
  const limit = deps.config.rateLimitPerMinute;
  const [tokens, addresses, tries] = [new Windows(), new Windows(), new Windows()];

  const spend = (ctx: Context, windows: Windows, key: string, n = 1) => {
    const { count, endsInMs } = windows.add(key, deps.clock.now(), n);
    const seconds = String(Math.max(1, Math.ceil(endsInMs / 1000)));
    ctx.set({ 'RateLimit-Limit': String(limit), 'RateLimit-Remaining': String(Math.max(0, limit - count)), 'RateLimit-Reset': seconds });
    if (count <= limit) return;
    ctx.set('Retry-After', seconds);
    limitRefusals.inc({ limit: 'requests' });
    throw new Fault('TOO_MANY_REQUESTS');
  };

  /**
   * The key of a valid token, or null. Verification is expensive, so that the number of invalid tokens per address is limited: beyond it,
   * only tokens that were valid within their window are verified.
   */
  const tokenOf = async (ctx: Context, address: string): Promise<string | null> => {
    const token = bearerOf(ctx);
    if (token === undefined) return null;
    const key = hash('sha256', token, 'base64');
    const now = deps.clock.now();
    const tried = tokens.has(key, now) ? null : tries.add(address, now);
    if (tried && tried.count > Math.max(limit, MIN_TRIES)) return null;
    const { claims, apiToken } = await proofOf(ctx, deps);
    if (!claims && !apiToken) return null;
    if (tried) tries.release(address, now);
    return key;
  };

  return async (ctx, next) => {
    const ip = wholeAddress(ctx.req, deps.config.trustedProxies);
    const address = countedAddress(ip);
    ctx.state['ip'] = ip;
    ctx.state['clientAddress'] = address;
    const token = await tokenOf(ctx, address);
    const [windows, key] = token === null ? ([addresses, address] as const) : ([tokens, token] as const);
    ctx.state['sender'] = key;
    spend(ctx, windows, key);
    ctx.state['countMore'] = ((n) => spend(ctx, windows, key, n)) satisfies CountMore;
    try {
      await next();
    } catch (error) {
      if (token !== null && error instanceof Fault && error.code === 'UNAUTHORIZED') spend(ctx, addresses, address);
      throw error;
    }
    if (token !== null && ctx.status === 401) spend(ctx, addresses, address);
  };
}
