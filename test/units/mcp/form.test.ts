import { expect, test } from '@jest/globals';
import { fitsForm, isConfirmed, messageOf, showsForms } from '../../../api/mcp/form.ts';
import type { Change } from '../../../domain/audit/changes.ts';

const SENT = { params: {}, query: {}, body: {}, unshown: [] as string[], digest: 'd' };
const message = (changes: readonly Change[], note = '', facts: object = {}, request: object = SENT) =>
  messageOf(
    {
      approvalId: 'apr_1',
      operationId: 'products.patch',
      actorName: 'robot',
      preview: { operationId: 'products.patch', target: { type: 'PRODUCT', id: 'prd_1' }, changes, facts, request },
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
  const of = (changes: readonly Change[], facts: object = {}, request: object | undefined = SENT) =>
    ({ preview: { operationId: 'x', target: null, changes, facts, request } }) as never;
  const lines = (n: number) => Array.from({ length: n }, (_, i) => ({ field: `f${i}`, before: 0, after: 1 }));
  expect([fitsForm(of(lines(99), { refundAmount: 1 })), fitsForm(of(lines(100), { refundAmount: 1 }))]).toEqual([true, false]);
  const text = (n: number) => [{ field: 'name', before: null, after: 'x'.repeat(n) }];
  expect([fitsForm(of(text(198))), fitsForm(of(text(199))), fitsForm(of([], { ids: 'x'.repeat(199) }))]).toEqual([true, false, false]);
  expect(message(text(199))).toContain('x…');
  const steps = (n: number) => ({ steps: Array.from({ length: n }, () => ({ edges: ['a'], jobs: ['b'] })) });
  expect([fitsForm(of([], steps(50))), fitsForm(of([], steps(51)))]).toEqual([true, false]);
  expect(fitsForm(of([], { stepsTruncated: true }))).toBe(false);
});
test('a form names what was sent, or is not shown: two requests never look alike', () => {
  const sent = { ...SENT, params: { orderItemId: 'oit_1', key: 'ship' }, query: { dry: 1 }, body: { holdRefund: true, to: { zip: '1' } } };
  expect(
    message([], '', { steps: [{ edges: ['toA'], to: ['a'] }] }, sent)
      .split('\n')
      .slice(2),
  ).toEqual([
    '- steps[0].edges: ["toA"]',
    '- steps[0].to: ["a"]',
    '- request.params.orderItemId: "oit_1"',
    '- request.params.key: "ship"',
    '- request.query.dry: 1',
    '- request.body.holdRefund: true',
    '- request.body.to.zip: "1"',
  ]);
  const fits = (request: object | null) =>
    fitsForm({ preview: { operationId: 'x', target: null, changes: [], facts: {}, request } } as never);
  expect([fits(sent), fits({ ...sent, unshown: ['input'] }), fits({ ...sent, body: { a: 'x'.repeat(199) } }), fits(null)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
test.each([
  ['line separators', '\u2028\u2029\u0085\u000b\u000c'],
  ['odd spaces', '\u00a0\u1680\u2000\u2003\u200a\u202f\u205f\u3000'],
  ['what is invisible', '\u200b\u2060\ufeff\u00ad\u034f\u115f\u1160\u17b4\u3164\uffa0\u2800\u{e0041}'],
  ['marks of direction', '\u061c\u200e\u200f\u202a\u202e\u2066\u2069'],
])('%s neither break a line of the form nor pass for its end', (_, characters) => {
  const hostile = Array.from(characters)
    .map((one) => `x${one}- salePrice: 1 → 1`)
    .join('');
  const whole = message([{ field: hostile.slice(0, 150), before: hostile.slice(0, 150), after: 1 }], hostile, {
    [`f${characters}`]: characters,
  });
  expect(Array.from(characters).filter((one) => whole.includes(one))).toEqual([]);
  expect(whole.split('\n')).toHaveLength(5);
  expect(whole).toContain('\ufffd');
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
