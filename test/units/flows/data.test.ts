/** How much data a flow keeps, and which numbers. */
import { expect, test } from '@jest/globals';
import { MAX_DATA_BYTES, numberProblems } from '../../../domain/flows/run/data.ts';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { onResult } from '../../../domain/flows/presets/parts.ts';
import { answers, begin, send, type Walk } from './walking.ts';

/** paid takes any number of events custom.note, and custom.ask leads to a service whose answer is kept. */
const graph: Graph = {
  schema: 1,
  start: 'paid',
  states: [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'paid' },
    { id: 'asked', type: 'external', status: 'PAID', secret: 's', method: 'POST', path: '/', timeoutSeconds: 5, saveAs: 'answer' },
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
  ],
  actions: [],
  edges: [
    { id: 'note', from: 'paid', to: 'paid', on: { type: 'event', name: 'custom.note' }, internal: true },
    { id: 'ask', from: 'paid', to: 'asked', on: { type: 'event', name: 'custom.ask' } },
    ...(['success', 'skipped', 'failed'] as const).map((value) => onResult('asked', value, 'done')),
  ],
};
const note = (walk: Walk, data: Readonly<Record<string, unknown>>) => send(walk, { type: 'event', name: 'custom.note', data });
const bytesOf = ({ state }: Walk) => Buffer.byteLength(JSON.stringify(state.data));

test('all blocks together have at most 128 KiB; what would be more is refused and keeps nothing', () => {
  const walk = begin(compileFlow({ '': graph }));
  for (let i = 0; i < 8; i++) expect(note(walk, { [`block${i}`]: '가'.repeat(5400) }).ok).toBe(true);
  const { state } = walk;
  expect(note(walk, { more: '가'.repeat(5400) })).toEqual({ ok: false, code: 'VALIDATION_FAILED', reason: 'TOO_LONG' });
  expect(walk.state).toBe(state);
  expect(bytesOf(walk)).toBeLessThanOrEqual(MAX_DATA_BYTES);
  // A block that replaces another one takes its place.
  expect(note(walk, { block0: '가'.repeat(5400) }).ok).toBe(true);
  expect(send(walk, { type: 'event', name: 'custom.other', data: { more: 'x'.repeat(MAX_DATA_BYTES) } })).toMatchObject({
    reason: 'NOT_IN_STATE',
  });
});

test('a flow that keeps more, of before there was a limit, may keep less', () => {
  const walk = begin(compileFlow({ '': graph }));
  walk.state = { ...walk.state, data: { one: 'x'.repeat(MAX_DATA_BYTES), two: 'x'.repeat(1000) } };
  expect(note(walk, { two: {} }).ok).toBe(true);
  expect(note(walk, { three: 'x' }).ok).toBe(false);
});

test('an answer for which there is no room is a success without data', () => {
  const walk = begin(compileFlow({ '': graph }));
  note(walk, { block: 'x'.repeat(MAX_DATA_BYTES - 100) });
  send(walk, { type: 'event', name: 'custom.ask' });
  const [success] = answers(walk);
  expect(send(walk, { ...success!, data: { text: 'x'.repeat(100) } } as typeof success & object).ok).toBe(true);
  expect(walk.state).toMatchObject({ done: 'COMPLETED' });
  expect(Object.keys(walk.state.data!)).toEqual(['block']);
});

test('numbers that would be told with hundreds of digits are found, each by its field', () => {
  expect(numberProblems({ a: [1, { b: 1e308 }], c: -1e-30, d: 1e20, e: 0, f: '1e308' }, 'data').map(({ field }) => field)).toEqual([
    'data.a[1].b',
    'data.c',
  ]);
});
