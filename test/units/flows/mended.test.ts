/** What random flows have shown of branches, moves, migrations and past times. */
import { expect, test } from '@jest/globals';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Graph, Node } from '../../../domain/flows/graph/graph.ts';
import { migrationRefusal, moveTargets } from '../../../domain/flows/run/move.ts';
import { onElapsed, onResult, onSeller } from '../../../domain/flows/presets/parts.ts';
import { simulate } from '../../../domain/flows/rehearse/simulate.ts';
import { step } from '../../../domain/flows/run/step.ts';
import { DAY, MINUTE } from '../../../domain/kernel/time.ts';
import { simulation } from './randomGraphs.ts';
import { begin, FACTS, send, START } from './walking.ts';

const state = (id: string, status: 'PAID' | 'CONFIRMED' | 'DELIVERED', deadline: object = { after: 'P1D' }): Node => ({
  id,
  type: 'state',
  status,
  step: 'SELLER_PROCESSING',
  label: id,
  deadlines: [{ key: 'on', ...deadline }],
});
const done: Node = { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' };
const go = { key: 'go', by: 'seller', label: 'go' } as const;
const graph = (states: readonly Node[], edges: Graph['edges']): Graph => ({
  schema: 1,
  start: 'paid',
  states: [...states, done],
  actions: [go],
  edges,
});

/** One branch is empty, one has a parallel node of its own before `after`. */
const nested = graph(
  [
    state('paid', 'PAID'),
    {
      id: 'outer',
      type: 'parallel',
      branches: [
        { key: 'a', start: 'outerJoin' },
        { key: 'b', start: 'inner' },
      ],
      join: 'outerJoin',
    },
    {
      id: 'inner',
      type: 'parallel',
      branches: [
        { key: 'a', start: 'one' },
        { key: 'b', start: 'two' },
      ],
      join: 'innerJoin',
    },
    state('one', 'DELIVERED'),
    state('two', 'CONFIRMED'),
    { id: 'innerJoin', type: 'join' },
    state('after', 'DELIVERED'),
    { id: 'outerJoin', type: 'join' },
  ],
  [
    onSeller('paid', 'go', 'outer'),
    onElapsed('one', 'on', 'innerJoin'),
    onElapsed('two', 'on', 'innerJoin'),
    onResult('innerJoin', 'joined', 'after'),
    onElapsed('after', 'on', 'outerJoin'),
    onResult('outerJoin', 'joined', 'done'),
  ],
);

test('branches are begun together: the public status goes to that of the least advanced one, in one change', () => {
  const walk = begin(compileFlow({ '': nested }));
  const result = send(walk, { type: 'seller.action', key: 'go' });
  expect(result.ok && result.effects.flatMap((effect) => (effect.type === 'status' ? [effect.to] : []))).toEqual(['CONFIRMED']);
  expect(walk.state.status).toBe('CONFIRMED');
});

test('nothing is moved to a state behind a join that is itself in a branch, nor migrated to one', () => {
  const flow = compileFlow({ '': nested });
  const walk = begin(flow);
  expect(moveTargets(flow, walk.state)).toEqual([]);
  const before = graph(
    [state('paid', 'PAID'), state('after', 'DELIVERED')],
    [onSeller('paid', 'go', 'after'), onElapsed('after', 'on', 'done')],
  );
  const old = begin(compileFlow({ '': before }));
  send(old, { type: 'seller.action', key: 'go' });
  expect(migrationRefusal(old.flow, flow, old.state)).toBe('SKIPPED');
});

test('in a group that goes on, an item with a claim cannot be moved, and the others can', () => {
  const pair: Graph = {
    ...graph(
      [state('paid', 'PAID'), state('after', 'DELIVERED')],
      [onSeller('paid', 'go', 'after'), onElapsed('paid', 'on', 'after'), onElapsed('after', 'on', 'done')],
    ),
    requires: { progression: 'ORDER_GROUP', groupClaim: 'CONTINUE' },
  };
  const walk = begin(compileFlow({ '': pair }));
  send(walk, { type: 'claim.opened', claimId: 'c', member: 'a' });
  expect([moveTargets(walk.flow, walk.state, 'a'), moveTargets(walk.flow, walk.state, 'b')]).toEqual([[], ['after']]);
  expect(send(walk, { type: 'move', to: 'after', member: 'a' })).toMatchObject({ ok: false, reason: 'CLAIM_IN_PROGRESS' });
  expect(send(walk, { type: 'move', to: 'after', member: 'b' })).toMatchObject({ ok: true, state: { status: 'DELIVERED' } });
});

test('times that are past lead round in a circle once a minute, not for ever within one moment', () => {
  const past = { at: 'order.paidAt' };
  const circle = graph(
    [state('paid', 'PAID', past), state('back', 'PAID', past)],
    [onElapsed('paid', 'on', 'back'), onElapsed('back', 'on', 'paid'), onSeller('paid', 'go', 'done')],
  );
  const walk = begin(compileFlow({ '': circle }));
  const result = step(walk.flow, walk.state, { type: 'elapsed' }, START + DAY, FACTS);
  const times = result.ok ? result.trace.map(({ at }) => at) : [];
  expect(times.slice(0, 3)).toEqual([START, START, START + MINUTE]);
  expect(times.filter((at) => at < START + MINUTE)).toHaveLength(2);
});

test('a time that is past and an external service lead round in a circle once a minute', () => {
  const circle = graph(
    [
      state('paid', 'PAID', { at: 'order.paidAt' }),
      { id: 'ask', type: 'external', status: 'PAID', secret: 'shop', method: 'POST', path: '/', timeoutSeconds: 5 },
    ],
    [
      onElapsed('paid', 'on', 'ask'),
      ...(['success', 'skipped', 'failed'] as const).map((value) => onResult('ask', value, 'paid')),
      onSeller('paid', 'go', 'done'),
    ],
  );
  const calls = simulate(compileFlow({ '': circle }), simulation([{ event: { type: 'start' } }, { advance: 10 * MINUTE }]))
    .flatMap(({ jobs }) => jobs)
    .filter(({ type }) => type === 'external.call');
  expect(calls).toHaveLength(11);
});

test('all times of a state that are past at its entry fire at once, and so do those of each branch', () => {
  const past = [
    { key: 'remind', at: 'order.paidAt' },
    { key: 'on', at: 'order.paidAt' },
  ];
  const paid: Node = { ...state('paid', 'PAID'), deadlines: past } as Node;
  const reminded = graph([paid], [{ ...onElapsed('paid', 'remind', 'paid'), internal: true }, onElapsed('paid', 'on', 'done')]);
  expect(begin(compileFlow({ '': reminded })).state.positions[0]!.due.map(({ at }) => at)).toEqual([START, START]);

  const inner = graph([state('paid', 'PAID', { at: 'order.paidAt' })], [onElapsed('paid', 'on', 'done')]);
  const twice = graph(
    [
      state('paid', 'PAID'),
      { id: 'split', type: 'parallel', join: 'joined', branches: ['a', 'b'].map((key) => ({ key, start: `call-${key}` })) },
      ...['a', 'b'].map((key): Node => ({ id: `call-${key}`, type: 'call', flow: 'inner@1' })),
      { id: 'joined', type: 'join' },
    ],
    [
      onSeller('paid', 'go', 'split'),
      ...['a', 'b'].flatMap((key) => (['completed', 'canceled'] as const).map((value) => onResult(`call-${key}`, value, 'joined'))),
      onResult('joined', 'joined', 'done'),
    ],
  );
  const walk = begin(compileFlow({ '': twice, 'inner@1': inner }));
  send(walk, { type: 'seller.action', key: 'go' });
  expect(walk.state.positions.flatMap(({ due }) => due.map(({ at }) => at))).toEqual([START, START]);
});
