/** The one way to Postgres: a transaction that is bound to a tenant and to time limits. */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';

export type Em = EntityManager;

export interface Limits {
  readonly statementMs: number;
  readonly lockMs: number;
}
/** A request may wait five seconds for a parallel twin (D26) but never longer. */
export const REQUEST: Limits = { statementMs: 2500, lockMs: 2000 };
/** A transition runs as a local activity of two seconds. */
export const TRANSITION: Limits = { statementMs: 1500, lockMs: 1000 };

/** Runs `work` in one transaction that sees and writes this store's rows only. */
export function inTenant<T>(orm: MikroORM, storeId: string, limits: Limits, work: (em: Em) => Promise<T>): Promise<T> {
  const variables = {
    'app.store_id': storeId,
    statement_timeout: String(limits.statementMs),
    lock_timeout: String(limits.lockMs),
  };
  return orm.em.fork({ session: { variables } }).transactional(work, { clear: true });
}

/** A commit that Postgres has not made this long after it was announced is never made. Less than a client waits for its answer (3 s). */
const COMMIT_MS = 1500;
/**
 * To be called last, before the commit: from here on Postgres itself ends the transaction after COMMIT_MS (SQLSTATE 25P04). A commit that
 * is held up by a network or a server that hung finds nothing to commit, so that an answer given meanwhile, "done already or never",
 * stays true (X26).
 */
export const announceCommit = (em: Em): Promise<object[]> =>
  sql(em, `SELECT set_config('transaction_timeout', '0', true), set_config('transaction_timeout', ?, true)`, [String(COMMIT_MS)]);

/** A list of texts as Postgres writes one, each quoted; MikroORM would spread it over several values. */
export const textArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;

/** Until the transaction ends, nobody else holds this name: for what must happen one after the other and has no row to lock. */
export const lockName = (em: Em, name: string): Promise<object[]> =>
  sql(em, 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [name]);

/** Raw SQL inside the caller's transaction. Rows come back as Postgres names their columns. */
export const sql = <Row extends object>(em: Em, text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  em.execute<Row[]>(text, [...values], 'all');
