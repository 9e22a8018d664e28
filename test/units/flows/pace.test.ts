/** The pace of what runs do by themselves: the same in steps, in runs and in simulations. */
import { describe, expect, test } from '@jest/globals';
import { compileFlow, type Flow } from '../../../domain/flows/run/flow.ts';
import type { Edge, Graph } from '../../../domain/flows/graph/graph.ts';
import { nextOwn, roomAt, slowedUntil } from '../../../domain/flows/run/pace.ts';
import { onElapsed, onResult, onSeller } from '../../../domain/flows/presets/parts.ts';
import { replay, type FlowRecord } from '../../../domain/flows/rehearse/replay.ts';
import type { Meter } from '../../../domain/flows/rehearse/clockwork.ts';
import { type Answer, play, simulate, type Simulation } from '../../../domain/flows/rehearse/simulate.ts';
import { step } from '../../../domain/flows/run/step.ts';
import type { FlowEvent, FlowState } from '../../../domain/flows/run/state.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/kernel/time.ts';
import { simulation, T0 } from './randomGraphs.ts';

/** Two states in turn: each goes on after a second. */
const circle = (after: string, ...more: Edge[]): Graph => ({
  schema: 1,
  start: 'a',
  states: ['a', 'b'].map((id) => ({
    id,
    type: 'state',
    status: 'PAID',
    step: 'SELLER_PROCESSING',
    label: id,
    deadlines: [{ key: 'tick', after }],
  })),
  actions: [{ key: 'turn', by: 'seller', label: 'turn' }],
  edges: [onElapsed('a', 'tick', 'b'), onElapsed('b', 'tick', 'a'), onSeller('a', 'turn', 'b'), onSeller('b', 'turn', 'a'), ...more],
});
const external: Graph = {
  schema: 1,
  start: 'a',
  states: [
    ...circle('PT1S').states.slice(0, 1),
    { id: 'ask', type: 'external', status: 'PAID', secret: 's', method: 'POST', path: '/', timeoutSeconds: 5 },
  ],
  actions: [],
  edges: [onElapsed('a', 'tick', 'ask'), ...(['success', 'skipped', 'failed'] as const).map((value) => onResult('ask', value, 'a'))],
};
/** As long as it takes: these tests are about the pace alone. */
const UNBOUNDED: Meter = { spent: () => null, take: () => null };
const playAll = (of: Flow, simulated: Simulation): Answer[] => [...play(of, simulated, UNBOUNDED)];
const start = { event: { type: 'start' } } as const;
const timesOf = ({ happenings }: Answer, type: string): number[] =>
  happenings.filter(({ event }) => event.type === type).map(({ at }) => at - T0);

describe('a circle of a second', () => {
  const flow = compileFlow({ '': circle('PT1S') });
  test('moves 30 times, and goes on ten minutes after the first of them, each at its own time', () => {
    const [, hour] = simulate(flow, simulation([start, { advance: HOUR }])) as [Answer, Answer];
    const burst = (from: number) => Array.from({ length: 30 }, (_, i) => from + i * SECOND);
    const bursts = [0, 1, 2, 3, 4, 5].map((n) => SECOND + n * 10 * MINUTE);
    expect(timesOf(hour, 'elapsed')).toEqual(bursts.flatMap(burst));
    // One record for each time that it waits, at the moment when it would have moved.
    expect(timesOf(hour, 'SLOWED')).toEqual(bursts.map((from) => from + 30 * SECOND));
    expect(slowedUntil(hour.state!)).toBe(T0 + HOUR + SECOND);
    expect(nextOwn(hour.state!)).toEqual({ type: 'elapsed', at: T0 + HOUR + SECOND });
  });
  test('moves 500 times in any day at most, and 30 times in any ten minutes, also where many days pass at once', () => {
    const [, days] = playAll(flow, simulation([start, { advance: 5 * DAY }])) as [Answer, Answer];
    const moves = timesOf(days, 'elapsed');
    expect(moves.length).toBeGreaterThanOrEqual(4 * 500);
    for (const [i, at] of moves.entries()) {
      if (i >= 500) expect(at - moves[i - 500]!).toBeGreaterThanOrEqual(DAY);
      if (i >= 30) expect(at - moves[i - 30]!).toBeGreaterThanOrEqual(10 * MINUTE);
    }
    expect(days.state!.moves!.length).toBe(500);
  });
  test('one step says the same as one for each move', () => {
    const facts = { settings: { autoDeliverDays: 0, autoConfirmDays: 0 } };
    const began = step(flow, null, { type: 'start', members: [{ id: 'item', activeQuantity: 1 }] }, T0, facts);
    if (!began.ok) throw new Error(began.reason);
    const whole = step(flow, began.state, { type: 'elapsed' }, T0 + HOUR, facts);
    if (!whole.ok) throw new Error(whole.reason);
    const [, hour] = simulate(flow, simulation([start, { advance: HOUR }])) as [Answer, Answer];
    expect(whole.trace.map(({ at }) => at - T0)).toEqual(timesOf(hour, 'elapsed'));
    expect(whole.state.moves).toEqual(hour.state!.moves);
  });
  test('people are not slowed, and do not count', () => {
    const turn = { event: { type: 'seller.action', key: 'turn' } } as const;
    const answers = simulate(flow, simulation([start, { advance: MINUTE }, ...Array.from({ length: 60 }, () => turn)]));
    expect(answers.every(({ refusal }) => refusal === null)).toBe(true);
    expect(answers.at(-1)!.state!.moves!.length).toBe(30);
    // What waits now is the deadline of the state that they have come to.
    expect(slowedUntil(answers.at(-1)!.state!)).toBe(T0 + 10 * MINUTE + SECOND);
  });
  test('a claim stops it, and it goes on at the same pace', () => {
    const [open, close] = [{ event: { type: 'claim.opened' } } as const, { event: { type: 'claim.closed' } } as const];
    const answers = simulate(flow, simulation([start, { advance: MINUTE }, open, { advance: MINUTE }, close, { advance: 9 * MINUTE }]));
    expect(slowedUntil(answers[3]!.state!)).toBeNull();
    expect(timesOf(answers[5]!, 'elapsed')[0]).toBe(10 * MINUTE + SECOND);
  });
});

test('a flow that is never too fast is never slowed', () => {
  const [, days] = playAll(compileFlow({ '': circle('PT3M') }), simulation([start, { advance: 10 * DAY }])) as [Answer, Answer];
  expect(timesOf(days, 'SLOWED')).toEqual([]);
  expect(timesOf(days, 'elapsed')).toEqual(Array.from({ length: 10 * 480 }, (_, i) => (i + 1) * 3 * MINUTE));
});

test('answers of services are moves as well: one that has no room waits, and is not lost', () => {
  const [, hour] = simulate(compileFlow({ '': external }), simulation([start, { advance: 20 * MINUTE }])) as [Answer, Answer];
  const moves = [...timesOf(hour, 'elapsed'), ...timesOf(hour, 'result')].toSorted((a, b) => a - b);
  expect(moves.length).toBe(60);
  expect(timesOf(hour, 'result').length).toBe(30);
  for (const [i, at] of moves.entries()) if (i >= 30) expect(at - moves[i - 30]!).toBeGreaterThanOrEqual(10 * MINUTE);
});

test('an answer that waits comes in its turn, before a deadline that is due after it', () => {
  const moves = Array.from({ length: 30 }, (_, i) => i);
  const position = { id: 'p0', node: 'ask', enteredAt: 0, due: [], call: '1.0' };
  const state: FlowState = { v: 1, seq: 1, members: [], claims: [], status: 'PAID', positions: [{ ...position, answeredAt: 40 }], moves };
  expect(nextOwn(state)).toEqual({ type: 'slowed', at: 40, until: 10 * MINUTE });
  expect(nextOwn({ ...state, slowedUntil: 10 * MINUTE })).toEqual({ type: 'answered', at: 10 * MINUTE, call: '1.0' });
  const due = [{ key: 'tick', at: 50 }];
  const both: FlowState = { ...state, positions: [...state.positions, { id: 'p1', node: 'a', enteredAt: 0, due }] };
  expect(nextOwn(both)).toMatchObject({ at: 40 });
  expect(nextOwn({ ...both, moves: [] })).toEqual({ type: 'answered', at: 40, call: '1.0' });
});

test('a state that was stored before there was a pace has room', () => {
  const state: FlowState = { v: 1, seq: 9, members: [], claims: [], status: 'PAID', positions: [] };
  expect([roomAt(state), slowedUntil(state), nextOwn(state)]).toEqual([-Infinity, null, null]);
});

describe('a replay', () => {
  const flow = compileFlow({ '': circle('PT1S') });
  const members = [{ id: 'item', activeQuantity: 1 }];
  const facts = { settings: { autoDeliverDays: 0, autoConfirmDays: 0 } };
  const record = (event: FlowEvent, at: number, trace: FlowRecord['trace']): FlowRecord => ({ runId: null, event, at, trace, flow });
  test('goes along with a run that was slowed', () => {
    const answers = simulate(flow, simulation([start, { advance: HOUR }]));
    const records = answers.flatMap(({ happenings }) => happenings.map(({ event, at, trace }) => record(event, at, trace)));
    expect(records.filter(({ event }) => event.type === 'SLOWED').length).toBe(6);
    expect(replay(flow, { records, members, facts }).divergence).toBeNull();
    const other = compileFlow({ '': circle('PT2S') });
    expect(replay(other, { records, members, facts }).divergence).not.toBeNull();
  });
  test('and with one of before there was a pace', () => {
    const records: FlowRecord[] = [record({ type: 'start', members }, T0, [{ at: T0, edges: [], from: [], to: ['a'] }])];
    for (let i = 1; i <= 100; i++) {
      const [from, to] = i % 2 === 1 ? (['a', 'b'] as const) : (['b', 'a'] as const);
      const at = T0 + i * SECOND;
      records.push(record({ type: 'elapsed' }, at, [{ at, edges: [`${from}:@tick`], from: [from], to: [to] }]));
    }
    expect(replay(flow, { records, members, facts }).divergence).toBeNull();
  });
});
