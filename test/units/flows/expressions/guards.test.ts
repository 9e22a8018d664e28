import { describe, expect, test } from '@jest/globals';
import { compileExpressions } from '../../../../domain/flows/expressions/compile.ts';
import { inputs, SHOW, STAY, tables } from './fixtures.ts';

const expressions = compileExpressions(tables, inputs);

describe('inputs read without has()', () => {
  test.each([
    ['item.inputs.color == "red"', ['color']],
    ['item.inputs.color == "red" && item.inputs.count > 1', ['color', 'count']],
    ['now < item.inputs.wantedAt', ['wantedAt']],
    ['has(item.inputs.color) && item.inputs.color == "red"', []],
    ['item.inputs.color == "red" && has(item.inputs.color)', []],
    ['has(item.inputs.color) && item.inputs.count > 1', ['count']],
    ['!has(item.inputs.color) || item.inputs.color == "red"', []],
    ['has(item.inputs.color) || item.inputs.color == "red"', ['color']],
    ['has(item.inputs.color) ? item.inputs.color == "red" : false', []],
    ['has(item.inputs.color) ? true : item.inputs.color == "red"', ['color']],
    ['!has(item.inputs.color) ? true : item.inputs.color == "red"', []],
    ['has(item.inputs.color) && has(item.inputs.count) ? item.inputs.color == "red" && item.inputs.count > 1 : true', []],
    ['(has(item.inputs.color) || has(item.inputs.count)) && item.inputs.color == "red"', ['color']],
    ['(has(item.inputs.color) || has(item.inputs.color)) && item.inputs.color == "red"', []],
    ['!(!has(item.inputs.color) || now < now) && item.inputs.color == "red"', []],
    ['has(item.inputs.color)', []],
    ['size(item.inputs.tops + ["x"]) > max(1, item.inputs.count)', ['tops', 'count']],
    ['broken(', []],
  ])('%s', (source, read) => {
    expect(expressions.readsUnguarded(source)).toEqual(read);
  });
});

test('what an expression needs to know of holidays and of the claim', () => {
  const needs = [SHOW, STAY, 'isHoliday(now)', 'claim.reason == "DEFECT"', 'now < state.enteredAt', 'broken('].map((source) => [
    expressions.usesHolidays(source),
    expressions.usesClaim(source),
  ]);
  expect(needs).toEqual([
    [false, true],
    [true, true],
    [true, false],
    [false, true],
    [false, false],
    [false, false],
  ]);
});
