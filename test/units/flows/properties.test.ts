/**
 * What holds for every flow and every scenario. `FLOW_GRAPHS`: how many random graphs each property sees; `npm test` takes
 * few, `FLOW_GRAPHS=1000 npm run test:units -- test/units/flows/properties` many.
 */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isHeld, nearest } from '../../../domain/flows/run/positions.ts';
import { type Answer, simulate, type Simulation } from '../../../domain/flows/rehearse/simulate.ts';
import { step } from '../../../domain/flows/run/step.ts';
import type { Effect, FlowEvent, FlowState } from '../../../domain/flows/run/state.ts';
import { isBefore } from '../../../domain/flows/graph/status.ts';
import { allowance } from '../../../domain/flows/run/permissions.ts';
import { compileFlow, type Flow } from '../../../domain/flows/run/flow.ts';
import { DAY, HOUR } from '../../../domain/kernel/time.ts';
import { Host } from './host.ts';
import { publishableFlows } from './arbitraries.ts';
import { advances, bundles, flows, results, scripts, scriptsFor, simulation, T0 } from './randomGraphs.ts';

const numRuns = Number(process.env['FLOW_GRAPHS'] ?? 40);
const assert = <T extends unknown[]>(property: fc.IProperty<T>): void => fc.assert(property, { numRuns });
const settings = fc.record({ autoDeliverDays: fc.constantFrom(0, 3, 7), autoConfirmDays: fc.constantFrom(0, 7, 14) });
const simulations: fc.Arbitrary<Simulation> = fc
  .tuple(scripts, results, settings)
  .map(([steps, answered, days]) => simulation(steps, { results: answered, settings: days }));
const last = (answers: readonly Answer[]): Answer => answers.at(-1)!;
const timesOf = ({ positions }: FlowState) => positions.map(({ id, due }) => [id, due.map(({ key, at }) => [key, at!] as const)] as const);

describe('simulate', () => {
  const isWhatARunDoes = (flow: Flow, scenario: Simulation): void => {
    const host = new Host(flow, scenario);
    for (const [i, answer] of simulate(flow, scenario).entries()) {
      const ran = host.take(scenario.steps[i]!);
      const { at, state, refusal, happenings } = answer;
      expect({ at, state, reason: refusal?.reason ?? null }).toEqual({ at: host.now, state: host.state, reason: ran.reason });
      expect(happenings.map(({ at: when, effects, trace }) => ({ when, effects, trace }))).toEqual(ran.steps);
    }
  };
  test.each(['ITEM', 'ORDER_GROUP'] as const)(
    'is what a run does, step by step: times, edges, effects, states, deadlines (%s)',
    (progression) => {
      assert(fc.property(flows(progression), simulations, isWhatARunDoes));
    },
  );
  test('is what a run does in every flow that may be published', () => {
    const published = publishableFlows.chain(({ bundle }) => fc.tuple(fc.constant(compileFlow(bundle)), scriptsFor(bundle)));
    assert(fc.property(published, settings, ([flow, steps], days) => isWhatARunDoes(flow, simulation(steps, { settings: days }))));
  });

  test('of a part of a scenario is that part of its answers', () => {
    assert(
      fc.property(flows(), simulations, fc.nat(26), (flow, scenario, n) => {
        const steps = scenario.steps.slice(0, n);
        expect(simulate(flow, { ...scenario, steps })).toEqual(simulate(flow, scenario).slice(0, n));
      }),
    );
  });

  test('advanced in two parts ends where it ends at once, having done the same', () => {
    assert(
      fc.property(flows(), simulations, advances, advances, (flow, scenario, a, b) => {
        const parts = simulate(flow, { ...scenario, steps: [...scenario.steps, { advance: a }, { advance: b }] });
        const whole = last(simulate(flow, { ...scenario, steps: [...scenario.steps, { advance: a + b }] }));
        const [first, second] = parts.slice(-2) as [Answer, Answer];
        expect(second.state).toEqual(whole.state);
        expect([...first.edges, ...second.edges]).toEqual(whole.edges);
        expect([...first.jobs, ...second.jobs]).toEqual(whole.jobs);
      }),
    );
  });

  test('a claim of any length leaves the time that remains as it was', () => {
    assert(
      fc.property(flows(), simulations, advances, (flow, scenario, length) => {
        const before = last(simulate(flow, scenario));
        fc.pre(before.state !== null && !before.state.done && before.state.claims.length === 0);
        const claim = [{ event: { type: 'claim.opened' } }, { advance: length }, { event: { type: 'claim.closed' } }] as const;
        const [, during, after] = simulate(flow, { ...scenario, steps: [...scenario.steps, ...claim] }).slice(-3) as [
          Answer,
          Answer,
          Answer,
        ];
        expect(during.edges).toEqual([]);
        expect(nearest(during.state!)).toBeNull();
        expect(timesOf(after.state!)).toEqual(timesOf(before.state).map(([id, due]) => [id, due.map(([key, at]) => [key, at + length])]));
      }),
    );
  });

  test('pays each item back at most once, and gives its stock back no more often than it took it', () => {
    assert(
      fc.property(flows(), simulations, (flow, scenario) => {
        const jobs = simulate(flow, scenario).flatMap((answer) => answer.jobs);
        expect(jobs.filter(({ type }) => type === 'refund').length).toBeLessThanOrEqual(1);
        let restored = 0;
        for (const { type } of jobs) {
          if (type === 'stock.restore') restored++;
          if (type === 'stock.capture') restored--;
          expect([0, 1]).toContain(restored);
        }
      }),
    );
  });

  test('lowers the public status by an edge only, arms nothing after the end, and leaves nothing due', () => {
    assert(
      fc.property(flows(), simulations, (flow, scenario) => {
        let status: FlowState['status'] = 'PAID';
        for (const { at, edges, state } of simulate(flow, scenario)) {
          if (edges.length === 0 && !state!.done) expect(isBefore(state!.status, status)).toBe(false);
          status = state!.status;
          const due = nearest(state!);
          expect(due === null || (due.at > at && !state!.done)).toBe(true);
        }
      }),
    );
  });

  test('offers no fee above what is refundable', () => {
    assert(
      fc.property(flows(), simulations, fc.integer({ min: 0, max: 50_000 }), (flow, scenario, refundableWon) => {
        for (const { permissions } of simulate(flow, { ...scenario, claim: { refundableWon } }))
          for (const { deductWon } of Object.values(permissions)) {
            expect(deductWon).toBeGreaterThanOrEqual(0);
            expect(deductWon).toBeLessThanOrEqual(refundableWon);
          }
      }),
    );
  });
});

describe('step', () => {
  /** Without external services, whose answers come when they come. */
  const withoutCalls = bundles()
    .map((bundle) => compileFlow(bundle))
    .filter(({ graphs }) => !JSON.stringify(graphs).includes('"external"'));

  test('elapsed late does everything at its own time: as if it had been woken each time', () => {
    assert(
      fc.property(withoutCalls, simulations, advances, (flow, scenario, gap) => {
        const before = last(simulate(flow, scenario));
        const until = before.at + gap;
        const facts = new Host(flow, scenario).factsOf(before.state);
        const late = step(flow, before.state, { type: 'elapsed' }, until, facts);
        const punctual = last(simulate(flow, { ...scenario, steps: [...scenario.steps, { advance: gap }] }));
        if (!late.ok) throw new Error(late.reason);
        // Ids of positions tell in which step they were made.
        const bare = ({ positions, ...rest }: FlowState) => ({
          ...rest,
          seq: 0,
          positions: positions.map((position) => ({ ...position, id: '', parent: '' })),
        });
        expect(bare(late.state)).toEqual(bare(punctual.state!));
        expect(late.effects).toEqual(punctual.happenings.flatMap(({ effects }) => effects));
      }),
    );
  });

  test('refuses the actions of a stopped flow, whatever they are', () => {
    assert(
      fc.property(flows(), simulations, fc.constantFrom('go', 'ask', 'agree'), (flow, scenario, key) => {
        const { state, at } = last(simulate(flow, scenario));
        fc.pre(isHeld(flow, state!));
        const event: FlowEvent = { type: 'seller.action', key };
        expect(step(flow, state, event, at, new Host(flow, scenario).factsOf(state))).toMatchObject({ ok: false });
      }),
    );
  });
});

test('a fee that follows a falling table grows as the day nears', () => {
  const rows = fc
    .uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 6 })
    .chain((days) =>
      fc.tuple(fc.constant(days), fc.array(fc.integer({ min: 0, max: 100 }), { minLength: days.length, maxLength: days.length })),
    )
    .map(([days, values]) => {
      const [nearing, rising] = [days.toSorted((a, b) => b - a), values.toSorted((a, b) => a - b)];
      return nearing.map((left, i) => ({ days: left, value: rising[i]! }));
    });
  assert(
    fc.property(rows, fc.integer({ min: 0, max: 40 * 24 }), fc.integer({ min: 0, max: 200 }), (fee, hour, later) => {
      const flow = feeFlow(fee);
      const scenario = simulation([]);
      const facts = new Host(flow, scenario).factsOf(null);
      const started = step(flow, null, { type: 'start', members: [{ id: 'item', activeQuantity: 3 }] }, T0, facts);
      if (!started.ok) throw new Error(started.reason);
      const feeAt = (at: number): number => {
        const claim = { quantity: 3, reason: 'CHANGE_OF_MIND', refundableWon: 30_000 };
        return allowance(flow, started.state, 'buyerCancel', { at, facts, member: 'item', claim }).deductWon;
      };
      const at = T0 - 30 * DAY + hour * HOUR;
      expect(feeAt(at + later * HOUR)).toBeGreaterThanOrEqual(feeAt(at));
    }),
  );
});
const feeFlow = (fee: readonly { readonly days: number; readonly value: number }[]): Flow =>
  compileFlow({
    '': {
      schema: 1,
      start: 'paid',
      tables: { fee },
      states: [
        {
          id: 'paid',
          type: 'state',
          status: 'PAID',
          step: 'SELLER_PROCESSING',
          label: 'paid',
          permissions: { buyerCancel: { deduct: 'pct(refundable, lookupStep(fee, daysUntil(item.stay.checkIn)))' } },
        },
      ],
      actions: [],
      edges: [],
    },
  });

test('the random graphs are worth their name: parallel branches, subflows, calls, ends, refunds and limits all occur', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(flows(), simulations, (flow, scenario) => {
      for (const { refusal, state, happenings } of simulate(flow, scenario)) {
        if (refusal) seen.add(refusal.reason);
        if (state!.done) seen.add(state!.done);
        for (const { branch, flow: inner } of state!.positions) seen.add(branch === undefined ? (inner ?? 'main') : 'branch');
        for (const { type } of happenings.flatMap<Effect>(({ effects }) => effects)) seen.add(type);
      }
    }),
    { numRuns: 500, seed: 22 },
  );
  for (const what of ['branch', 'inner@1', 'external.call', 'COMPLETED', 'CANCELED', 'refund', 'cancel', 'alert', 'deadline.extend'])
    expect(seen).toContain(what);
  for (const reason of ['NOT_IN_STATE', 'LIMIT_REACHED', 'CONDITION', 'INPUT', 'CLAIM_IN_PROGRESS', 'FINISHED'])
    expect(seen).toContain(reason);
});
