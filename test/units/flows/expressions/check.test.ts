import { describe, expect, test } from '@jest/globals';
import { compileExpressions } from '../../../../domain/flows/expressions/compile.ts';
import type { ExpressionProblem } from '../../../../domain/flows/expressions/errors.ts';
import { inputs, scope, tables } from './fixtures.ts';

const expressions = compileExpressions(tables, inputs);
/** The code, and the text that its range marks. */
const problem = (source: string): readonly [string | null, string | null] => {
  const found = expressions.check(source, 'bool');
  return [found?.code.replace('EXPRESSION_', '') ?? null, found?.range ? source.slice(found.range.start, found.range.end) : null];
};

describe('each problem with the place where it stands', () => {
  test.each([
    ['now <', 'SYNTAX', ''],
    ['now < now)', 'SYNTAX', ')'],
    ['"open', 'SYNTAX', '"open'],
    ['true & false', 'SYNTAX', '&'],
    ['', 'SYNTAX', ''],
    ['item.inputs.colour == "red"', 'TYPE', 'colour'],
    ['has(item.inputs.colour)', 'TYPE', 'colour'],
    ['true || refundabel > 0', 'TYPE', 'refundabel'],
    ['true || item.quantty > 0', 'TYPE', 'quantty'],
    ['item.inputs.count == "3"', 'TYPE', 'item.inputs.count == "3"'],
    ['item.inputs.color == null', 'TYPE', 'item.inputs.color == null'],
    ['now', 'TYPE', 'now'],
    ['1 + 1.5 > 2', 'TYPE', '1 + 1.5'],
    ['pct(refundable) > 0', 'TYPE', 'pct(refundable)'],
    ['isHoliday(now) && daysUntil("2026-01-01") > 1', 'TYPE', 'daysUntil("2026-01-01")'],
    ['now < atTime(now, "25:00")', 'LITERAL', '"25:00"'],
    ['now < time("2026-02-30")', 'LITERAL', '"2026-02-30"'],
    ['now < now + duration("P1D")', 'LITERAL', '"P1D"'],
    ['now < now + duration(item.inputs.color)', 'LITERAL', 'duration(item.inputs.color)'],
    ['inRanges(now, [{"from": "13-40", "to": "01-01"}])', 'LITERAL', '"13-40"'],
    ['inRanges(now, [{"from": "02-30", "to": "03-01"}])', 'LITERAL', '"02-30"'],
    ['inRanges(now, [{"from": "12-01"}])', 'LITERAL', '{"from": "12-01"}'],
    ['lookupStep([], 1) > 0', 'LITERAL', '[]'],
    ['pct(refundable, 101) > 0', 'LITERAL', '101'],
    ['pct(refundable, -0.5) > 0', 'LITERAL', '-0.5'],
    ['1 > item.quantity / 0', 'LITERAL', 'item.quantity / 0'],
    ['1 > item.quantity % 0', 'LITERAL', 'item.quantity % 0'],
    ['9223372036854775808 > 1', 'LITERAL', '9223372036854775808'],
    ['item.inputs.memo.matches("(a+)+$")', 'NOT_ALLOWED', 'item.inputs.memo.matches("(a+)+$")'],
    ['[1, 2].exists(x, x > 1)', 'NOT_ALLOWED', '[1, 2].exists(x, x > 1)'],
    ['[1, 2].map(1, 2) == []', 'NOT_ALLOWED', '1'],
    ['cel.bind(x, 1, x > 0)', 'NOT_ALLOWED', 'cel.bind(x, 1, x > 0)'],
    ['dyn(1) == 1', 'NOT_ALLOWED', 'dyn(1)'],
    ['int("1") == 1', 'NOT_ALLOWED', 'int("1")'],
    ['timestamp("2026-01-01T00:00:00Z") == now', 'NOT_ALLOWED', 'timestamp("2026-01-01T00:00:00Z")'],
    ['constructor("x") == 1', 'NOT_ALLOWED', 'constructor("x")'],
    ['type == type', 'NOT_ALLOWED', 'type'],
    ['item.inputs["color"] == "red"', 'NOT_ALLOWED', 'item.inputs["color"]'],
    ['[item.inputs][0].color == "red"', 'NOT_ALLOWED', 'color'],
    ['(true ? item : item).quantity > 1', 'NOT_ALLOWED', 'quantity'],
    ['item.stay == item.stay', 'NOT_ALLOWED', 'stay'],
    ['has(item.stay.checkIn)', 'NOT_ALLOWED', 'has(item.stay.checkIn)'],
    ['has(now)', 'NOT_ALLOWED', 'has(now)'],
    ['{"a": 1} == {"a": 1}', 'NOT_ALLOWED', '{"a": 1}'],
    ['1u > 0u', 'NOT_ALLOWED', '1u'],
    ['b"a" == b"a"', 'NOT_ALLOWED', 'b"a"'],
    ['peak[0].from == "07-15"', 'NOT_ALLOWED', 'from'],
  ] satisfies (readonly [string, string, string])[])('%s', (source, code, mark) => {
    const [found, marked] = problem(source);
    expect(found).toBe(code);
    expect(marked).toBe(mark);
  });

  test('another type than the wanted one', () => {
    const expected: ExpressionProblem = { code: 'EXPRESSION_TYPE', message: 'must give int, gives time', range: { start: 0, end: 3 } };
    expect(expressions.check('now', 'int')).toEqual(expected);
  });
});

describe('bounds', () => {
  test.each([
    ['1,001 characters', `${' '.repeat(997)}true`],
    ['301 nodes', `${'1+'.repeat(150)}1 > 0`],
    ['33 brackets', `${'('.repeat(33)}true${')'.repeat(33)}`],
    ['33 negations', `${'!'.repeat(33)}true`],
    ['400 minus signs', `${'-'.repeat(400)}1 > 0`],
    ['33 dots', `item${'.a'.repeat(33)} > 0`],
    ['101 values', `1 in [${'1,'.repeat(100)}1]`],
  ])('%s are too many', (_, source) => {
    expect(expressions.check(source, 'bool')?.code).toBe('EXPRESSION_NOT_ALLOWED');
  });
  test.each([
    ['1,000 characters', `${' '.repeat(996)}true`],
    ['a chain of 100 sums', `${'1+'.repeat(99)}1 == 100`],
    ['30 brackets', `${'('.repeat(30)}true${')'.repeat(30)}`],
  ])('%s are not', (_, source) => {
    expect(expressions.check(source, 'bool')).toBeNull();
    expect(expressions.evaluate(source, scope)).toBe(true);
  });
});

describe('names of objects of the host', () => {
  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'valueOf'])('%s', (name) => {
    for (const path of ['', 'item.', 'item.inputs.', 'item.stay.', 'order.', 'claim.', 'state.'])
      expect([path, expressions.check(`${path}${name} == ${path}${name}`, 'bool')?.code]).not.toEqual([path, undefined]);
    for (const source of [`item.option.${name} == ""`, `has(item.option.${name})`, `has(item.inputs.${name})`]) {
      if (expressions.check(source, 'bool') === null && source.startsWith('has')) expect(expressions.evaluate(source, scope)).toBe(false);
      else expect(() => expressions.evaluate(source, scope)).toThrow(expect.objectContaining({ name: 'ExpressionError' }));
    }
  });
  test('a graph may call its inputs so', () => {
    const odd = compileExpressions({}, JSON.parse('{ "constructor": "text", "toString": "number", "__proto__": "text" }') as typeof inputs);
    const given = { ...scope, inputs: { toString: 3 } };
    expect(odd.evaluate('item.inputs.toString == 3 && !has(item.inputs.constructor)', given)).toBe(true);
  });
});
