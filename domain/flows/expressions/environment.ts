/** The expression language as the library is told of it: our types, operators, functions and variables. */
import { Environment } from '@marcbachmann/cel-js/evaluator';
import { MAX_DEPTH, MAX_NODES } from './allowed.ts';
import { atTime, dayOfWeek, daysUntil, inRanges, lookupStep, pct, type Row, time } from './functions.ts';
import { koreanDate } from '../../kernel/time.ts';
import type { Meter } from './meter.ts';
import { type FieldTypes, ITEM, STAY, VARIABLE_FIELDS } from './scope.ts';
import { isSteps } from './tables.ts';
import { between, earlier, later, Time } from './time.ts';
import type { Tables } from './types.ts';

const DURATION = 'google.protobuf.Duration';
const RANGES = 'list<map<string, string>>';
const STEPS = 'list<map<string, int>>';
const NO_WAIT = { async: false };

/** What functions know beside their arguments; bound for the length of one evaluation, which nothing interrupts. */
export interface Moment {
  now: Time | null;
  holidays: ReadonlySet<string>;
  meter: Meter;
}

/** A language without `item`, whose fields depend on what an expression reads: `withItem` adds it. */
export function createEnvironment(moment: Moment, tables: readonly (readonly [string, Tables[string]])[]): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: false,
    limits: { maxAstNodes: MAX_NODES, maxDepth: MAX_DEPTH, maxListElements: 100, maxMapEntries: 2, maxCallArguments: 3 },
  });
  environment.registerType('time', { ctor: Time, fields: {} });
  addOperators(environment);
  addFunctions(environment, moment);
  environment.registerVariable('now', 'time').registerVariable('refundable', 'int');
  for (const [name, schema] of Object.entries(VARIABLE_FIELDS)) environment.registerVariable({ name, schema });
  for (const [name, rows] of tables) environment.registerConstant(name, isSteps(rows) ? STEPS : RANGES, rows.map(rowOf));
  return environment;
}

const rowOf = (row: object): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(row).map(([column, cell]) => [column, typeof cell === 'number' ? BigInt(cell) : cell]));

/** The language of expressions that read these fields of `item.option`. */
export const withItem = (environment: Environment, inputs: FieldTypes, option: FieldTypes): Environment =>
  environment.clone().registerVariable({
    name: 'item',
    schema: { ...ITEM, stay: STAY, inputs: Object.fromEntries(inputs), option: Object.fromEntries(option) },
  });

function addOperators(environment: Environment): void {
  environment
    .registerOperator('time == time', (a: Time, b: Time) => a.ms === b.ms)
    .registerOperator('time < time', (a: Time, b: Time) => a.ms < b.ms)
    .registerOperator('time <= time', (a: Time, b: Time) => a.ms <= b.ms)
    .registerOperator('time > time', (a: Time, b: Time) => a.ms > b.ms)
    .registerOperator('time >= time', (a: Time, b: Time) => a.ms >= b.ms)
    .registerOperator(`time + ${DURATION}`, later)
    .registerOperator(`time - ${DURATION}`, earlier)
    .registerOperator(`time - time: ${DURATION}`, (to: Time, from: Time) => between(from, to));
}

function addFunctions(environment: Environment, moment: Moment): void {
  const min = <T extends bigint>(a: T, b: T) => (a < b ? a : b);
  const max = <T extends bigint>(a: T, b: T) => (a > b ? a : b);
  const spend = (rows: number) => moment.meter.spend(rows);
  environment
    .registerFunction('pct(int, int): int', pct, NO_WAIT)
    .registerFunction('pct(int, double): int', pct, NO_WAIT)
    .registerFunction('daysUntil(time): int', (at: Time) => daysUntil(at, moment.now!), NO_WAIT)
    .registerFunction('atTime(time, string): time', atTime, NO_WAIT)
    .registerFunction('dayOfWeek(time): int', dayOfWeek, NO_WAIT)
    .registerFunction('isHoliday(time): bool', (at: Time) => moment.holidays.has(koreanDate(at.ms)), NO_WAIT)
    .registerFunction(`inRanges(time, ${RANGES}): bool`, (at: Time, ranges: readonly Row[]) => inRanges(at, ranges, spend), NO_WAIT)
    .registerFunction(`lookupStep(${STEPS}, int): int`, (table: readonly Row[], days: bigint) => lookupStep(table, days, spend), NO_WAIT)
    .registerFunction('time(string): time', time, NO_WAIT)
    .registerFunction('min(int, int): int', min, NO_WAIT)
    .registerFunction('max(int, int): int', max, NO_WAIT)
    .registerFunction('min(time, time): time', (a: Time, b: Time) => (a.ms <= b.ms ? a : b), NO_WAIT)
    .registerFunction('max(time, time): time', (a: Time, b: Time) => (a.ms >= b.ms ? a : b), NO_WAIT);
}
