/** The tables of a graph: what is wrong with them. */
import { isMonthDay } from './functions.ts';
import { FUNCTION_NAMES, ROOTS } from './language.ts';
import type { RangeRow, StepRow, Tables } from './types.ts';

/** TABLE_INVALID blocks, TABLE_VALUE_RANGE warns: a value that is no percentage. */
export interface TableProblem {
  readonly code: 'TABLE_INVALID' | 'TABLE_VALUE_RANGE';
  readonly table: string;
  readonly message: string;
}
type Table = Tables[string];

const MAX_TABLES = 50;
const MAX_ROWS = 100;
const MAX_DAYS = 3650;
const NAME = /^[A-Za-z]\w{0,39}$/;
/** Words of the expression language, which can name nothing. */
const WORDS: ReadonlySet<string> = new Set(
  'as break cel const continue else false for function google if import in let loop namespace null package prototype return true var void while'.split(
    ' ',
  ),
);
/** The names of the library's types. */
const TYPE_NAMES: ReadonlySet<string> = new Set('bool bytes double dyn int list map null_type optional string type uint'.split(' '));

export const isSteps = (table: Table): table is readonly StepRow[] =>
  table.length > 0 && table.every((row) => 'days' in row && 'value' in row);
const isRanges = (table: Table): table is readonly RangeRow[] => table.length > 0 && table.every((row) => 'from' in row && 'to' in row);

/** All problems of all tables. A table with a blocking one is not there for expressions. */
export function tableProblems(tables: Tables): readonly TableProblem[] {
  return Object.entries(tables).flatMap(([table, rows], i): TableProblem[] => {
    const invalid = [...(i < MAX_TABLES ? [] : [`there are more than ${MAX_TABLES} tables`]), ...nameProblem(table), ...rowsProblem(rows)];
    if (invalid.length > 0) return invalid.map((message) => ({ code: 'TABLE_INVALID', table, message }));
    const isPercentage = !isSteps(rows) || rows.every(({ value }) => value >= 0 && value <= 100);
    return isPercentage ? [] : [{ code: 'TABLE_VALUE_RANGE', table, message: 'values of percentages are 0 to 100' }];
  });
}

/** The tables without a blocking problem. */
export function soundTables(tables: Tables): readonly (readonly [name: string, table: Table])[] {
  const broken = new Set(tableProblems(tables).flatMap(({ code, table }) => (code === 'TABLE_INVALID' ? [table] : [])));
  return Object.entries(tables).filter(([name]) => !broken.has(name));
}

function nameProblem(name: string): readonly string[] {
  if (!NAME.test(name)) return ['a name is 1 to 40 letters, digits and _, a letter first'];
  const isTaken = WORDS.has(name) || TYPE_NAMES.has(name) || ROOTS.has(name) || FUNCTION_NAMES.has(name);
  return isTaken ? [`the name ${name} has a meaning of its own`] : [];
}

function rowsProblem(table: Table): readonly string[] {
  if (table.length === 0) return ['the table is empty'];
  if (table.length > MAX_ROWS) return [`the table has more than ${MAX_ROWS} rows`];
  if (isSteps(table)) return stepsProblem(table);
  if (!isRanges(table)) return ['the rows are all { days, value } or all { from, to }'];
  const wrong = table.flatMap(({ from, to }) => [from, to]).filter((day) => !isMonthDay(day));
  return wrong.map((day) => `"${day}" is no day of the year, MM-DD`);
}
function stepsProblem(table: readonly StepRow[]): readonly string[] {
  const isSound = ({ days, value }: StepRow) => Number.isInteger(days) && days >= 0 && days <= MAX_DAYS && Number.isSafeInteger(value);
  if (!table.every(isSound)) return [`days are whole numbers from 0 to ${MAX_DAYS}, values whole numbers`];
  return new Set(table.map(({ days }) => days)).size < table.length ? ['two rows have the same days'] : [];
}
