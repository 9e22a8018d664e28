/** Inputs and the addresses of attachments have 64 KiB together, of both sides. */
import { describe, expect, test } from '@jest/globals';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Graph, InputField } from '../../../domain/flows/graph/graph.ts';
import { storedBytes, MAX_INPUT_BYTES } from '../../../domain/flows/run/room.ts';
import { simulate } from '../../../domain/flows/rehearse/simulate.ts';
import { begin, send, type Walk } from './walking.ts';

const field = (key: string): InputField => ({ key, type: 'textarea', label: `label of ${key}`, maxLength: 10_000 });
/** Six actions with 24 fields of 10,000 characters each: the most that one form may ask is beyond the bound already. */
const form = (action: string) => Array.from({ length: 24 }, (_, i) => field(`${action}${i}`));
const graph: Graph = {
  schema: 1,
  start: 'paid',
  states: [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'paid' },
    { id: 'shown', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'shown', attachments: { min: 1, max: 10 } },
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
  ],
  actions: [
    { key: 'a', by: 'seller', label: 'a', input: form('a') },
    { key: 'b', by: 'buyer', label: 'b', input: form('b') },
    { key: 'show', by: 'seller', label: 'show', input: [field('caption')] },
    { key: 'end', by: 'seller', label: 'end' },
  ],
  edges: [
    { id: 'a', from: 'paid', to: 'paid', on: { type: 'seller.action', key: 'a' }, internal: true },
    { id: 'b', from: 'paid', to: 'paid', on: { type: 'buyer.action', key: 'b' }, internal: true },
    ...['paid', 'shown'].map((from) => ({ id: `${from}.show`, from, to: 'shown', on: { type: 'seller.action', key: 'show' } as const })),
    ...['paid', 'shown'].map((from) => ({ id: `${from}.end`, from, to: 'done', on: { type: 'seller.action', key: 'end' } as const })),
  ],
};
const flow = compileFlow({ '': graph });
const filled = (keys: readonly string[], text: string) => Object.fromEntries(keys.map((key) => [key, text]));
const names = (action: string, n: number) =>
  form(action)
    .slice(0, n)
    .map(({ key }) => key);
const acts = (walk: Walk, type: 'seller.action' | 'buyer.action', key: string, input: object, attachments: readonly string[] = []) =>
  send(walk, { type, key, input: input as Record<string, unknown>, attachments }, { uploads: new Set(attachments) });
const issuesOf = (result: ReturnType<typeof send>) => ('issues' in result ? result.issues : result);
/** 7,000 bytes each: nine of them fit. */
const LONG = '가'.repeat(2330);

test('the field that passes the bound is told, with the other problems, and nothing is kept', () => {
  const walk = begin(flow);
  const { state } = walk;
  const result = acts(walk, 'seller.action', 'a', { ...filled(names('a', 12), LONG), a3: 7, a10: 'x'.repeat(10_001), other: 1 });
  expect(issuesOf(result)).toEqual([
    { key: 'a3', name: 'label of a3', reason: 'INVALID' },
    { key: 'a10', name: 'label of a10', reason: 'TOO_LONG' },
    { key: 'a11', name: 'label of a11', reason: 'TOO_LONG' },
    { key: 'other', name: 'other', reason: 'INVALID' },
  ]);
  expect(walk.state).toBe(state);
});

test('what both sides have sent counts together, replaced values count once', () => {
  const walk = begin(flow);
  expect(acts(walk, 'seller.action', 'a', filled(names('a', 6), LONG)).ok).toBe(true);
  expect(acts(walk, 'seller.action', 'a', filled(names('a', 6), LONG)).ok).toBe(true);
  expect(issuesOf(acts(walk, 'buyer.action', 'b', filled(names('b', 4), LONG)))).toEqual([
    { key: 'b3', name: 'label of b3', reason: 'TOO_LONG' },
  ]);
  expect(acts(walk, 'buyer.action', 'b', filled(names('b', 3), LONG)).ok).toBe(true);
  expect(storedBytes(walk.state)).toBeLessThanOrEqual(MAX_INPUT_BYTES);
});

describe('attachments', () => {
  const addresses = (n: number, of: number) => Array.from({ length: 10 }, (_, i) => `https://shop.example/${of}/${i}`.padEnd(n, 'x'));
  test('count too, the earlier ones as well, and are told under `attachments`', () => {
    const walk = begin(flow);
    for (let i = 0; i < 6; i++) expect(acts(walk, 'seller.action', 'show', {}, addresses(1000, i)).ok).toBe(true);
    const before = walk.state;
    expect(issuesOf(acts(walk, 'seller.action', 'show', { caption: '가'.repeat(5300) }, addresses(1000, 6)))).toEqual([
      { key: 'caption', name: 'label of caption', reason: 'TOO_LONG' },
    ]);
    expect(issuesOf(acts(walk, 'seller.action', 'show', { caption: 'x'.repeat(6000) }, addresses(1000, 6)))).toEqual([
      { key: 'attachments', name: 'attachments', reason: 'TOO_LONG' },
    ]);
    expect(walk.state).toBe(before);
    // The eleventh to the sixtieth are kept: as many as come go.
    expect(acts(walk, 'seller.action', 'show', {}, addresses(900, 7)).ok).toBe(true);
    expect(storedBytes(walk.state)).toBeLessThanOrEqual(MAX_INPUT_BYTES);
  });
  test('that are no uploads are refused as that', () => {
    const walk = begin(flow);
    const foreign = Array.from({ length: 100 }, (_, i) => `https://x.example/${i}`.padEnd(2000, 'x'));
    expect(send(walk, { type: 'seller.action', key: 'show', attachments: foreign })).toMatchObject({ reason: 'ATTACHMENTS_INVALID' });
  });
});

test('a flow that keeps more, of before there was a bound, goes on, and may keep less', () => {
  const walk = begin(flow);
  walk.state = { ...walk.state, inputs: { ...filled(names('a', 20), LONG), b0: LONG }, buyerKeys: ['b0'] };
  expect(issuesOf(acts(walk, 'buyer.action', 'b', { b0: `${LONG}x` }))).toMatchObject([{ key: 'b0', reason: 'TOO_LONG' }]);
  expect(acts(walk, 'buyer.action', 'b', { b0: LONG }).ok).toBe(true);
  expect(acts(walk, 'seller.action', 'a', filled(names('a', 12), LONG)).ok).toBe(true);
  expect(acts(walk, 'seller.action', 'end', {}).ok).toBe(true);
});

test('a simulation refuses it alike', () => {
  const [, refused] = simulate(flow, {
    steps: [{ event: { type: 'start' } }, { event: { type: 'seller.action', key: 'a', input: filled(names('a', 10), LONG) } }],
    at: 0,
    item: { quantity: 1, unitPrice: 1, option: {}, stay: null },
    paidAt: 0,
    settings: { autoDeliverDays: 7, autoConfirmDays: 7 },
    holidays: new Set(),
    results: {},
    claim: {},
  });
  expect(refused!.refusal).toMatchObject({ code: 'FLOW_ACTION_INPUT_INVALID', issues: [{ key: 'a9', reason: 'TOO_LONG' }] });
});
