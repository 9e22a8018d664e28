/** Transactions, each bound to a tenant and to timeouts. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';

export type Em = EntityManager;

export interface Limits {
  readonly statementMs: number;
  readonly lockMs: number;
}
/** Of API requests. A concurrent duplicate is waited for in several transactions, five seconds in all (D26, api/kernel/mount.ts). */
export const REQUEST: Limits = { statementMs: 2500, lockMs: 2000 };
/** Of transitions: below the two seconds of their local activity. */
export const TRANSITION: Limits = { statementMs: 1500, lockMs: 1000 };

/** Runs `work` in one transaction in which row-level security shows only this store's rows. */
export function inTenant<T>(orm: MikroORM, storeId: string, limits: Limits, work: (em: Em) => Promise<T>): Promise<T> {
  const variables = {
    'app.store_id': storeId,
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
  };
  return orm.em.fork({ session: { variables } }).transactional(work, { clear: true });
}

/** The time for the commit itself: less than a client waits for a response (query_timeout, 3 s). */
const COMMIT_MS = 1500;
/**
 * To be called last, before the commit: sets `transaction_timeout`, so that Postgres aborts the transaction after COMMIT_MS (SQLSTATE
 * 25P04). A commit that a hanging network or server delays then fails, and a 503 that was returned meanwhile ("done already or never")
 * stays true (X26).
 */
export const announceCommit = (em: Em): Promise<object[]> =>
  sql(em, `SELECT set_config('transaction_timeout', '0', true), set_config('transaction_timeout', ?, true)`, [String(COMMIT_MS)]);

/** A text[] literal; MikroORM would expand an array to several values. */
export const textArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;

/** A transaction-level advisory lock by name: serializes work that has no row to lock. */
export const lockName = (em: Em, name: string): Promise<object[]> =>
  sql(em, 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);

/** Raw SQL in the caller's transaction. Keys of the rows are Postgres' column names. */
export const sql = <Row extends object>(em: Em, text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  em.execute<Row[]>(text, [...values], 'all');
