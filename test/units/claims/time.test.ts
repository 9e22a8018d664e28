/** A claim's machine, without a database: what time does, and what no sequence of commands can do. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ClaimCommand, type ClaimEffect, decide, planOf } from '../../../domain/claims/machine.ts';
import { CLAIM_STATUSES, isOpen } from '../../../domain/claims/rules.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import { DAY, korean } from '../../../domain/kernel/time.ts';
import { by, commandOf, KINDS, NAMES, ran, refund, restock, stateOf, T, UNTIL } from './states.ts';

describe('time', () => {
  const held = stateOf('RETURN', 'HELD');
  test('ends a hold at its moment, not before, dated that moment', () => {
    expect(decide(held, { type: 'elapsed' }, UNTIL - 1)).toMatchObject({ state: held, effects: [] });
    const released = { ...held, status: 'REQUESTED', holdUntil: null };
    expect(decide(held, { type: 'elapsed' }, UNTIL)).toMatchObject({ state: released, effects: [by('release', 'SYSTEM', UNTIL)] });
    expect(decide(held, { type: 'load' }, UNTIL + DAY)).toMatchObject({ state: released, effects: [by('release', 'SYSTEM', UNTIL)] });
  });
  test('a command that comes after it finds the claim released', () => {
    const { state, effects } = ran(stateOf('CANCEL', 'HELD'), commandOf('approve', 'HELD'), UNTIL);
    expect(state).toMatchObject({ status: 'COMPLETED', holdUntil: null });
    expect(effects).toEqual([by('release', 'SYSTEM', UNTIL), restock(3), refund, by('approve', 'SELLER', UNTIL)]);
    expect(() => ran(held, commandOf('release', 'HELD'), UNTIL)).toThrow(expect.objectContaining({ code: 'INVALID_STATUS' }));
    expect(() => ran(held, commandOf('hold', 'HELD'), UNTIL)).toThrow(expect.objectContaining({ code: 'ALREADY_HELD' }));
  });
  const anyState = fc
    .record({
      kind: fc.constantFrom(...KINDS),
      status: fc.constantFrom(...CLAIM_STATUSES),
      quantity: fc.integer({ min: 1, max: 99 }),
      isHoldUsed: fc.boolean(),
    })
    .map(({ kind, status, ...changes }) => stateOf(kind, status, changes));
  test('load and elapsed do the same, and a second time nothing', () => {
    fc.assert(
      fc.property(anyState, fc.integer({ min: -5, max: 5 }), (state, days) => {
        const at = UNTIL + days * DAY;
        const once = decide(state, { type: 'load' }, at);
        expect(decide(state, { type: 'elapsed' }, at)).toEqual(once);
        expect(decide(once.state, { type: 'elapsed' }, at)).toEqual({ ...once, effects: [] });
        expect(decide(once.state, { type: 'outcome', callId: 'x', outcome: { result: 'LOST' } }, at).effects).toEqual([]);
      }),
    );
  });
  test('what the plan says: a timer for the hold only, no calls, done when it is closed', () => {
    for (const kind of KINDS)
      for (const status of CLAIM_STATUSES) {
        const plan = planOf(stateOf(kind, status));
        expect(plan).toMatchObject({ wakeAt: status === 'HELD' ? UNTIL : null, calls: [], done: !isOpen(status), status });
        expect(plan.note).toContain(`${kind === 'UNSHIPPED_RETURN' ? 'RETURN' : kind} of 3: `);
        expect(plan.note).toContain(status);
      }
    expect(planOf(held).note).toBe(`RETURN of 3: HELD, the seller has put it off until ${korean(UNTIL)}.`);
    expect(ran(stateOf('CANCEL', 'REQUESTED'), commandOf('approve', 'REQUESTED')).plan).toMatchObject({ wakeAt: null, done: true });
  });
});

describe('any sequence of commands', () => {
  test('pays, exchanges or resumes once at most, restocks once at most, and takes back what it restocked', () => {
    const step = fc.record({ name: fc.constantFrom(...NAMES), wait: fc.constantFrom(0, 0, DAY) });
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.array(step, { maxLength: 20 }), (kind, steps) => {
        let state = stateOf(kind, 'REQUESTED');
        let at = T;
        const effects: ClaimEffect[] = [];
        for (const { name, wait } of steps) {
          at += wait;
          const before = state;
          try {
            const decision = ran(
              state,
              { ...commandOf(name, state.status), ...(name === 'hold' && { input: { until: at + DAY } }) } as ClaimCommand,
              at,
            );
            state = decision.state;
            effects.push(...decision.effects);
            expect(isOpen(before.status)).toBe(true);
          } catch (error) {
            if (!(error instanceof Fault)) throw error;
          }
        }
        const count = (...types: readonly ClaimEffect['type'][]) => effects.filter(({ type }) => types.includes(type)).length;
        expect(count('refund', 'exchange', 'resume')).toBe(isOpen(state.status) ? 0 : 1);
        expect(count('restock')).toBeLessThanOrEqual(1);
        expect(count('takeExchange')).toBeLessThanOrEqual(1);
        const isTakenBack = count('takeBack') === 1;
        expect(isTakenBack).toBe(count('restock') === 1 && state.status === 'REJECTED');
        expect(count('refund') === 1).toBe(state.status === 'COMPLETED' && kind !== 'EXCHANGE');
        expect(effects.filter((effect) => effect.type === 'history' && effect.name === 'hold').length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
