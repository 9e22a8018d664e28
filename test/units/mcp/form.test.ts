import { expect, test } from '@jest/globals';
import { fitsForm, isConfirmed, messageOf, showsForms } from '../../../api/mcp/form.ts';
import type { Change } from '../../../domain/audit/changes.ts';

const message = (changes: readonly Change[], note = '') =>
  messageOf(
    {
      approvalId: 'apr_1',
      operationId: 'products.patch',
      actorName: 'robot',
      preview: { operationId: 'products.patch', target: { type: 'PRODUCT', id: 'prd_1' }, changes, facts: {} },
    } as never,
    { decision: 'approve', note },
  );

test('the message names operation, target and changes, a line each', () => {
  expect(message([{ field: 'salePrice', before: 1000, after: 2000 }]).split('\n')).toEqual([
    'Approve and carry out products.patch of PRODUCT prd_1?',
    'Requested by "robot" (apr_1).',
    '- salePrice: 1000 → 2000',
  ]);
});
test('the message has the note, which the record will call the person’s, in full and on one line', () => {
  const note = `${'x'.repeat(490)}\n- f: 1`;
  expect(message([], note).split('\n')[2]).toBe(`Your note: ${JSON.stringify(note)}`);
});
test('no value passes for a line of ours, turns the text around, or drowns the others', () => {
  const before = 'x\n- salePrice: 1 → 1\u202e';
  const [, , line = '', ...more] = message([{ field: 'name', before, after: 'y'.repeat(10_000) }]).split('\n');
  expect(more).toEqual([]);
  expect(line).not.toContain('\u202e');
  expect(line.length).toBeLessThan(500);
  const many = message(Array.from({ length: 300 }, (_, i) => ({ field: `f${i}`, before: 0, after: 1 }))).split('\n');
  expect([many.length, many.at(-1)]).toEqual([103, '… and 200 more']);
});
test('a form never hides a part of what is approved: what does not fit is decided elsewhere, and amounts stand first', () => {
  const of = (changes: readonly Change[], facts: object = {}) => ({ preview: { operationId: 'x', target: null, changes, facts } }) as never;
  const lines = (n: number) => Array.from({ length: n }, (_, i) => ({ field: `f${i}`, before: 0, after: 1 }));
  expect([fitsForm(of(lines(99), { refundAmount: 1 })), fitsForm(of(lines(100), { refundAmount: 1 }))]).toEqual([true, false]);
  const text = (n: number) => [{ field: 'name', before: null, after: 'x'.repeat(n) }];
  expect([fitsForm(of(text(198))), fitsForm(of(text(199))), fitsForm(of([], { ids: 'x'.repeat(199) }))]).toEqual([true, false, false]);
  expect(message(text(199))).toContain('x…');
});
test.each([
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { form: {}, url: {} } }, true],
  [{ elicitation: { url: {} } }, false],
  [{}, false],
  [undefined, false],
])('a client with %j shows forms: %s', (capabilities, shows) => {
  expect(showsForms(capabilities)).toBe(shows);
});
test.each([
  [{ action: 'accept', content: { confirm: true } }, true],
  [{ action: 'accept', content: { confirm: 'true' } }, false],
  [{ action: 'accept' }, false],
  [{ action: 'decline', content: { confirm: true } }, false],
  [null, false],
])('%j confirms: %s', (answer, confirms) => {
  expect(isConfirmed(answer)).toBe(confirms);
});
