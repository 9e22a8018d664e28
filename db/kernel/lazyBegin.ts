/**
 * A Postgres connection that sends `begin` and the session variables together with the first statement of a transaction. MikroORM waits for
 * each of the three, and a round trip costs more than most of our queries (measured: 1.7 times the throughput of lists). The order of
 * statements stays the same; a transaction without statements is never begun.
 */
import { Client, type ClientConfig, type QueryConfig, type QueryResult } from 'pg';
import { isOutdatedPlan, statementNames } from './prepared.ts';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}
type Send = (text: string, values: readonly unknown[]) => Promise<QueryResult>;

const isOpening = (text: string) => text === 'begin' || text.startsWith('select set_config(');
const isClosing = (text: string) => text === 'commit' || text === 'rollback';
const NOTHING: QueryResult = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

class LazyBeginClient extends Client {
  /** Statements that open the current transaction and have not been sent yet. */
  #deferred: Statement[] = [];
  readonly #generation = statementNames.generation;

  constructor(config: ClientConfig) {
    super(config);
    const original = this.query.bind(this) as unknown as (query: string | QueryConfig, values?: readonly unknown[]) => Promise<QueryResult>;
    const send: Send = (text, values) => {
      const { generation } = statementNames;
      const name = statementNames.of(text);
      if (name === null) return original(text, values);
      return original({ name, text, values: [...values] }).catch((error: unknown) => {
        if (isOutdatedPlan(error)) statementNames.renew(generation);
        throw error;
      });
    };
    const query = (text: unknown, values: readonly unknown[] = [], ...rest: unknown[]): unknown =>
      typeof text === 'string'
        ? (this.#defer({ text, values }, send) ?? this.#flush({ text, values }, send))
        : (original as (...all: unknown[]) => unknown)(text, values, ...rest);
    this.query = query as unknown as Client['query'];
  }

  /** An empty result for a statement that is deferred or never sent; null when it has to be sent with the deferred ones. */
  #defer(statement: Statement, send: Send): Promise<QueryResult> | null {
    const isBegun = statement.text === 'begin';
    if (isBegun || (this.#deferred.length > 0 && isOpening(statement.text))) {
      // A `begin` discards an earlier transaction that was abandoned before its first statement.
      this.#deferred = isBegun ? [statement] : [...this.#deferred, statement];
      return Promise.resolve(NOTHING);
    }
    if (this.#deferred.length > 0 && isClosing(statement.text)) {
      this.#deferred = [];
      return Promise.resolve(NOTHING);
    }
    if (this.#deferred.length > 0) return null;
    const answer = send(statement.text, statement.values);
    // Its prepared statements are outdated: the pool removes a connection that is ending.
    if (isClosing(statement.text) && this.#generation < statementNames.generation)
      void answer.finally(() => void this.end()).catch(() => {});
    // A rollback that fails has lost its connection, and with it the transaction. Otherwise Kysely would never release the connection to
    // the pool: it does so only after a successful rollback.
    return statement.text === 'rollback' ? answer.catch(() => NOTHING) : answer;
  }

  /** Sends the deferred statements and this one in one write; rejects with the first error. */
  async #flush({ text, values }: Statement, send: Send): Promise<QueryResult> {
    const { stream } = (this as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection;
    stream.cork();
    const answers = [...this.#deferred, { text, values }].map((one) => send(one.text, one.values));
    this.#deferred = [];
    stream.uncork();
    return (await Promise.all(answers)).at(-1)!;
  }
}

/** Options of a pool. Without `pipeline` a connection sends one statement at a time. */
export const lazyBegin = { Client: LazyBeginClient, pipeline: true };
