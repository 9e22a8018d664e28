/**
 * SQL as a tagged template: every `${value}` is sent as a parameter of Postgres' protocol, and only a `fragment` becomes part of the text.
 * Values of JSON columns are passed as text; arrays as arrays of Postgres.
 */
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { escapeIdentifier, escapeLiteral } from 'pg';

type Parameter = string | number | bigint | boolean | Date | Uint8Array | null | readonly string[] | readonly number[];

/**
 * A piece of a statement, with its own values. Those within it are put together when it is made: a constant one is one text, however many
 * pieces it was made of, and costs a statement nothing.
 */
export class Fragment {
  /** One more than values. */
  readonly strings: readonly string[];
  readonly values: readonly Parameter[];

  constructor(strings: readonly string[], values: readonly SqlValue[]) {
    const [texts, parameters] = [[strings[0] ?? ''], [] as Parameter[]];
    const goOn = (text: string) => texts.push(`${texts.pop() ?? ''}${text}`);
    for (const [i, value] of values.entries()) {
      const { strings: own, values: theirs } = value instanceof Fragment ? value : { strings: ['', ''], values: [value] };
      goOn(own[0]!);
      texts.push(...own.slice(1));
      parameters.push(...theirs);
      goOn(strings[i + 1] ?? '');
    }
    this.strings = texts;
    this.values = parameters;
  }
}
export type SqlValue = Parameter | Fragment;

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

/** Statements without a transaction, each its own, wherever they are sent. */
export function sqlOn(orm: MikroORM): Sql {
  const em = outside.get(orm) ?? orm.em.fork();
  outside.set(orm, em);
  return sqlIn(em);
}
/** One for each ORM, which begins no transaction and holds no entities: making one costs as much as a short statement. */
const outside = new WeakMap<MikroORM, EntityManager>();

/** The statements of an entity manager's transaction. */
export const sqlIn =
  (em: EntityManager): Sql =>
  <Row extends object>(strings: TemplateStringsArray, ...values: readonly SqlValue[]) => {
    const made = bound(new Fragment(strings, values), MIKRO_ORM);
    return em.execute<Row[]>(made.text, made.values, 'all');
  };

/** A statement for a client of `pg`: `pool.query(statement\`…\`)`. */
export const statement = (strings: TemplateStringsArray, ...values: readonly SqlValue[]): { text: string; values: unknown[] } =>
  bound(new Fragment(strings, values), PG);

interface Dialect {
  readonly placeholder: (n: number) => string;
  readonly escape: (text: string) => string;
}
const PG: Dialect = { placeholder: (n) => `$${n}`, escape: (text) => text };
/** It takes a question mark for a placeholder. */
const MIKRO_ORM: Dialect = { placeholder: () => '?', escape: (text) => text.replaceAll('?', String.raw`\?`) };

/** The text with a placeholder for each value. */
const bound = ({ strings, values }: Fragment, { placeholder, escape }: Dialect): { text: string; values: unknown[] } => ({
  text: strings.map((text, i) => `${i === 0 ? '' : placeholder(i)}${escape(text)}`).join(''),
  values: values.map((value) => (Array.isArray(value) ? arrayLiteral(value) : value)),
});

/** An array in Postgres' text format. */
function arrayLiteral(values: readonly (string | number)[]): string {
  const quoted = values.map((value) => `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  return `{${quoted.join(',')}}`;
}
