import { limitRefusals } from '../../db/kernel/metrics.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ApiDeps } from './deps.ts';

/** A call that a limit may refuse. */
export interface LimitedCall {
  readonly deps: ApiDeps;
  readonly storeId: string;
  readonly setHeader: (name: string, value: string) => void;
}

/** The name of a limit, of which nobody can tell whom it is about. */
export const limitKey = ({ deps }: LimitedCall, ...parts: readonly string[]): Buffer => deps.keyring.digest(JSON.stringify(parts));

/** Does nothing for null; else TOO_MANY_REQUESTS, and when it may be tried again. */
export function refuseUntil({ setHeader }: LimitedCall, limit: string, freeAt: number | null, now: number): void {
  if (freeAt === null) return;
  setHeader('Retry-After', String(Math.max(1, Math.ceil((freeAt - now) / 1000))));
  limitRefusals.inc({ limit });
  throw new Fault('TOO_MANY_REQUESTS');
}
