import { describe, expect, test } from '@jest/globals';
import { compileExpressions } from '../../../../domain/flows/expressions/compile.ts';
import { ExpressionError } from '../../../../domain/flows/expressions/errors.ts';
import { FUNCTIONS, VARIABLES } from '../../../../domain/flows/expressions/language.ts';
import { tableProblems } from '../../../../domain/flows/expressions/tables.ts';
import { inputs, kst, scope, tables, withInputs, withOption, withStay } from './fixtures.ts';

const expressions = compileExpressions(tables, inputs);
const value = (source: string, given = scope) => {
  try {
    return expressions.evaluate(source, given);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.code.replace('EXPRESSION_', '');
  }
};

describe('functions', () => {
  test.each([
    ['pct(999, 10)', 99],
    ['pct(1000, 12.5)', 125],
    ['pct(1000, 0.05)', 0],
    ['pct(2000, 0.05)', 1],
    ['pct(-5, 50)', -3],
    ['pct(9007199254740991, 100)', 9_007_199_254_740_991],
    ['pct(100, item.quantity * 51)', 'VALUE'],
    ['dayOfWeek(time("2026-11-22"))', 0],
    ['dayOfWeek(time("2026-11-28"))', 6],
    ['dayOfWeek(time("1969-12-28"))', 0],
    ['dayOfWeek(time("2026-11-21T15:00:00Z"))', 0],
    ['daysUntil(now)', 0],
    ['daysUntil(atTime(now, "23:59"))', 0],
    ['daysUntil(atTime(now, "23:59") + duration("1m"))', 1],
    ['daysUntil(now - duration("24h"))', -1],
    ['atTime(time("2026-11-21T15:00:00Z"), "09:30")', kst('2026-11-22T09:30')],
    ['atTime(now, item.inputs.color)', 'ABSENT'],
    ['isHoliday(time("2026-12-25T23:59:59+09:00"))', true],
    ['isHoliday(time("2026-12-26"))', false],
    ['inRanges(time("2026-02-29"), peak)', 'LITERAL'],
    ['inRanges(time("2028-02-29"), [{"from": "02-29", "to": "02-29"}])', true],
    ['lookupStep(showFee, 8)', 10],
    ['lookupStep(showFee, -3)', 90],
    ['lookupStep([{"days": 3, "value": item.quantity}, {"value": 7, "days": 1}], 5)', 2],
    ['min(3, 2) + max(3, 2)', 5],
    ['min(now, state.enteredAt)', kst('2026-07-20T10:00')],
    ['max(now, state.enteredAt) == now', true],
    ['now - state.enteredAt > duration("119h59m59s")', true],
    ['now - state.enteredAt == duration("120h")', true],
    ['state.enteredAt - now + duration("120h") == duration("0s")', true],
    ['now + duration("-90s") < now', true],
    ['time("2026-07-25T10:00:00.5+09:00") - now + (now - time("2026-07-25T10:00:00.6+09:00")) < duration("0s")', true],
    ['size("가나다") + size([1, 2])', 5],
    ['time("2026-08-10t10:00z")', kst('2026-08-10T19:00')],
    ['time("2026-08-10T10:00:00.123456789+09:00")', kst('2026-08-10T10:00:00.123')],
    ['time("1900-01-01")', kst('1900-01-01T00:00')],
    ['time("1900-01-01T00:00:00+10:00")', 'LITERAL'],
    ['time("9998-12-31T23:59:59-05:00")', 'LITERAL'],
    ['time("1899-12-31")', 'LITERAL'],
    ['time("9998-12-31T" + "23:59:59-05:00")', 'VALUE'],
    ['claim.reason == "CHANGE_OF_MIND" && claim.quantity < item.quantity', true],
    ['item.unitPrice * item.activeQuantity == order.totalAmount', true],
  ])('%s', (source, expected) => {
    expect(value(source)).toBe(expected);
  });
});

describe('failures', () => {
  test.each([
    ['9223372036854775807 + 1', 'OVERFLOW'],
    ['-9223372036854775807 - 2', 'OVERFLOW'],
    ['order.totalAmount * 9223372036854775807', 'OVERFLOW'],
    ['9007199254740992', 'OVERFLOW'],
    ['-(-9223372036854775807 - 1)', 'OVERFLOW'],
    ['now + duration("99999h999999m99999999s") + duration("99999h999999m99999999s")', kst('2026-07-25T10:00') + 2 * 519_996_339_000],
    ['time("9998-12-31") + duration("24h")', 'OVERFLOW'],
    ['time("1900-01-01") - duration("1s")', 'OVERFLOW'],
    ['1 / (item.quantity - 2)', 'DIVISION_BY_ZERO'],
    ['1 % (item.quantity - 2)', 'DIVISION_BY_ZERO'],
    ['item.inputs.count', 'ABSENT'],
    ['item.inputs.wantedAt', 'ABSENT'],
    ['item.option.showAt', 'ABSENT'],
    ['item.option.seat == "A1"', 'ABSENT'],
    ['item.stay.checkIn', 'ABSENT'],
    ['has(item.stay)', false],
    ['item.inputs.count == 3 || true', true],
    ['item.inputs.count == 3 && false', false],
    ['now', kst('2026-07-25T10:00')],
  ])('%s', (source, expected) => {
    expect(value(source)).toBe(expected);
  });
  test('without a claim there is neither claim nor what it refunds', () => {
    const { refundable: _, claim: __, ...given } = scope;
    expect([value('refundable', given), value('claim.quantity', given)]).toEqual(['ABSENT', 'ABSENT']);
  });
});

describe('what is read', () => {
  test.each([
    ['item.inputs.count', { count: 3 }, 3],
    ['item.inputs.count', { count: '3' }, 'ABSENT'],
    ['item.inputs.count', { count: 1.5 }, 'ABSENT'],
    ['item.inputs.agree', { agree: true }, true],
    ['item.inputs.day', { day: '2026-08-10' }, kst('2026-08-10T00:00')],
    ['item.inputs.at', { at: '2026-08-10T10:00:00Z' }, kst('2026-08-10T19:00')],
    ['item.inputs.wantedAt', { wantedAt: '2026-08-10T10:00:00+09:00' }, kst('2026-08-10T10:00')],
    ['item.inputs.wantedAt', { wantedAt: '2026-08-10' }, kst('2026-08-10T00:00')],
    ['has(item.inputs.wantedAt)', { wantedAt: 'soon' }, false],
    ['"b" in item.inputs.tops', { tops: ['a', 'b'] }, true],
    ['size(item.inputs.photos)', { photos: ['https://a', 'https://b'] }, 2],
    ['item.inputs.tops == []', { tops: [1] }, 'ABSENT'],
    ['has(item.inputs.color)', { color: 'red' }, true],
    ['has(item.inputs.color)', { color: null }, false],
    ['has(item.inputs.color)', Object.create({ color: 'red' }) as Record<string, unknown>, false],
  ])('%s of %j', (source, sent, expected) => {
    expect(value(source, withInputs(sent))).toBe(expected);
  });
  test('options are text as sellers wrote it, showAt a time', () => {
    const given = withOption({ showAt: '2026-08-01T19:00:00+09:00', seat: 'A1', rows: '3' });
    expect(value('item.option.showAt', given)).toBe(kst('2026-08-01T19:00'));
    expect(value('item.option.seat + item.option.rows == "A13"', given)).toBe(true);
    expect(expressions.check('item.option.rows > 2', 'bool')?.code).toBe('EXPRESSION_TYPE');
    expect(value('has(item.option.showAt)', withOption({ showAt: 'tonight' }))).toBe(false);
  });
  test('a declared wantedAt is what its field says', () => {
    const text = compileExpressions({}, { wantedAt: 'text' });
    expect(text.evaluate('item.inputs.wantedAt == "noon"', withInputs({ wantedAt: 'noon' }))).toBe(true);
  });
  test('the nights of a stay', () => {
    expect(value('item.stay.nights * 10', withStay('2026-07-29', '2026-07-22T12:00'))).toBe(10);
  });
});

describe('tables', () => {
  const row = { days: 1, value: 10 };
  test.each([
    ['fee', [row, { days: 0, value: 20 }], null],
    ['fee', [], 'TABLE_INVALID'],
    ['fee', [row, row], 'TABLE_INVALID'],
    ['fee', [row, { from: '01-01', to: '01-02' }], 'TABLE_INVALID'],
    ['fee', [{ days: -1, value: 10 }], 'TABLE_INVALID'],
    ['fee', [{ days: 1, value: 0.5 }], 'TABLE_INVALID'],
    ['fee', Array.from({ length: 101 }, (_, days) => ({ days, value: 1 })), 'TABLE_INVALID'],
    ['fee', [{ days: 1, value: 101 }], 'TABLE_VALUE_RANGE'],
    ['peak', [{ from: '02-29', to: '02-30' }], 'TABLE_INVALID'],
    ['now', [row], 'TABLE_INVALID'],
    ['pct', [row], 'TABLE_INVALID'],
    ['int', [row], 'TABLE_INVALID'],
    ['in', [row], 'TABLE_INVALID'],
    ['a-b', [row], 'TABLE_INVALID'],
    ['__proto__', [row], 'TABLE_INVALID'],
  ])('%s: %j', (name, rows, code) => {
    const given = JSON.parse(`{ ${JSON.stringify(name)}: ${JSON.stringify(rows)} }`) as typeof tables;
    expect(tableProblems(given).map((problem) => problem.code)).toEqual(code ? [code] : []);
    const usable = compileExpressions(given, {}).check(`lookupStep(${name}, 1)`, 'int') === null;
    expect(usable).toBe(code !== 'TABLE_INVALID');
  });
});

test('the documented functions and variables are those that there are', () => {
  const names = FUNCTIONS.map(({ name }) => name);
  expect(names.slice(0, 7)).toEqual(['pct', 'daysUntil', 'atTime', 'dayOfWeek', 'isHoliday', 'inRanges', 'lookupStep']);
  for (const { name } of FUNCTIONS) expect([name, expressions.check(`${name}()`, 'bool')?.code]).toEqual([name, 'EXPRESSION_TYPE']);
  const fixed = VARIABLES.filter(({ name }) => !name.endsWith('*'));
  for (const { name, type } of fixed) {
    const source = type === 'string' ? `size(${name})` : name;
    expect([name, expressions.check(source, type === 'time' ? 'time' : 'int')]).toEqual([name, null]);
  }
});
