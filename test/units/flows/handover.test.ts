/** What a graph declares of a built-in action's fields replaces how they are asked for, not what its endpoint takes. */
import { describe, expect, test } from '@jest/globals';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Graph, InputField } from '../../../domain/flows/graph/graph.ts';
import { onSeller } from '../../../domain/flows/presets/parts.ts';
import { step } from '../../../domain/flows/run/step.ts';
import { PLATFORM_FIELDS } from '../../../domain/orders/platform.ts';
import { begin, FACTS } from './walking.ts';

const of = (platform: 'dispatch' | 'fulfill', input: readonly InputField[]): Graph => ({
  schema: 1,
  start: 'paid',
  states: [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'paid' },
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
  ],
  actions: [{ key: 'go', by: 'seller', label: 'go', platform, input }],
  edges: [onSeller('paid', 'go', 'done')],
});
const issuesOf = (graph: Graph, input: Readonly<Record<string, unknown>>) => {
  const { flow, state, at } = begin(compileFlow({ '': graph }));
  const result = step(flow, state, { type: 'seller.action', key: 'go', input }, at, { ...FACTS, platformFields: PLATFORM_FIELDS });
  return result.ok ? [] : (result.issues ?? []).map(({ key, name, reason }) => [key, name, reason]);
};

describe('a dispatch whose carrier and number the graph declares itself', () => {
  const graph = of('dispatch', [
    { key: 'trackingNumber', type: 'text', label: '송장', maxLength: 10_000 },
    { key: 'carrierCode', type: 'text', label: '회사' },
  ]);
  const COURIER = { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '12-34' };
  test.each([
    ['what the endpoint takes', COURIER, []],
    ['an unknown carrier', { ...COURIER, carrierCode: 'NOPE' }, [['carrierCode', '회사', 'INVALID']]],
    ['a number that is too long', { ...COURIER, trackingNumber: '1'.repeat(41) }, [['trackingNumber', '송장', 'TOO_LONG']]],
    ['a number of other characters', { ...COURIER, trackingNumber: '12 34' }, [['trackingNumber', '송장', 'INVALID']]],
    [
      'neither, for a courier',
      { deliveryMethod: 'COURIER' },
      [
        ['trackingNumber', '송장', 'REQUIRED'],
        ['carrierCode', '회사', 'REQUIRED'],
      ],
    ],
    ['neither, by hand', { deliveryMethod: 'DIRECT' }, []],
    ['both, by hand', { ...COURIER, deliveryMethod: 'DIRECT' }, []],
    ['an unknown carrier, by hand', { deliveryMethod: 'DIRECT', carrierCode: 'NOPE' }, [['carrierCode', '회사', 'INVALID']]],
  ])('%s', (_, input, issues) => expect(issuesOf(graph, input)).toEqual(issues));
});

test('the graph’s own rules come first, and a value that is no text hands nothing over', () => {
  const narrow = of('dispatch', [{ key: 'deliveryMethod', type: 'select', label: '방법', options: ['DIRECT', 'ROBOT'] }]);
  expect(issuesOf(narrow, { deliveryMethod: 'DIRECT' })).toEqual([]);
  expect(issuesOf(narrow, { deliveryMethod: 'NONE' })).toEqual([['deliveryMethod', '방법', 'INVALID']]);
  expect(issuesOf(narrow, { deliveryMethod: 'ROBOT' })).toEqual([['deliveryMethod', '방법', 'INVALID']]);
  expect(issuesOf(narrow, {})).toEqual([]);
  const withNote = of('fulfill', [{ key: 'note', type: 'textarea', label: '메모', maxLength: 10_000 }]);
  expect(issuesOf(withNote, { note: 'x'.repeat(1000) })).toEqual([]);
  expect(issuesOf(withNote, { note: 'x'.repeat(1001) })).toEqual([['note', '메모', 'TOO_LONG']]);
  expect(issuesOf(of('fulfill', [{ key: 'note', type: 'number', label: '좌석' }]), { note: 7 })).toEqual([]);
});
