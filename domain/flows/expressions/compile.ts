/** The expressions of one graph: each source is parsed once and kept. */
import { createEnvironment, type Moment, withItem } from './environment.ts';
import { ExpressionError, expressionError } from './errors.ts';
import { Meter, MAX_EXPRESSION } from './meter.ts';
import { type Language, type Program, read, type Reading } from './program.ts';
import type { Sizes } from './price.ts';
import { inputTypes, optionTypes, type FieldTypes, variablesOf } from './scope.ts';
import { soundTables } from './tables.ts';
import { Time } from './time.ts';
import type { Expressions, InputSizes, InputTypes, Scope, Tables } from './types.ts';

/** Sources, and languages of sets of options, that are kept at most: more than a graph of 128 KiB has. */
const MAX_RESULTS = 2000;

/** A function's results, the oldest of which is given up when there are too many. */
function memoized<T>(compute: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>();
  return (key) => {
    const found = results.get(key);
    if (found !== undefined) return found;
    if (results.size >= MAX_RESULTS) results.delete(results.keys().next().value!);
    const result = compute(key);
    results.set(key, result);
    return result;
  };
}

/**
 * The expressions of a graph with these tables and inputs. It throws nothing: a table that is wrong (`tableProblems`) is not there. What it
 * answers belongs to one graph and never changes; it may be shared by everything that runs by that graph.
 */
export function compileExpressions(tables: Tables, inputs: InputTypes, sizes: InputSizes = {}): Expressions {
  const moment: Moment = { now: null, holidays: new Set(), meter: new Meter(0) };
  const language = languageOf(moment, tables, inputTypes(inputs), sizes);
  const reading = memoized<Reading>((source) => read(language, source));
  const programOf = (source: string): Program | null => {
    const result = reading(source);
    return result.problem ? null : result.program;
  };
  return {
    check(source, wanted) {
      const result = reading(source);
      if (result.problem) return result.problem;
      const { type } = result.program;
      if (type === wanted) return null;
      return { code: 'EXPRESSION_TYPE', message: `must give ${wanted}, gives ${type}`, range: { start: 0, end: source.length } };
    },
    readsUnguarded: (source) => programOf(source)?.unguarded ?? [],
    usesHolidays: (source) => programOf(source)?.usesHolidays ?? false,
    usesClaim: (source) => programOf(source)?.usesClaim ?? false,
    price: (source) => programOf(source)?.price ?? 0,
    evaluate(source, scope, meter = new Meter(MAX_EXPRESSION)) {
      const result = reading(source);
      if (result.problem) throw new ExpressionError(result.problem.code, result.problem.message);
      return evaluated(result.program, scope, moment, meter);
    },
  };
}

function languageOf(moment: Moment, tables: Tables, inputs: FieldTypes, inputSizes: InputSizes): Language {
  const sound = soundTables(tables);
  const environment = createEnvironment(moment, sound);
  const isForeign = (name: string) => environment.hasVariable(name);
  const itemLanguage = memoized((keys: string) => {
    const option = optionTypes(keys === '' ? [] : keys.split(' '));
    return { environment: withItem(environment, inputs, option), option };
  });
  return {
    names: { tables: new Set(sound.map(([name]) => name)), inputs: new Set(inputs.keys()), isForeign },
    inputs,
    sizes: sizesOf(sound, inputs, inputSizes),
    environment,
    withOption: (keys) => itemLanguage(keys.join(' ')),
  };
}

/** The most that forms take (`domain/flows/form`). */
const MAX_VALUES = 200;
function sizesOf(tables: readonly (readonly [string, Tables[string]])[], inputs: FieldTypes, sizes: InputSizes): Sizes {
  const rows = new Map(tables.map(([name, table]) => [name, table.length]));
  return {
    rows: (table) => rows.get(table) ?? 0,
    values: ([root, group, key = '']) => {
      const isList = root === 'item' && group === 'inputs' && inputs.get(key) === 'list<string>';
      if (!isList) return 0;
      return Object.hasOwn(sizes, key) ? sizes[key]! : MAX_VALUES;
    },
  };
}

/** A failed function counts for nothing where the other side of `||` or `&&` decides: what was stopped has failed all the same. */
function evaluated({ run, inputs, option, workWith }: Program, scope: Scope, moment: Moment, meter: Meter): boolean | number {
  const own = meter.part(MAX_EXPRESSION);
  try {
    own.spend(workWith(scope));
    moment.now = new Time(scope.now);
    moment.holidays = scope.holidays;
    moment.meter = own;
    const value = run(variablesOf(scope, inputs, option));
    if (own.isOver) own.spend(0);
    return result(value);
  } catch (error) {
    throw expressionError(error);
  } finally {
    meter.take(own);
  }
}

function result(value: unknown): boolean | number {
  if (typeof value === 'boolean') return value;
  if (value instanceof Time) return value.ms;
  if (typeof value !== 'bigint') throw new ExpressionError('EXPRESSION_TYPE', 'gives neither bool nor int nor time');
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new ExpressionError('EXPRESSION_OVERFLOW', 'gives a number beyond 9,007,199,254,740,991');
  return number;
}
