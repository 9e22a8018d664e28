/** Transactions, each bound to a tenant and to timeouts. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Moment } from './clock.ts';
import { isOutdatedPlan } from './prepared.ts';
import { type Sql, sqlIn } from './sql.ts';

export type Em = EntityManager;

export interface Limits {
  readonly statementMs: number;
  readonly lockMs: number;
}
/** Of API requests. A concurrent duplicate is waited for in several transactions, five seconds in all (D26, api/kernel/mount.ts). */
export const REQUEST: Limits = { statementMs: 2500, lockMs: 2000 };
/** Of transitions: below the two seconds of their local activity. */
export const TRANSITION: Limits = { statementMs: 1500, lockMs: 1000 };

/** The store whose rows a transaction sees, and its times. */
export interface Tenancy extends Moment {
  readonly storeId: string;
}

/** In place of a store: row-level security shows no store's rows. */
export const NO_STORE = '-';

/** A store at its business time. */
export const tenancyOf = (storeId: string, clockOffsetMs: number, realNow: number): Tenancy => ({
  storeId,
  at: realNow + clockOffsetMs,
  realNow,
});
/** A store at real time, for transactions in which nothing has a business time. */
export const realTime = (storeId: string, realNow: number): Tenancy => tenancyOf(storeId, 0, realNow);

/** A transaction of one store: entities, statements, the store, and the times at which all of it happens. */
export interface Tx extends Tenancy {
  readonly em: Em;
  readonly sql: Sql;
}

/**
 * Runs `work` in one transaction in which row-level security shows only this store's rows; once more, when a migration has outdated a plan
 * meanwhile.
 */
export function inTenant<T>(orm: MikroORM, { storeId, at, realNow }: Tenancy, limits: Limits, work: (tx: Tx) => Promise<T>): Promise<T> {
  const variables = {
    'app.store_id': storeId,
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
  };
  const transact = () => {
    const fork = orm.em.fork({ session: { variables } });
    return fork.transactional((em) => work({ em, sql: sqlIn(em), storeId, at, realNow }), { clear: true });
  };
  return transact().catch((error: unknown) => {
    if (isOutdatedPlan(error)) return transact();
    throw error;
  });
}

/** The time for the commit itself: less than a client waits for a response (query_timeout, 3 s). */
const COMMIT_MS = 1500;
/**
 * To be called last, before the commit: sets `transaction_timeout`, so that Postgres aborts the transaction after COMMIT_MS (SQLSTATE
 * 25P04). A commit that a hanging network or server delays then fails, and a 503 that was returned meanwhile ("done already or never")
 * stays true (X26).
 */
export const announceCommit = ({ sql }: Tx): Promise<object[]> =>
  sql`SELECT set_config('transaction_timeout', '0', true), set_config('transaction_timeout', ${String(COMMIT_MS)}, true)`;

/** A transaction-level advisory lock by name: serializes work that has no row to lock. */
export const lockName = ({ sql }: Tx, name: string): Promise<object[]> => sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
