import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Fault } from '../../workflows/kernel/errors.ts';
import type { ApiDeps } from './deps.ts';

const limiters = new WeakMap<ApiDeps, RateLimiterMemory>();

/** 600 requests a minute per token (D25), told in `RateLimit-*` headers. Counted per process. */
export async function limitRate(ctx: Context, deps: ApiDeps): Promise<void> {
  const points = deps.config.rateLimitPerMinute;
  let limiter = limiters.get(deps);
  if (!limiter) limiters.set(deps, (limiter = new RateLimiterMemory({ points, duration: 60 })));
  const who = ctx.get('authorization') || ctx.ip;
  const outcome = await limiter.consume(createHash('sha256').update(who).digest('base64')).catch((spent: unknown) => spent);
  if (!(outcome instanceof RateLimiterRes)) throw outcome;
  const resetSeconds = Math.ceil(outcome.msBeforeNext / 1000);
  ctx.set({
    'RateLimit-Limit': String(points),
    'RateLimit-Remaining': String(Math.max(0, outcome.remainingPoints)),
    'RateLimit-Reset': String(resetSeconds),
  });
  if (outcome.consumedPoints <= points) return;
  ctx.set('Retry-After', String(resetSeconds));
  throw new Fault('TOO_MANY_REQUESTS');
}
