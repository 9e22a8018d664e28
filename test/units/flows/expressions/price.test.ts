/** What expressions cost, and what stops them whatever they were thought to cost. */
import { describe, expect, test } from '@jest/globals';
import { compileExpressions } from '../../../../domain/flows/expressions/compile.ts';
import { MAX_EXPRESSION, MAX_STEP, Meter } from '../../../../domain/flows/expressions/meter.ts';
import type { Tables } from '../../../../domain/flows/expressions/types.ts';
import { inputs, scope, withInputs } from './fixtures.ts';

const rows: Tables = {
  year: Array.from({ length: 100 }, () => ({ from: '01-01', to: '01-02' })),
  fee: Array.from({ length: 100 }, (_, days) => ({ days, value: days })),
};
const expressions = compileExpressions(rows, inputs, { tops: 7, photos: 3 });
const many = (times: number, source: string, between: string): string => Array.from({ length: times }, () => source).join(between);

describe('an expression costs one for each node, and one for each row, element or day that it may look at', () => {
  test.each([
    ['now < order.paidAt', 4],
    ['inRanges(now, year)', 3 + 100],
    ['lookupStep(fee, 3)', 3 + 100],
    ['inRanges(now, claim.quantity > 1 ? year : year)', 9 + 100],
    ['lookupStep([{"days": 1, "value": 2}, {"days": 3, "value": 4}], 3)', 13 + 2],
    ['item.quantity in [1, 2, 3]', 7 + 3],
    ['"red" in item.inputs.tops', 5 + 7],
    ['item.inputs.photos == item.inputs.photos', 7 + 3 + 3],
    ['size(item.inputs.tops + item.inputs.photos + item.inputs.tops)', 12 + 10 + 17],
    ['isHoliday(now)', 2 + 1],
    ['daysUntil(atTime(now, "10:00")) + dayOfWeek(now)', 7 + 3],
    [many(49, 'inRanges(now,year)', '||'), 49 * 103 + 48],
    ['1 +', 0],
  ])('%s', (source, price) => {
    expect(expressions.price(source)).toBe(price);
  });
  test('a list whose size nobody tells has as many elements as a form takes', () => {
    expect(compileExpressions(rows, inputs).price('"red" in item.inputs.tops')).toBe(5 + 200);
  });
});

describe('the meter counts what is done, whatever it was thought to cost', () => {
  const spentBy = (source: string, given = scope): number => {
    const meter = new Meter(MAX_STEP);
    expressions.evaluate(source, given, meter);
    return meter.spent;
  };
  test('rows are counted as far as they are looked at', () => {
    expect(spentBy('inRanges(time("2026-01-01"), year)')).toBe(4 + 1);
    expect(spentBy('inRanges(now, year)')).toBe(3 + 100);
    expect(spentBy('lookupStep(fee, 3) > 0')).toBe(5 + 100);
    expect(spentBy('false && inRanges(now, year)')).toBeLessThan(50);
  });
  test('lists count by the values that are there, and texts whose characters are counted by their length', () => {
    expect(spentBy('"red" in item.inputs.tops', withInputs({ tops: Array.from({ length: 500 }, String) }))).toBe(5 + 500);
    expect(spentBy('size(item.inputs.memo) > 0', withInputs({ memo: 'x'.repeat(1600) }))).toBe(6 + 100);
  });
  test('an expression that comes to its end has failed, also where the other side of || would decide', () => {
    const loop = many(40, 'size(item.inputs.memo)<0', '||').slice(0, 36 * 26 - 2);
    const given = withInputs({ memo: 'x'.repeat(10_000) });
    expect(() => expressions.evaluate(loop, given)).toThrow(expect.objectContaining({ code: 'EXPRESSION_TOO_COSTLY' }));
    const rest = new Meter(150);
    expect(() => expressions.evaluate('inRanges(now, year) || inRanges(now, year) || true', scope, rest)).toThrow(
      expect.objectContaining({ code: 'EXPRESSION_TOO_COSTLY' }),
    );
    expect(rest.spent).toBe(150);
  });
  test('a step that has spent everything has no expression that succeeds, and its meter does not go on', () => {
    const meter = new Meter(MAX_STEP);
    const costly = many(49, 'inRanges(now,year)', '||');
    let failed = 0;
    for (let i = 0; i < 100; i++)
      try {
        expressions.evaluate(costly, scope, meter);
      } catch {
        failed++;
      }
    expect(failed).toBeGreaterThan(80);
    expect(meter.spent).toBe(MAX_STEP);
    expect(() => expressions.evaluate('true', scope, meter)).toThrow();
  });
  test('no expression of any length spends more than one may', () => {
    const meter = new Meter(10 * MAX_EXPRESSION);
    expect(() =>
      expressions.evaluate(
        many(60, 'item.inputs.tops', '+').replace(/^/, 'size(') + ') > 0',
        withInputs({ tops: Array.from({ length: 200 }, String) }),
        meter,
      ),
    ).toThrow();
    expect(meter.spent).toBeLessThanOrEqual(MAX_EXPRESSION);
  });
});
