import { limitRefusals } from '../../db/kernel/metrics.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from './deps.ts';

/** What a rate-limited call needs. */
export interface LimitedCall {
  readonly deps: ApiDeps;
  readonly storeId: string;
  readonly setHeader: (name: string, value: string) => void;
}

/** The key of a limit: a keyed digest, without personal data. */
export const limitKey = ({ deps }: LimitedCall, ...parts: readonly string[]): Buffer => deps.keyring.digest(JSON.stringify(parts));

/** TOO_MANY_REQUESTS with `Retry-After`, unless `freeAt` is null. */
export function refuseUntil({ setHeader }: LimitedCall, limit: string, freeAt: number | null, now: number): void {
  if (freeAt === null) return;
  setHeader('Retry-After', String(Math.max(1, Math.ceil((freeAt - now) / 1000))));
  limitRefusals.inc({ limit });
  throw new Fault('TOO_MANY_REQUESTS');
}
