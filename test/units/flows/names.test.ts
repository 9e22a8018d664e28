/** What a graph names may be called as something of a prototype: it means nothing else for that. */
import { expect, test } from '@jest/globals';
import { draw } from '../../../api/flows/picture/draw.ts';
import { actions } from '../../../domain/flows/run/actions.ts';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { begin, send } from './walking.ts';

const graphOf = (key: string, state: object = {}, value = 'success'): Graph =>
  ({
    schema: 1,
    start: 'paid',
    states: [
      { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'paid', ...state },
      { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
    ],
    actions: [{ key, by: 'seller', label: 'once', maxUses: 1 }],
    edges: [
      { id: 'again', from: 'paid', to: 'paid', on: { type: 'seller.action', key } },
      { id: 'end', from: 'paid', to: 'done', on: { type: 'result', value } },
    ],
  }) as Graph;

test.each(['constructor', 'toString', 'hasOwnProperty', 'once'])('the action %s is used up after its uses', (key) => {
  const walk = begin(compileFlow({ '': graphOf(key) }));
  const act = { type: 'seller.action', key } as const;
  expect(send(walk, act).ok).toBe(true);
  expect(walk.state.uses).toEqual({ [key]: 1 });
  expect(send(walk, act)).toMatchObject({ ok: false, reason: 'LIMIT_REACHED' });
  expect(actions(walk.flow, walk.state, 'seller')[0]?.reason).toBe('LIMIT_REACHED');
});

test('a draft is drawn with its statuses, settings and results as they are typed', () => {
  const deadlines = [{ key: 'late', setting: 'toString' }];
  const svg = draw(graphOf('once', { status: 'constructor', deadlines }, 'valueOf'), 'x');
  for (const typed of ['constructor', '기한 late: toString', 'valueOf']) expect(svg).toContain(`>${typed}<`);
});
