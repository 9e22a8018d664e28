/** Which deadline is the date of the automatic decision. */
import { expect, test } from '@jest/globals';
import { decisionAt } from '../../../domain/flows/run/decision.ts';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Deadline, Graph } from '../../../domain/flows/graph/graph.ts';
import { onElapsed, onSeller } from '../../../domain/flows/presets/parts.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { begin, send, START } from './walking.ts';

/** paid → delivered, whose deadlines lead to these nodes. */
const graphOf = (drawn: readonly { readonly to: string; readonly deadline: Deadline }[]): Graph => ({
  schema: 1,
  start: 'paid',
  states: [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'paid' },
    {
      id: 'delivered',
      type: 'state',
      status: 'DELIVERED',
      step: 'DELIVERED',
      label: 'delivered',
      deadlines: drawn.map(({ deadline }) => deadline),
    },
    { id: 'later', type: 'state', status: 'DELIVERED', step: 'DELIVERED', label: 'later' },
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
    { id: 'gone', type: 'end', outcome: 'CANCELED', label: 'gone' },
  ],
  actions: [{ key: 'go', by: 'seller', label: 'go' }],
  edges: [onSeller('paid', 'go', 'delivered'), ...drawn.map(({ deadline: { key }, to }) => onElapsed('delivered', key, to))],
});

test.each([
  [
    'the nearest that leads to a completed end',
    [
      ['P1D', 'later'],
      ['P5D', 'done'],
      ['P3D', 'done'],
    ],
    3,
  ],
  ['none that leads to a canceled end', [['P1D', 'gone']], null],
  ['none that leads to another state', [['P1D', 'later']], null],
] as const)('it is %s', (_, drawn, days) => {
  const walk = begin(compileFlow({ '': graphOf(drawn.map(([after, to], i) => ({ to, deadline: { key: `d${i}`, after } }))) }));
  send(walk, { type: 'seller.action', key: 'go' });
  expect(decisionAt(walk.flow, walk.state)).toBe(days === null ? null : START + days * DAY);
});

test('it is none that is hidden, and the store’s days of decision wherever they lead', () => {
  const hidden = { to: 'done', deadline: { key: 'hidden', after: 'P1D', hidden: true } };
  const days = { to: 'later', deadline: { key: 'days', setting: 'autoConfirmDays' } } as const;
  const walk = begin(compileFlow({ '': graphOf([hidden, days]) }));
  expect(decisionAt(walk.flow, walk.state)).toBeNull();
  send(walk, { type: 'seller.action', key: 'go' });
  expect(decisionAt(walk.flow, walk.state)).toBe(START + 7 * DAY);
});
