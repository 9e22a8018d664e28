/**
 * SQL as a tagged template: every `${value}` is sent as a parameter of Postgres' protocol, and only a `fragment` becomes part of the text.
 * Values of JSON columns are passed as text; arrays as arrays of Postgres.
 */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';

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
export const identifier = (name: string): Fragment => new Fragment([`"${name.replaceAll('"', '""')}"`], []);

/** A word of our own as a constant of SQL, where a parameter would have no type. */
export function constant(word: string): Fragment {
  if (!/^\w+$/.test(word)) throw new Error(`Not a word: ${word}`);
  return new Fragment([`'${word}'`], []);
}

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
    const statement: Statement = { text: '', values: [] };
    append(statement, strings, values);
    return em.execute<Row[]>(statement.text, statement.values, 'all');
  };

interface Statement {
  text: string;
  readonly values: unknown[];
}

/** Appends pieces of text and, between them, values as placeholders; fragments with their own. */
function append(statement: Statement, strings: readonly string[], values: readonly SqlValue[]): void {
  for (const [i, text] of strings.entries()) {
    statement.text += text.replaceAll('?', String.raw`\?`);
    const value = values[i];
    if (value instanceof Fragment) append(statement, value.strings, value.values);
    else if (i < values.length) {
      statement.text += '?';
      statement.values.push(Array.isArray(value) ? arrayLiteral(value) : value);
    }
  }
}

/** An array in Postgres' text format. */
const arrayLiteral = (values: readonly (string | number)[]): string =>
  `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
