/** A flow with every type of node, and what is published beside it. */
import type { Bundle, Graph } from '../../../../domain/flows/graph/graph.ts';
import type { CheckContext } from '../../../../domain/flows/check/checkGraph.ts';
import { PLATFORM_FIELDS } from '../../../../domain/orders/platform.ts';
import { onBuyer, onElapsed, onResult, onSeller } from '../../../../domain/flows/presets/parts.ts';

/** Everything of a graph may be changed. */
export type Open<T> = T extends readonly (infer Item)[] ? Open<Item>[] : T extends object ? { -readonly [K in keyof T]: Open<T[K]> } : T;

export const sample: Graph = {
  schema: 1,
  start: 'paid',
  tables: { fees: [{ days: 3, value: 10 }], season: [{ from: '07-15', to: '08-24' }] },
  states: [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'paid', deadlines: [{ key: 'late', after: 'P1D' }] },
    {
      id: 'split',
      type: 'parallel',
      branches: [
        { key: 'a', start: 'pack' },
        { key: 'b', start: 'bill' },
      ],
      join: 'joined',
      deadline: 'P7D',
    },
    {
      id: 'pack',
      type: 'state',
      status: 'CONFIRMED',
      step: 'SELLER_PROCESSING',
      label: 'pack',
      deadlines: [{ key: 'late', after: 'P1D' }],
    },
    {
      id: 'bill',
      type: 'external',
      status: 'CONFIRMED',
      secret: 'service',
      method: 'POST',
      path: '/',
      body: { id: '{{item.id}}' },
      timeoutSeconds: 5,
    },
    { id: 'joined', type: 'join' },
    { id: 'visit', type: 'call', flow: 'visit' },
    {
      id: 'review',
      type: 'state',
      status: 'DELIVERED',
      step: 'BUYER_ACTION',
      label: 'review',
      message: '{{inputs.score}}',
      deadlines: [{ key: 'over', setting: 'autoConfirmDays' }],
      permissions: {
        returnRequest: { within: 'P7D', deduct: 'pct(refundable, lookupStep(fees, 2))' },
        buyerCancel: { until: 'order.paidAt', fee: { type: 'ratio', percent: 10 } },
      },
    },
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
    { id: 'canceled', type: 'end', outcome: 'CANCELED', label: 'canceled' },
  ],
  actions: [
    { key: 'accept', by: 'seller', label: 'accept', platform: 'confirm' },
    { key: 'refuse', by: 'seller', label: 'refuse' },
    {
      key: 'rate',
      by: 'buyer',
      label: 'rate',
      input: [
        { key: 'kind', type: 'select', label: 'kind', options: ['GOOD', 'BAD'], required: true },
        { key: 'score', type: 'number', label: 'score', required: true },
        { key: 'why', type: 'text', label: 'why', when: { key: 'kind', in: ['BAD'] } },
      ],
    },
  ],
  edges: [
    onSeller('paid', 'accept', 'split'),
    onSeller('paid', 'refuse', 'canceled', { run: [{ type: 'notify', name: 'refused', to: 'buyer', message: '{{item.id}}' }] }),
    onElapsed('paid', 'late', 'canceled'),
    onElapsed('pack', 'late', 'joined'),
    ...(['success', 'skipped', 'failed'] as const).map((value) => onResult('bill', value, 'joined')),
    onResult('joined', 'joined', 'visit'),
    onResult('split', 'timeout', 'review'),
    onResult('visit', 'completed', 'review'),
    onResult('visit', 'canceled', 'canceled'),
    onBuyer('review', 'rate', 'done', { when: 'item.inputs.score > 0' }),
    onElapsed('review', 'over', 'done'),
  ],
};

const called = (more: Partial<Graph> = {}): Graph => ({
  schema: 1,
  start: 'paid',
  states: [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'paid', deadlines: [{ key: 'on', after: 'P1D' }] },
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
  ],
  actions: [],
  edges: [onElapsed('paid', 'on', 'done')],
  ...more,
});
const chain = (length: number): Bundle =>
  Object.fromEntries(
    Array.from({ length }, (_, i) => [i === 0 ? '' : `link${i}@1`, i + 1 === length ? called() : linked(`link${i + 1}@1`)]),
  );
const linked = (flow: string): Graph => ({
  ...called(),
  states: [...called().states, { id: 'inner', type: 'call', flow }],
  edges: [onElapsed('paid', 'on', 'inner'), onResult('inner', 'completed', 'done'), onResult('inner', 'canceled', 'done')],
});
const many = Array.from({ length: 292 }, (_, i) => ({ id: `end${i}`, type: 'end' as const, outcome: 'COMPLETED' as const, label: 'end' }));
/** It cannot finish without an action that can be taken once in all. */
const once = called({
  actions: [{ key: 'go', by: 'seller', label: 'go', maxUses: 1 }],
  edges: [onSeller('paid', 'go', 'done')],
});
const FLOWS: Readonly<Record<string, Bundle | null>> = {
  visit: { '': called() },
  draft: null,
  grouped: { '': called({ requires: { progression: 'ORDER_GROUP' } }) },
  circle: { '': linked('sample@3'), 'sample@3': called() },
  chain5: chain(5),
  chain6: chain(6),
  large: { '': called({ states: [...called().states, ...many] }) },
  once: { '': once },
};
export const context: CheckContext = {
  key: 'sample',
  published: (key) => {
    const bundle = Object.hasOwn(FLOWS, key) ? FLOWS[key]! : null;
    return { exists: Object.hasOwn(FLOWS, key), version: bundle && 2, bundle };
  },
  secrets: new Set(['service']),
  platformFields: PLATFORM_FIELDS,
};
