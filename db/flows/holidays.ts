/** Korea's holidays (D24): the newest version of each year. */
import type { Em, Tx } from '../kernel/tx.ts';

const read = new WeakMap<Em, Promise<ReadonlySet<string>>>();

/** The Korean days that are public or substitute holidays, `YYYY-MM-DD`, of every year that is known; read once in a transaction. */
export function readHolidays({ em, sql }: Tx): Promise<ReadonlySet<string>> {
  const known = read.get(em);
  if (known) return known;
  const days = newestDays({ sql }).then((rows) => new Set(rows.map(({ day }) => day)));
  read.set(em, days);
  return days;
}

/** The same with their names, in order. */
export const newestDays = ({ sql }: Pick<Tx, 'sql'>): Promise<{ readonly day: string; readonly name: string }[]> =>
  sql<{ day: string; name: string }>`
    SELECT key AS day, value AS name FROM (SELECT DISTINCT ON (year) days FROM holiday_year ORDER BY year, version DESC) AS newest,
      jsonb_each_text(days) ORDER BY key`;

/** Makes these days, with their names, the holidays of a year from now on; answers the version. The owner's right alone. */
export async function replaceHolidays({ sql, realNow }: Tx, year: number, days: ReadonlyMap<string, string>): Promise<number> {
  const [row] = await sql<{ version: number }>`
    INSERT INTO holiday_year (year, version, days, created_at)
    SELECT ${year}, coalesce(max(version), 0) + 1, ${JSON.stringify(Object.fromEntries(days))}::jsonb, ${new Date(realNow)}
    FROM holiday_year WHERE year = ${year} RETURNING version`;
  return row!.version;
}
