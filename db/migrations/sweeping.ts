/** The SQL that sweeps a kind of rows that have ended (db/retention/kinds.ts): `sangjeom_sweeper` owns it, and may delete nothing else. */
import { DEFINER } from './tenancy.ts';

export interface Swept {
  /** As in the table of kinds. */
  readonly kind: string;
  /** A query for the keys of rows that ended before `before` (a time that is passed in), the oldest first; at most `most`. */
  readonly due: string;
  /** Common table expressions over `due`; the last is called `gone` and has what was deleted. */
  readonly remove: string;
  /** What is answered of `gone`; how many, unless said otherwise. */
  readonly answers?: { readonly type: string; readonly text: string };
}

/** `sweep_<kind>` deletes a portion; `left_<kind>` counts what waits to be deleted. The worker's role may call both. */
export function sweeping({ kind, due, remove, answers = { type: 'bigint', text: 'SELECT count(*) FROM gone' } }: Swept): string[] {
  const make = (name: string, type: string, volatility: string, body: string) => [
    `CREATE FUNCTION ${name}(before timestamptz, most integer) RETURNS ${type} LANGUAGE sql ${volatility} ${DEFINER} AS $$ ${body} $$`,
    `ALTER FUNCTION ${name}(timestamptz, integer) OWNER TO sangjeom_sweeper`,
    `REVOKE ALL ON FUNCTION ${name}(timestamptz, integer) FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${name}(timestamptz, integer) TO sangjeom_relay`,
  ];
  return [
    ...make(
      `sweep_${kind}`,
      answers.type,
      'VOLATILE',
      `WITH due AS MATERIALIZED (${due} LIMIT least(most, 1000)), ${remove} ${answers.text}`,
    ),
    ...make(`left_${kind}`, 'bigint', 'STABLE', `SELECT count(*) FROM (${due} LIMIT most) due`),
  ];
}

const ENDED = `before + s.clock_offset_ms * interval '1 millisecond'`;
/** Keys of rows by the clock of their store; `which` is a condition in which `ended` is the time before which they ended. */
export const inEachStore = (keys: string, table: string, which: string, by: string): string =>
  `SELECT ${keys} FROM store s CROSS JOIN LATERAL (
     SELECT x.* FROM ${table} x WHERE x.store_id = s.store_id AND ${which.replaceAll('ended', ENDED)}
     ORDER BY ${by} LIMIT most) x`;

/** Lets the sweeper read a table of all stores, and delete what fits; a table of no store has no row security. */
export const swept = (table: string, which: string | null): string[] => [
  `GRANT SELECT, DELETE ON ${table} TO sangjeom_sweeper`,
  ...(which === null
    ? []
    : [
        `CREATE POLICY sweep_read ON ${table} FOR SELECT TO sangjeom_sweeper USING (true)`,
        `CREATE POLICY sweep ON ${table} FOR DELETE TO sangjeom_sweeper USING (${which})`,
      ]),
];
