/** The limit of requests per minute. Counted per process: it protects the process, not a secret. */
import { hash } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { workFor } from '../../db/kernel/requester.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { bearerOf, proofOf } from './bearer.ts';
import { countedAddress, networkOf, wholeAddress } from '../web/clientAddress.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { Levels, Meter, refuse, secondsOf, sendersOf } from './meter.ts';
import { Windows } from '../web/windows.ts';

/** The lowest limit of invalid tokens per address and minute, beyond which unknown tokens are not verified. */
const MIN_TRIES = 600;

/**
 * Counts each request by its valid token and in the wider windows that the token is in, or else by the client's address; sets
 * `RateLimit-*`. A request with a token that turns out UNAUTHORIZED counts for its address too. Until its caller is known, and always where
 * that is nobody whom the store has let in, it is the public's work, and shares turns by its network. Over a limit: TOO_MANY_REQUESTS with
 * `Retry-After`.
 */
export function limitRate(deps: ApiDeps): Middleware {
  const limit = deps.config.rateLimitPerMinute;
  const [levels, tries] = [new Levels(limit), new Windows()];

  /**
   * The key of a valid token, or null. Verification is expensive, so that the number of invalid tokens per address is limited: beyond it,
   * only tokens that were valid within their window are verified.
   */
  const tokenOf = async (ctx: Context, address: string): Promise<string | null> => {
    const token = bearerOf(ctx);
    if (token === undefined) return null;
    const key = hash('sha256', token, 'base64');
    const now = deps.clock.now();
    const tried = levels.tokens.has(key, now) ? null : tries.add(address, now);
    if (tried && tried.count > Math.max(limit, MIN_TRIES)) return null;
    const { claims, apiToken } = await proofOf(ctx, deps);
    if (!claims && !apiToken) return null;
    if (tried) tries.release(address, now);
    return key;
  };

  return async (ctx, next) => {
    const ip = wholeAddress(ctx.req, deps.config.trustedProxies);
    const address = countedAddress(ip);
    const meter = new Meter(ctx, levels, deps.clock);
    ctx.state['ip'] = ip;
    const network = networkOf(ip);
    ctx.state['clientAddress'] = address;
    ctx.state['network'] = network;
    ctx.state['meter'] = meter;
    const token = await tokenOf(ctx, address);
    const proof = token === null ? null : await proofOf(ctx, deps);
    ctx.state['senders'] = proof ? sendersOf(proof, address) : [address];
    meter.add(...(proof ? levels.token(token!, proof, address) : [levels.address(address)]));
    try {
      await workFor({ side: 'PUBLIC', sender: network }, next);
    } catch (error) {
      if (token !== null && error instanceof Fault && error.code === 'UNAUTHORIZED') meter.add(levels.address(address));
      throw error;
    }
    if (token !== null && ctx.status === 401) meter.add(levels.address(address));
  };
}

/** Of documents, which need neither database nor token: in multiples of `RATE_LIMIT_PER_MINUTE`. */
const OF_DOCUMENTS = 10;

/**
 * Counts requests for documents by the client's address, apart from all others. Over the limit: TOO_MANY_REQUESTS with `Retry-After`. What
 * asks whether the process is well is never refused: it may come from the address of a proxy, behind which anybody may be.
 */
export function limitDocuments({ config, clock }: ApiDeps): Middleware {
  const windows = new Windows();
  return (ctx, next) => {
    // Their bytes are in memory once, however many clients do not read them.
    ctx.state['isShared'] = true;
    const counted = windows.add(countedAddress(wholeAddress(ctx.req, config.trustedProxies)), clock.now());
    if (counted.count > OF_DOCUMENTS * config.rateLimitPerMinute) refuse(ctx, secondsOf(counted));
    return next();
  };
}
