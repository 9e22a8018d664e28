import { newestDays, replaceHolidays } from '../../../db/flows/holidays.ts';
import { NO_STORE } from '../../../db/kernel/tenancy.ts';
import { inTenant, realTime, REQUEST } from '../../../db/kernel/tx.ts';
import { withOrm } from '../../../db/orm.ts';
import { MOMENT, YEAR } from '../../../domain/kernel/time.ts';
import { UserError } from '../../kernel/cli.ts';

const MAX_NAME = 100;
const moment = new RegExp(MOMENT);

/** The holidays that count, every year's in order. */
export const listHolidays = (databaseUrl: string) => withTx(databaseUrl, newestDays);

/** Replaces a year's holidays by those of the lines, for everything that is computed from now on. Every line is read before one counts. */
export async function setHolidays(databaseUrl: string, yearText: string, lines: string) {
  if (!new RegExp(`^${YEAR}$`).test(yearText)) throw new UserError('--year is a year, as in --year 2028.');
  const days = new Map<string, string>();
  for (const [i, line] of lines.split('\n').entries()) if (line.trim() !== '') addDay(days, line, i + 1, yearText);
  if (days.size === 0) throw new UserError(`No line came in; the holidays of ${yearText} stay as they are.`);
  const year = Number(yearText);
  const version = await withTx(databaseUrl, (tx) => replaceHolidays(tx, year, days));
  return { year, version, days: days.size };
}

const withTx = <T>(databaseUrl: string, work: Parameters<typeof inTenant<T>>[3]): Promise<T> =>
  withOrm(databaseUrl, 1, (orm) => inTenant(orm, realTime(NO_STORE, Date.now()), REQUEST, work));

function addDay(days: Map<string, string>, line: string, number: number, year: string): void {
  const { day, name } = (parsed(line) ?? {}) as { readonly day?: unknown; readonly name?: unknown };
  const isDay = typeof day === 'string' && day.startsWith(`${year}-`) && moment.test(`${day}T00:00Z`);
  if (!isDay || typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME)
    throw new UserError(`Line ${number} is not { "day": "${year}-MM-DD", "name": TEXT }; nothing was replaced.`);
  if (days.has(day)) throw new UserError(`Line ${number}: ${day} comes twice; nothing was replaced.`);
  days.set(day, name);
}
function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}
