/** What follows a join goes on with the public status that was told last: that of the branch that came last. */
import { expect, test } from '@jest/globals';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Graph, Node, WaitingStatus } from '../../../domain/flows/graph/graph.ts';
import { onElapsed, onResult, onSeller } from '../../../domain/flows/presets/parts.ts';
import { begin, send, type Walk } from './walking.ts';

const state = (id: string, status: WaitingStatus): Node => ({ id, type: 'state', status, step: 'SELLER_PROCESSING', label: id });
const end: Node = { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' };
const called: Graph = {
  schema: 1,
  start: 'inner',
  states: [{ ...state('inner', 'PAID'), deadlines: [{ key: 'on', after: 'P1D' }] } as Node, end],
  actions: [],
  edges: [onElapsed('inner', 'on', 'done')],
};
const split = (id: string, starts: readonly string[], join: string): Node => ({
  id,
  type: 'parallel',
  branches: starts.map((start) => ({ key: start, start })),
  join,
});
const join = (id: string): Node => ({ id, type: 'join' });
/** `split` with two branches, its join, and then a call; `after`: where the call leads. */
const region = (after: string) => ({
  states: [
    split('split', ['made', 'given'], 'joined'),
    state('made', 'CONFIRMED'),
    state('given', 'DELIVERED'),
    join('joined'),
    { id: 'sub', type: 'call', flow: 'sub@1' } as const,
  ],
  edges: [
    onSeller('made', 'second', 'joined'),
    onSeller('given', 'third', 'joined'),
    onResult('joined', 'joined', 'sub'),
    onResult('sub', 'completed', after),
    onResult('sub', 'canceled', after),
  ],
});
const ACTIONS = ['first', 'second', 'third'].map((key) => ({ key, by: 'seller', label: key }) as const);
const statusesOf = ({ effects }: Walk) => effects.flatMap((effect) => (effect.type === 'status' ? [effect.to] : []));
const press = (walk: Walk, ...keys: readonly string[]) => keys.every((key) => send(walk, { type: 'seller.action', key }).ok);

test('a branch that has finished lowers nothing: neither a call nor what is called', () => {
  const graph: Graph = {
    schema: 1,
    start: 'paid',
    states: [state('paid', 'PAID'), ...region('done').states, end],
    actions: ACTIONS,
    edges: [onSeller('paid', 'first', 'split'), ...region('done').edges],
  };
  const walk = begin(compileFlow({ '': graph, 'sub@1': called }));
  expect(press(walk, 'first', 'second', 'third')).toBe(true);
  expect(statusesOf(walk)).toEqual(['CONFIRMED', 'DELIVERED']);
  expect(walk.state).toMatchObject({ status: 'DELIVERED', positions: [{ node: 'sub' }, { node: 'inner', floor: 'DELIVERED' }] });
});

test('nor does the branch of another region raise or lower it: a join within a branch has the status of its own last one', () => {
  const graph: Graph = {
    schema: 1,
    start: 'paid',
    states: [
      state('paid', 'PAID'),
      split('outer', ['slow', 'split'], 'end'),
      state('slow', 'PAID'),
      ...region('end').states,
      join('end'),
      end,
    ],
    actions: [...ACTIONS, { key: 'fourth', by: 'seller', label: 'fourth' }],
    edges: [
      onSeller('paid', 'first', 'outer'),
      ...region('end').edges,
      onSeller('slow', 'fourth', 'end'),
      onResult('end', 'joined', 'done'),
    ],
  };
  const walk = begin(compileFlow({ '': graph, 'sub@1': called }));
  expect(press(walk, 'first', 'second', 'third')).toBe(true);
  expect(walk.state.status).toBe('PAID');
  expect(press(walk, 'fourth')).toBe(true);
  expect(statusesOf(walk)).toEqual(['DELIVERED']);
});
