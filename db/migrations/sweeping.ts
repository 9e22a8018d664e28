/** SQL functions that delete rows that have ended (db/retention/kinds.ts), owned by `sangjeom_sweeper`, which may delete nothing else. */
import { DEFINER } from './tenancy.ts';

export interface Swept {
  /** The name in the table of kinds. */
  readonly kind: string;
  /** A query for the keys of rows that ended before `before` (a parameter), the oldest first; at most `max_rows` (a parameter). */
  readonly due: string;
  /** Common table expressions over `due`; `gone` contains the deleted rows. */
  readonly remove: string;
  /** The result, from `gone`; by default the number of rows. */
  readonly answers?: { readonly type: string; readonly text: string };
}

/** `sweep_<kind>` deletes a portion; `overdue_<kind>` counts what is due. The worker's role may execute both. */
export function sweeping({ kind, due, remove, answers = { type: 'bigint', text: 'SELECT count(*) FROM gone' } }: Swept): string[] {
  const make = (name: string, type: string, volatility: string, body: string) => [
    `CREATE FUNCTION ${name}(before timestamptz, max_rows integer) RETURNS ${type} LANGUAGE sql ${volatility} ${DEFINER} AS $$ ${body} $$`,
    `ALTER FUNCTION ${name}(timestamptz, integer) OWNER TO sangjeom_sweeper`,
    `REVOKE ALL ON FUNCTION ${name}(timestamptz, integer) FROM PUBLIC`,
    `GRANT EXECUTE ON FUNCTION ${name}(timestamptz, integer) TO sangjeom_relay`,
  ];
  return [
    ...make(
      `sweep_${kind}`,
      answers.type,
      'VOLATILE',
      `WITH due AS MATERIALIZED (${due} LIMIT least(max_rows, 1000)), ${remove} ${answers.text}`,
    ),
    ...make(`overdue_${kind}`, 'bigint', 'STABLE', `SELECT count(*) FROM (${due} LIMIT max_rows) due`),
  ];
}

const ENDED = `before + s.clock_offset_ms * interval '1 millisecond'`;
/** Keys of rows that ended by the clock of their store; in the condition `which`, `ended` stands for `before` in business time. */
export const inEachStore = (keys: string, table: string, which: string, by: string): string =>
  `SELECT ${keys} FROM store s CROSS JOIN LATERAL (
     SELECT x.* FROM ${table} x WHERE x.store_id = s.store_id AND ${which.replaceAll('ended', ENDED)}
     ORDER BY ${by} LIMIT max_rows) x`;

/** Lets the sweeper read a table of all stores and delete rows that match; a table without stores has no row-level security. */
export const swept = (table: string, which: string | null): string[] => [
  `GRANT SELECT, DELETE ON ${table} TO sangjeom_sweeper`,
  ...(which === null
    ? []
    : [
        `CREATE POLICY sweep_read ON ${table} FOR SELECT TO sangjeom_sweeper USING (true)`,
        `CREATE POLICY sweep ON ${table} FOR DELETE TO sangjeom_sweeper USING (${which})`,
      ]),
];
