import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkGraph } from '../../../../domain/flows/check/checkGraph.ts';
import { compileFlow } from '../../../../domain/flows/run/flow.ts';
import { leaves } from '../../../../domain/flows/run/positions.ts';
import { isBefore } from '../../../../domain/flows/graph/status.ts';
import { contextOf, publishableFlows, type PublishableFlow } from '../arbitraries.ts';
import { begin, choicesOfWalk, finish, happen, type Walk } from '../walking.ts';

const checked = ({ flows }: PublishableFlow) => flows.map(({ key, graph }) => checkGraph(graph, contextOf(flows, key)));

test('what is drawn may be published', () => {
  fc.assert(
    fc.property(publishableFlows, (drawn) => {
      expect(checked(drawn).flatMap(({ blocking }) => blocking)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** Nobody is refunded twice, and every place waits for something. */
function holds({ flow, state, effects }: Walk): void {
  const leavers = effects.flatMap((effect) => (effect.type === 'cancel' ? effect.leavers.map(({ id }) => id) : []));
  const refunded = effects.flatMap((effect) => (effect.type === 'refund' ? [effect.member] : []));
  expect(new Set(leavers).size).toBe(leavers.length);
  expect(new Set(refunded).size).toBe(refunded.length);
  if (state.done) return;
  expect(leaves(flow, state).length).toBeGreaterThan(0);
  for (const { node, position } of leaves(flow, state)) {
    expect(['state', 'external']).toContain(node.type);
    if (node.type === 'external') expect(position.call).toBeDefined();
  }
}

test('a flow that may be published never fails, waits where something waits, refunds once and comes to its end', () => {
  fc.assert(
    fc.property(publishableFlows, choicesOfWalk, (drawn, choices) => {
      const walk = begin(compileFlow(drawn.bundle));
      for (const choice of choices) {
        happen(walk, choice);
        holds(walk);
      }
      expect(finish(walk)).toBe(true);
      holds(walk);
    }),
    { numRuns: 200 },
  );
});

test('the public status falls on edges that the check warns of, and by moves', () => {
  fc.assert(
    fc.property(publishableFlows, choicesOfWalk, (drawn, choices) => {
      const warned = new Set(
        checked(drawn).flatMap(({ warnings }) => warnings.flatMap(({ code, edgeId }) => (code === 'STATUS_BACKWARDS' ? [edgeId] : []))),
      );
      const walk = begin(compileFlow(drawn.bundle));
      for (const choice of choices) {
        const [effects, trace] = [walk.effects.length, walk.trace.length];
        happen(walk, choice);
        const passed = walk.trace.slice(trace).flatMap(({ edges }) => edges);
        for (const effect of walk.effects.slice(effects))
          if (effect.type === 'status' && effect.members === undefined && isBefore(effect.to, effect.from) && passed.length > 0)
            expect(passed.some((edge) => warned.has(edge))).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});
