import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileExpressions } from '../../../../domain/flows/expressions/compile.ts';
import { ExpressionError } from '../../../../domain/flows/expressions/errors.ts';
import type { ExpressionType, Scope } from '../../../../domain/flows/expressions/types.ts';
import { inputs, scope, tables } from './fixtures.ts';

const TYPES: readonly ExpressionType[] = ['bool', 'int', 'time'];
const expressions = compileExpressions(tables, inputs);

/** Everything that somebody asks of a prototype. */
const touched: PropertyKey[] = [];
const trap = new Proxy(Object.freeze({}), {
  get: (_, key) => void touched.push(key),
  has: (_, key) => touched.push(key) < 0,
  getOwnPropertyDescriptor: (_, key) => void touched.push(key),
});
const trapped = (values: Readonly<Record<string, unknown>>) =>
  Object.assign(Object.create(trap) as object, values) as Readonly<Record<string, unknown>>;
const sent: fc.Arbitrary<Readonly<Record<string, unknown>>> = fc.record(
  {
    color: fc.constantFrom('red', 'blue', 3),
    memo: fc.string(),
    count: fc.oneof(fc.maxSafeInteger(), fc.double(), fc.constant(null)),
    agree: fc.boolean(),
    tops: fc.array(fc.string()),
    day: fc.constantFrom('2026-08-10', '2026-02-30', ''),
    at: fc.constantFrom('2026-08-10T10:00:00Z', 'soon'),
    wantedAt: fc.constantFrom('2026-08-10', 'soon', 7),
  },
  { requiredKeys: [] },
);
const scopes: fc.Arbitrary<Scope> = fc
  .record({ given: sent, showAt: fc.constantFrom('2026-08-01T19:00:00+09:00', 'x'), stay: fc.boolean() })
  .map(({ given, showAt, stay }) => ({
    ...scope,
    inputs: trapped(given),
    item: {
      ...scope.item,
      option: trapped({ showAt, seat: 'A1' }),
      stay: stay ? { checkIn: '2026-07-31', checkOut: '2026-08-02', nights: 2 } : null,
    },
  }));
const objectPrototype = Reflect.ownKeys(Object.prototype).length;
afterAll(() => {
  expect(touched).toEqual([]);
  expect(Reflect.ownKeys(Object.prototype)).toHaveLength(objectPrototype);
});

const typeOf = { bool: 'boolean', int: 'number', time: 'number' } as const;
/** A source never does anything but give what the check says, or fail in our own words. It answers its type where it has one. */
function typeIfSound(source: string, given: Scope): ExpressionType | null {
  const type = TYPES.find((wanted) => expressions.check(source, wanted) === null) ?? null;
  const problem = expressions.check(source, 'bool');
  if (problem?.range) {
    const { start, end } = problem.range;
    expect(start >= 0 && start <= end && end <= source.length).toBe(true);
  }
  expressions.readsUnguarded(source);
  try {
    const value = expressions.evaluate(source, given);
    expect(type).not.toBeNull();
    expect(typeof value).toBe(typeOf[type!]);
    if (typeof value === 'number') expect(Number.isSafeInteger(value)).toBe(true);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    // What passes the check fails for what it reads only.
    if (type !== null) expect(error.code).toMatch(/^EXPRESSION_(?:ABSENT|OVERFLOW|DIVISION_BY_ZERO|VALUE)$/);
  }
  return type;
}

const TOKENS = [
  ...'+ - * / % < <= > >= == != in && || ! ? : ( ) [ ] { } , . // \n \\ " \' `'.split(' '),
  ...'true false null 0 1 -1 1.5 1e9 0x1F 9223372036854775807 99999999999999999999 1u b"a" r"a" "" "red" "24h" "09:30" "12-20" "2026-08-10"'.split(
    ' ',
  ),
  ...'now item item.inputs.color item.inputs.count item.inputs.wantedAt item.option.showAt item.stay item.stay.nights order.paidAt'.split(
    ' ',
  ),
  ...'claim.reason refundable state.enteredAt showFee peak x __proto__ constructor prototype cel google int type'.split(' '),
  ...'pct( daysUntil( atTime( dayOfWeek( isHoliday( inRanges( lookupStep( min( max( duration( time( has( size('.split(' '),
  ...'.map(x, .all(x, .filter( .exists_one( .matches( .size() .join( .?a [?0] cel.bind(x, dyn( timestamp( optional.of('.split(' '),
];

describe('hostile sources', () => {
  test('any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), scopes, (source, given) => void typeIfSound(source, given)),
      { numRuns: 1000 },
    );
  });
  test('any sequence of what the language is made of', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...TOKENS), { maxLength: 25 }),
        scopes,
        (tokens, given) => void typeIfSound(tokens.join(' '), given),
      ),
      { numRuns: 2000 },
    );
  });
  test('one thing again and again, to the longest text', () => {
    for (const token of TOKENS) for (const between of ['', ' ']) typeIfSound(Array(500).fill(token).join(between).slice(0, 1000), scope);
  });
});

/** Sources of a wanted type, most of them right; `depth` bounds what `letrec` would make endless. */
const written = fc.letrec<Record<'bool' | 'int' | 'time' | 'string' | 'list' | 'duration', string>>((tie) => {
  const join = (...parts: (string | fc.Arbitrary<string>)[]) =>
    fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((texts) => texts.join(''));
  const [bool, int, time] = [tie('bool'), tie('int'), tie('time')];
  const [string, list, duration] = [tie('string'), tie('list'), tie('duration')];
  const choice = (type: fc.Arbitrary<string>) => join('(', bool, ' ? ', type, ' : ', type, ')');
  const one = (...sources: fc.Arbitrary<string>[]) => fc.oneof({ depthSize: 'small', withCrossShrink: true }, ...sources);
  const compare = fc.constantFrom(' < ', ' <= ', ' > ', ' >= ', ' == ', ' != ');
  return {
    bool: one(
      fc.constantFrom('true', 'false', 'item.inputs.agree', 'has(item.inputs.count)', 'has(item.stay)', 'has(item.option.seat)'),
      join('(', bool, fc.constantFrom(' && ', ' || '), bool, ')'),
      join('!', bool),
      join('(', int, compare, int, ')'),
      join('(', time, compare, time, ')'),
      join('(', duration, compare, duration, ')'),
      join('(', string, ' in ', list, ')'),
      join('(', int, ' in [', int, ', ', int, '])'),
      join('isHoliday(', time, ')'),
      join('inRanges(', time, ', peak)'),
      join('inRanges(', time, ', [{"from": "12-01", "to": ', string, '}])'),
      choice(bool),
    ),
    int: one(
      fc.constantFrom(
        '0',
        '2',
        '9223372036854775807',
        'refundable',
        'item.quantity',
        'item.inputs.count',
        'item.stay.nights',
        'claim.quantity',
      ),
      join('(', int, fc.constantFrom(' + ', ' - ', ' * ', ' / ', ' % '), int, ')'),
      join('-', int),
      join('pct(', int, ', ', int, ')'),
      join('pct(', int, ', 12.5)'),
      join('daysUntil(', time, ')'),
      join('dayOfWeek(', time, ')'),
      join('lookupStep(showFee, ', int, ')'),
      join('lookupStep([{"days": ', int, ', "value": ', int, '}], ', int, ')'),
      join(fc.constantFrom('min(', 'max('), int, ', ', int, ')'),
      join('size(', string, ')'),
      join('size(', list, ')'),
      choice(int),
    ),
    time: one(
      fc.constantFrom(
        'now',
        'order.paidAt',
        'item.inputs.day',
        'item.inputs.at',
        'item.inputs.wantedAt',
        'item.option.showAt',
        'item.stay.checkIn',
      ),
      join('(', time, fc.constantFrom(' + ', ' - '), duration, ')'),
      join('atTime(', time, ', ', string, ')'),
      join('time(', string, ')'),
      join('max(', time, ', ', time, ')'),
      choice(time),
    ),
    string: one(
      fc.constantFrom('"09:30"', '"12-24"', '"2026-08-10"', 'item.inputs.color', 'item.inputs.memo', 'item.option.seat', 'claim.reason'),
      join('(', string, ' + ', string, ')'),
      choice(string),
    ),
    list: one(fc.constantFrom('[]', 'item.inputs.tops', '["a", "b"]'), join('(', list, ' + [', string, '])'), choice(list)),
    duration: one(
      fc.constantFrom('duration("24h")', 'duration("-90s")', 'duration("99999h59m")'),
      join('(', time, ' - ', time, ')'),
      join('(', duration, fc.constantFrom(' + ', ' - '), duration, ')'),
    ),
  };
});

test.each(TYPES)('what is written as %s gives that, or fails in our own words', (type) => {
  const types: (ExpressionType | null)[] = [];
  fc.assert(
    fc.property(written[type], scopes, (source, given) => {
      const found = typeIfSound(source, given);
      types.push(found);
      if (found !== null) expect(found).toBe(type);
    }),
    { numRuns: 700 },
  );
  // Written values that are wrong, and too much at once, are refused; a good part is not.
  expect(types.filter((found) => found !== null).length).toBeGreaterThan(types.length / 4);
});
