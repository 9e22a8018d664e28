/**
 * A MikroORM driver that sends values beside the text of a statement, as parameters of Postgres' protocol. MikroORM 7 formats them into the
 * text, so that escaping alone stands between a value and SQL, and every statement is new to Postgres. Its streams, which nothing here
 * uses, still do.
 */
import { type Configuration, isRaw, type RawQueryFragment } from '@mikro-orm/core';
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

type Execute = PostgreSqlConnection['execute'];

class ParameterConnection extends PostgreSqlConnection {
  override execute = (async (query, params = [], method = 'all', ctx, loggerContext) => {
    await this.ensureConnection();
    const { sql, params: given } = fragmentOf(query, params as readonly unknown[]);
    const values: unknown[] = [];
    const text = this.#bind(sql, given, values);
    const send = async () => (ctx ?? this.getClient()).executeQuery(CompiledQuery.raw(text, values));
    return this.executeQuery(sql, async () => this.transformRawResult(await send(), method), { query: sql, ...loggerContext });
  }) as Execute;

  /** Replaces each `?` by `$n`, `??` by a quoted identifier and `\?` by the operator `?`, and appends the values. */
  #bind(sql: string, params: readonly unknown[], values: unknown[]): string {
    if (params.length === 0 && !sql.includes('?')) return sql;
    let next = 0;
    const text = sql.replaceAll(/\\\?|\?\??/g, (mark) => {
      if (mark === String.raw`\?`) return '?';
      const value = params[next++];
      return mark === '?' ? this.#placeholder(value, values) : this.platform.quoteIdentifier(value as string);
    });
    if (next !== params.length) throw new Error(`A statement with ${next} placeholders got ${params.length} values: ${sql}`);
    return text;
  }

  /** The placeholder of one value; an array becomes a list of them, as MikroORM formats it. */
  #placeholder(value: unknown, values: unknown[]): string {
    if (isRaw(value)) return this.#bind(value.sql, value.params, values);
    if (Array.isArray(value) && !isJson(value)) return value.map((one) => this.#placeholder(one, values)).join(', ');
    // NULL would widen a filter that somebody forgot to fill.
    if (value === undefined) throw new Error('A statement got no value for a placeholder.');
    values.push(parameterOf(value));
    return `$${values.length}`;
  }
}

/** A value as `pg` sends it: in the text format, null included. */
function parameterOf(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) return JSON.stringify(value);
  return value;
}

/** MikroORM marks values of JSON columns with a symbol. */
const isJson = (value: object): boolean => Object.getOwnPropertySymbols(value).length > 0;

/** The text and the values of a text, a query builder or a raw fragment. */
function fragmentOf(query: Parameters<Execute>[0], params: readonly unknown[]): Pick<RawQueryFragment, 'sql' | 'params'> {
  if (typeof query === 'string') return { sql: query, params: [...params] };
  return isRaw(query) ? query : query.toRaw();
}

class ParameterDriver extends PostgreSqlDriver {
  protected override readonly connection: PostgreSqlConnection;

  constructor(config: Configuration) {
    super(config);
    this.connection = new ParameterConnection(config);
  }
}

/** The `driver` of `MikroORM.init`. */
export const parameterDriver: typeof PostgreSqlDriver = ParameterDriver;
