import { expect, test } from '@jest/globals';
import { checkGraph } from '../../../../domain/flows/check/checkGraph.ts';
import type { Edge, Graph, Node } from '../../../../domain/flows/graph/graph.ts';
import { onElapsed, onResult, onSeller } from '../../../../domain/flows/presets/parts.ts';
import { context } from './sample.ts';

const state = (id: string): Node => ({
  id,
  type: 'state',
  status: 'PAID',
  step: 'SELLER_PROCESSING',
  label: id,
  deadlines: [{ key: 'on', after: 'P1D' }],
});
const stuck = (states: readonly Node[], edges: readonly Edge[], maxUses: number) => {
  const graph: Graph = {
    schema: 1,
    start: 'paid',
    states: [state('paid'), ...states, { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' }],
    actions: [{ key: 'go', by: 'seller', label: 'go', maxUses }],
    edges,
  };
  return checkGraph(graph, context).blocking.map(({ code, nodeId }) => [code, nodeId]);
};

test('a limited action may lead on as often as it can be used', () => {
  const twice = [onSeller('paid', 'go', 'next'), onSeller('next', 'go', 'done')];
  expect(stuck([state('next')], twice, 2)).toEqual([]);
  // Everything that leads only there is told too.
  expect(stuck([state('next')], twice, 1)).toEqual([
    ['CANNOT_FINISH', 'paid'],
    ['CANNOT_FINISH', 'next'],
  ]);
});
test('not where a flow comes round again, unless time leads on too', () => {
  const round = [onSeller('paid', 'go', 'next'), onElapsed('next', 'on', 'paid'), onSeller('next', 'go', 'done')];
  expect(stuck([state('next')], round, 3)).toEqual([
    ['CANNOT_FINISH', 'paid'],
    ['CANNOT_FINISH', 'next'],
  ]);
  expect(stuck([state('next')], [...round, onElapsed('paid', 'on', 'done')], 3)).toEqual([]);
});
test('not in two branches that share it', () => {
  const nodes: Node[] = [
    {
      id: 'split',
      type: 'parallel',
      branches: [
        { key: 'a', start: 'a' },
        { key: 'b', start: 'b' },
      ],
      join: 'joined',
    },
    state('a'),
    state('b'),
    { id: 'joined', type: 'join' },
  ];
  const edges = [
    onElapsed('paid', 'on', 'split'),
    onSeller('a', 'go', 'joined'),
    onSeller('b', 'go', 'joined'),
    onResult('joined', 'joined', 'done'),
  ];
  expect(stuck(nodes, edges, 1).map(([, nodeId]) => nodeId)).toEqual(['paid', 'split', 'a', 'b']);
});
