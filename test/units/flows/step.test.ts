import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { actions } from '../../../domain/flows/run/actions.ts';
import { moveTargets } from '../../../domain/flows/run/move.ts';
import { nearest } from '../../../domain/flows/run/positions.ts';
import { builtInFlow } from '../../../domain/flows/presets/index.ts';
import { step } from '../../../domain/flows/run/step.ts';
import type { FlowEvent, FlowState, StepResult } from '../../../domain/flows/run/state.ts';
import { DAY } from '../../../domain/kernel/time.ts';

const graph = builtInFlow('shipping-standard', 1)!;
const facts = { settings: { autoDeliverDays: 7, autoConfirmDays: 7 } };
const members = [{ id: 'oit_1', activeQuantity: 3 }];
const take = (result: StepResult): FlowState => {
  if (!result.ok) throw new Error(result.reason);
  return result.state;
};
const run = (events: readonly (readonly [FlowEvent, number])[]): FlowState =>
  events.reduce<FlowState>(
    (state, [event, at]) => take(step(graph, state, event, at, facts)),
    take(step(graph, null, { type: 'start', members }, 0, facts)),
  );
const seller = (key: string): FlowEvent => ({ type: 'seller.action', key });
const shipped = () =>
  run([
    [seller('confirm'), 1],
    [seller('dispatch'), 2],
  ]);

describe('shipping-standard', () => {
  test('dispatched on day 0 and elapsed on day 20: delivered on day 7, decided on day 14, each with its own effect', () => {
    const result = step(graph, shipped(), { type: 'elapsed' }, 20 * DAY, facts);
    if (!result.ok) throw new Error();
    const statuses = result.effects.filter((effect) => effect.type === 'status');
    expect(statuses.map(({ to, at }) => [to, at])).toEqual([
      ['DELIVERED', 7 * DAY + 2],
      ['PURCHASE_DECIDED', 14 * DAY + 2],
    ]);
    expect(result.state).toMatchObject({ status: 'PURCHASE_DECIDED', done: 'COMPLETED' });
  });
  test.each([
    ['confirm', 'CONFIRMED'],
    ['dispatch', null],
    ['delivered', null],
  ])('from PAID, %s leads to %s', (key, status) => {
    const result = step(graph, run([]), seller(key), 1, facts);
    expect(result.ok ? result.state.status : null).toBe(status);
  });
  test('a buyer extension adds seven days to the decision and moves nothing else', () => {
    const delivered = take(step(graph, shipped(), seller('delivered'), DAY, facts));
    const extended = take(step(graph, delivered, { type: 'buyer.action', key: 'extend' }, 2 * DAY, facts));
    expect(nearest(extended)?.at).toBe(nearest(delivered)!.at + 7 * DAY);
    expect(extended.positions[0]!.enteredAt).toBe(delivered.positions[0]!.enteredAt);
  });
  test('a claim pauses the deadline and refuses actions; the time that was left goes on afterwards', () => {
    const paused = take(step(graph, shipped(), { type: 'claim.opened', claimId: 'c', member: 'oit_1' }, 3 * DAY, facts));
    expect(nearest(paused)).toBeNull();
    expect(step(graph, paused, seller('delivered'), 4 * DAY, facts)).toMatchObject({ ok: false, reason: 'CLAIM_IN_PROGRESS' });
    const resumed = take(step(graph, paused, { type: 'claim.closed', claimId: 'c' }, 10 * DAY, facts));
    expect(nearest(resumed)!.at).toBe(10 * DAY + 4 * DAY + 2);
  });
  test('reduced to nothing ends the run; more than is active is refused', () => {
    const reduced = (quantity: number): FlowEvent => ({ type: 'reduced', member: 'oit_1', quantity, cause: 'SELLER_CANCEL', refId: 'r' });
    expect(step(graph, run([]), reduced(4), 1, facts)).toMatchObject({ ok: false, code: 'INVALID_QUANTITY' });
    const left = take(step(graph, run([]), reduced(2), 1, facts));
    expect(left).toMatchObject({ status: 'PAID', members: [{ activeQuantity: 1 }] });
    expect(take(step(graph, left, reduced(1), 2, facts))).toMatchObject({ status: 'CANCELED', done: 'CANCELED', members: [] });
  });
  test('actions and move targets are those of the position', () => {
    expect(actions(graph, shipped(), 'seller').map(({ action, reason }) => [action.key, reason])).toEqual([['delivered', null]]);
    expect(moveTargets(graph, shipped())).toEqual(['paid', 'preparing', 'delivered']);
  });
});

const anyEvent: fc.Arbitrary<FlowEvent> = fc.oneof(
  fc.constantFrom('confirm', 'dispatch', 'delivered').map(seller),
  fc.constantFrom<FlowEvent>(
    { type: 'buyer.action', key: 'decide' },
    { type: 'buyer.action', key: 'extend' },
    { type: 'elapsed' },
    { type: 'event', name: 'courier.delivered' },
  ),
);

describe('properties of step', () => {
  const scripts = fc.array(fc.tuple(anyEvent, fc.integer({ min: 0, max: 5 * DAY })), { maxLength: 25 });
  const play = (script: readonly (readonly [FlowEvent, number])[]) => {
    let at = 0;
    let state = run([]);
    for (const [event, gap] of script) {
      at += gap;
      const result = step(graph, state, event, at, facts);
      if (result.ok) state = result.state;
    }
    return { state, at };
  };
  test('advancing in parts ends where advancing at once ends', () => {
    fc.assert(
      fc.property(scripts, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (script, a, b) => {
        const { state, at } = play(script);
        const middle = take(step(graph, state, { type: 'elapsed' }, at + a * DAY, facts));
        const parts = take(step(graph, middle, { type: 'elapsed' }, at + (a + b) * DAY, facts));
        const whole = take(step(graph, state, { type: 'elapsed' }, at + (a + b) * DAY, facts));
        expect({ ...parts, seq: 0 }).toEqual({ ...whole, seq: 0 });
      }),
    );
  });
  test('no deadline is armed after the end, and none lies in the past once it has elapsed', () => {
    fc.assert(
      fc.property(scripts, (script) => {
        const { state, at } = play(script);
        const settled = take(step(graph, state, { type: 'elapsed' }, at, facts));
        const due = nearest(settled);
        expect(settled.done === undefined || due === null).toBe(true);
        expect(due === null || due.at > at).toBe(true);
      }),
    );
  });
});
