/**
 * Scheduled jobs as a sandbox store's clock runs them, beside the Schedules (workflows/kernel/jobs.ts): an advance stops where one is due,
 * or runs it once at its end.
 */
import { expireMember, expiringMembers, nextExpiry } from '../points/expiry.ts';
import { countVisits, isDue } from '../visits/counting.ts';
import type { Tx } from '../kernel/tx.ts';

export interface StoreJob {
  /** The first of its times after `now` at which it has something to do, if that is not after `until`; `end`: the end of an advance. */
  readonly stops: 'end' | ((tx: Tx, now: number, until: number) => Promise<number | null>);
  /** A portion of what is due; empty when nothing is. What its work has done is not due any more. */
  readonly due: (tx: Tx) => Promise<readonly string[]>;
  /** One of them, in a transaction of its own. */
  readonly work: (tx: Tx, one: string) => Promise<unknown>;
}

export const STORE_JOBS: readonly StoreJob[] = [
  { stops: nextExpiry, due: expiringMembers, work: expireMember },
  { stops: 'end', due: async (tx) => ((await isDue(tx)) ? [tx.storeId] : []), work: countVisits },
];
