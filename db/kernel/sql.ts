/**
 * SQL as a tagged template: every `${value}` is sent as a parameter of Postgres' protocol, and only a `fragment` becomes part of the text.
 * Values of JSON columns are passed as text; arrays as arrays of Postgres.
 */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { escapeIdentifier, escapeLiteral } from 'pg';

/** A piece of a statement, with its own values. */
export class Fragment {
  readonly strings: readonly string[];
  readonly values: readonly SqlValue[];

  constructor(strings: readonly string[], values: readonly SqlValue[]) {
    this.strings = strings;
    this.values = values;
  }
}
export type SqlValue = string | number | bigint | boolean | Date | Uint8Array | null | readonly string[] | readonly number[] | Fragment;

/** A piece of a statement: `fragment\`stock > ${n}\``. Its text stands in our sources, never in a request. */
export const fragment = (strings: TemplateStringsArray, ...values: readonly SqlValue[]): Fragment => new Fragment(strings, values);

export const EMPTY = fragment``;

/** The name of a table or column, quoted; for names that are computed. */
export const identifier = (name: string): Fragment => new Fragment([escapeIdentifier(name)], []);

/** A text as a constant of SQL, for statements that take no parameters (DDL) and where one would have no type. */
export const literal = (text: string): Fragment => new Fragment([escapeLiteral(text)], []);

/** Joins fragments, by a comma if nothing else is said. */
export function joined(parts: readonly Fragment[], separator: Fragment = COMMA): Fragment {
  const between = parts.flatMap((part, i) => (i === 0 ? [part] : [separator, part]));
  return new Fragment(['', ...between.map(() => '')], between);
}
const COMMA = fragment`, `;

/** A condition of all that are given. */
export const allOf = (conditions: readonly (Fragment | false)[]): Fragment =>
  joined(
    conditions.filter((one) => one !== false),
    AND,
  );
const AND = fragment` AND `;

/** Sends a statement and returns its rows, whose keys are Postgres' column names. */
export type Sql = <Row extends object>(strings: TemplateStringsArray, ...values: readonly SqlValue[]) => Promise<Row[]>;

/** Statements without a transaction, each its own. */
export const sqlOn = (orm: MikroORM): Sql => sqlIn(orm.em.fork());

/** The statements of an entity manager's transaction. */
export const sqlIn =
  (em: EntityManager): Sql =>
  <Row extends object>(strings: TemplateStringsArray, ...values: readonly SqlValue[]) => {
    const made = new Statement(MIKRO_ORM);
    made.append(strings, values);
    return em.execute<Row[]>(made.text, made.values, 'all');
  };

/** A statement for a client of `pg`: `pool.query(statement\`…\`)`. */
export function statement(strings: TemplateStringsArray, ...values: readonly SqlValue[]): { text: string; values: unknown[] } {
  const made = new Statement(PG);
  made.append(strings, values);
  return { text: made.text, values: made.values };
}

interface Dialect {
  readonly placeholder: (n: number) => string;
  readonly escape: (text: string) => string;
}
const PG: Dialect = { placeholder: (n) => `$${n}`, escape: (text) => text };
/** It takes a question mark for a placeholder. */
const MIKRO_ORM: Dialect = { placeholder: () => '?', escape: (text) => text.replaceAll('?', String.raw`\?`) };

class Statement {
  text = '';
  readonly values: unknown[] = [];
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Appends pieces of text and, between them, values as placeholders; fragments with their own. */
  append(strings: readonly string[], values: readonly SqlValue[]): void {
    for (const [i, text] of strings.entries()) {
      this.text += this.#dialect.escape(text);
      const value = values[i];
      if (value instanceof Fragment) this.append(value.strings, value.values);
      else if (i < values.length) {
        this.values.push(Array.isArray(value) ? arrayLiteral(value) : value);
        this.text += this.#dialect.placeholder(this.values.length);
      }
    }
  }
}

/** An array in Postgres' text format. */
const arrayLiteral = (values: readonly (string | number)[]): string =>
  `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
