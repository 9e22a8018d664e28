import { limitRefusals } from '../../db/kernel/metrics.ts';
import { Fault, RetryLater } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from '../declare/deps.ts';

/** What a rate-limited call needs. */
export interface LimitedCall {
  readonly deps: ApiDeps;
  readonly storeId: string;
}

/** The key of a limit: a keyed digest, without personal data. */
export const limitKey = ({ deps }: LimitedCall, ...parts: readonly string[]): Buffer => deps.keyring.digest(JSON.stringify(parts));

/** TOO_MANY_REQUESTS with `Retry-After`, unless `freeAt` is null. */
export function refuseUntil(limit: string, freeAt: number | null, now: number): void {
  if (freeAt === null) return;
  limitRefusals.inc({ limit });
  throw new RetryLater(Math.max(1, Math.ceil((freeAt - now) / 1000)));
}

/** The seconds after which a refusal ends, as the API knows it, or as a run's transition says it in its details; null: it says none. */
export function retryAfterOf(error: unknown): number | null {
  if (error instanceof RetryLater) return error.retryAfter;
  const seconds = error instanceof Fault && error.code === 'TOO_MANY_REQUESTS' ? error.extra.details?.['retryAfter'] : undefined;
  return typeof seconds === 'number' ? seconds : null;
}
