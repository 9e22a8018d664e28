/** The payment's machine, without a database: each state with each event, and what no sequence of events can do. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as machines from '../../../bin/dev/machines.ts';
import { MINUTE } from '../../../domain/kernel/time.ts';
import { decide, isEnded, mayStartRefund } from '../../../domain/payments/machine.ts';
import { PROVIDERS } from '../../../domain/payments/providers.ts';
import { planOf } from '../../../domain/payments/plan.ts';
import type {
  AttemptState,
  PaymentEffect,
  PaymentEvent,
  PaymentOutcome,
  PaymentState,
  RefundState,
} from '../../../domain/payments/state.ts';

const attempt: AttemptState = { ...machines.attempt, attemptId: 'att', pgOrderId: '1-01', amountWon: 1000 };
const refund: RefundState = { ...machines.refund, refundId: 'rfd', amountWon: 400 };
const pending: PaymentState = { ...machines.initial, attempt, currentAttemptId: 'att' };
const provider = (result: string, code = 'X', ended = true) => ({ result, code, ended, approvedMethod: 'CARD' }) as PaymentOutcome;
const after = (state: PaymentState, ...events: readonly (readonly [PaymentEvent, number])[]): PaymentState =>
  events.reduce((current, [event, at]) => decide(current, event, at).state, state);
const confirming = after(pending, [{ type: 'keyReserved', paymentKey: 'k' }, 0], [{ type: 'stockTaken' }, 0]);
const outcome = (result: string, code?: string, ended?: boolean): PaymentEvent => ({
  type: 'outcome',
  outcome: result === 'LOST' ? { result } : provider(result, code, ended),
});

describe('a buyer who comes back', () => {
  const pay = { type: 'pay', pgOrderId: '1-01', amount: 1000, paymentKey: 'k', paymentToken: null } as const;
  test('reserves the key, then the stock, then the provider is asked', () => {
    expect(decide(pending, pay, 1)).toEqual({ state: pending, effects: [{ type: 'reserveKey', paymentKey: 'k' }] });
    expect(decide(pending, { type: 'keyReserved', paymentKey: 'k' }, 1).effects).toEqual([{ type: 'takeStock' }]);
    expect(confirming).toMatchObject({
      status: 'processing',
      call: { id: 'confirmPayment-att-0', n: 0 },
      attempt: { status: 'CONFIRMING' },
    });
    expect(planOf(confirming, 0)).toMatchObject({
      wakeAt: 0,
      calls: [{ name: 'confirmPayment', input: { attemptId: 'att', pgOrderId: '1-01', amount: 1000 } }],
      done: false,
    });
  });
  test('waits for the first confirm only: what asks the provider later is never brief', () => {
    const again = after(confirming, [outcome('LOST'), 0], [outcome('UNPAID', 'READY'), 5000]);
    const resumed = after(confirming, [{ type: 'resumed' }, 5000]);
    const calls = [confirming, resumed, again].flatMap((state) => planOf(state, 5000).calls);
    expect(calls.map(({ id, isBrief }) => [id, isBrief === true])).toEqual([
      ['confirmPayment-att-0', true],
      ['confirmPayment-att-0', false],
      ['confirmPayment-att-2', false],
    ]);
  });
  test.each([
    ['another number', { ...pay, pgOrderId: '2-01' }],
    ['another amount', { ...pay, amount: 999 }],
    ['a key that was swept', { ...pay, paymentKey: null }],
  ])('with %s is refused', (_, event) => {
    expect(() => decide(pending, event, 1)).toThrow(expect.objectContaining({ code: 'INVALID_STATUS' }));
  });
  test.each([
    ['after the expiry', pending, 10 * MINUTE],
    ['with an attempt that was superseded', { ...pending, currentAttemptId: 'later' }, 1],
    ['a second time', confirming, 1],
  ])('%s changes nothing', (_, state, at) => {
    expect(decide(state, pay, at)).toEqual({ state, effects: [] });
    expect(decide(state, { type: 'giveUp', code: null }, at)).toEqual({ state, effects: [] });
  });
  test('with a key that another attempt is confirmed with is refused, and changes nothing', () => {
    expect(() => decide(pending, { type: 'keyInUse' }, 1)).toThrow(expect.objectContaining({ code: 'INVALID_STATUS' }));
  });
  test('with another attempt’s key pays nothing, and an operator hears of it; without stock the payment fails', () => {
    expect(decide(pending, { type: 'keyTaken' }, 1)).toMatchObject({
      state: { status: 'pending', result: 'FAILED', attempt: { status: 'DECLINED' } },
      effects: [{ type: 'alarm', kind: 'mismatch', operation: 'return', id: 'att' }],
    });
    expect(decide(pending, { type: 'outOfStock' }, 1)).toMatchObject({
      state: { status: 'failed', result: 'FAILED' },
      effects: [{ type: 'releasePoints' }],
    });
  });
});

describe('what the provider answered to a confirm', () => {
  test.each([
    ['APPROVED', { status: 'completed', result: 'COMPLETED', attempt: { status: 'APPROVED' }, call: null }, ['createOrder']],
    ['DECLINED', { status: 'pending', result: 'FAILED', attempt: { status: 'DECLINED' }, call: null }, ['returnStock']],
    ['VOIDED', { status: 'pending', attempt: { status: 'DECLINED', isUnknown: false } }, ['returnStock']],
    ['FOREIGN', { status: 'pending', lastFailure: { code: 'NOT_CHARGED' } }, ['returnStock']],
    ['UNSENT', { status: 'pending', attempt: { status: 'DECLINED', isUnknown: false } }, ['returnStock']],
    ['UNKNOWN', { status: 'processing', attempt: { isUnknown: true }, call: { name: 'readPayment', n: 1, dueAt: 5000 } }, []],
    ['LOST', { status: 'processing', attempt: { isUnknown: true, confirmAnswered: false }, call: { name: 'readPayment' } }, []],
    ['UNPAID', { status: 'processing', attempt: { readings: 1 }, call: { name: 'confirmPayment', n: 1 } }, []],
  ])('%s', (result, expected, effects) => {
    const decided = decide(confirming, outcome(result), 1000);
    expect(decided.state).toMatchObject(expected);
    expect(decided.effects.map(({ type }) => type)).toEqual(effects);
  });
  test('that may have been sent before proves nothing but an approval', () => {
    const resumed = after(confirming, [{ type: 'resumed' }, 0]);
    expect(decide(resumed, outcome('UNSENT'), 1000).state).toMatchObject({ status: 'processing', call: { name: 'readPayment' } });
    expect(decide(resumed, outcome('APPROVED'), 1000).state).toMatchObject({ status: 'completed', attempt: { isUnknown: false } });
    const declined = after(
      { ...resumed, expiresAt: 0 },
      [outcome('DECLINED'), 0],
      [{ type: 'elapsed' }, 1],
      [{ type: 'unknownRemains' }, 1],
    );
    expect(declined).toMatchObject({ status: 'expired', attempt: { status: 'DECLINED' }, call: { name: 'readPayment' } });
    const reading = after(confirming, [outcome('LOST'), 0]);
    expect(decide(reading, { type: 'resumed' }, 1).state).toEqual(reading);
  });
  test('nothing, for a day: the payment fails, its stock comes back, an operator is told', () => {
    const reading = after(confirming, [outcome('UNKNOWN'), 0]);
    expect(decide(reading, outcome('UNKNOWN'), 24 * 60 * MINUTE)).toMatchObject({
      state: { status: 'failed', attempt: { status: 'UNRESOLVED' }, call: null },
      effects: [{ type: 'alarm', kind: 'unresolved', operation: 'confirmPayment' }, { type: 'returnStock' }, { type: 'releasePoints' }],
    });
  });
  test('an approval that comes when the payment has ended is voided, and read again', () => {
    const ended = after({ ...confirming, expiresAt: 0 }, [outcome('DECLINED'), 0], [{ type: 'elapsed' }, 1]);
    expect(ended.status).toBe('expired');
    const reading = after(ended, [{ type: 'unknownRemains' }, 1]);
    expect(reading.call).toMatchObject({ name: 'readPayment', dueAt: 10 * MINUTE });
    const voiding = decide(reading, outcome('APPROVED'), 11 * MINUTE);
    expect(voiding).toMatchObject({ state: { status: 'expired', call: { name: 'voidPayment' } }, effects: [] });
    expect(decide(voiding.state, outcome('VOIDED'), 12 * MINUTE).state).toMatchObject({ call: null, attempt: { status: 'VOIDED' } });
  });
});

describe('a refund', () => {
  const paid: PaymentState = { ...after(confirming, [outcome('APPROVED'), 0]), refund };
  const requested = after(paid, [{ type: 'refundWaits' }, 0]);
  test('is asked for under its own key, one at a time', () => {
    expect(mayStartRefund(paid, 0)).toBe(true);
    expect(mayStartRefund(requested, 0)).toBe(false);
    expect(planOf(requested, 0).calls).toMatchObject([
      { id: 'refundPayment-rfd-0', input: { refundId: 'rfd', refundAmount: 400, key: 'rfd' } },
    ]);
    expect(planOf({ ...requested, refund: { ...refund, keySeq: 2 } }, 0).calls).toMatchObject([{ input: { key: 'rfd-2' } }]);
  });
  test.each([
    ['REFUNDED', { refund: { status: 'DONE', settledAt: 1 }, call: null }, []],
    ['REFUSED', { refund: { status: 'PENDING', failureCode: 'X' }, call: { name: 'findRefund', dueAt: 1 } }, []],
    ['UNKNOWN', { refund: { isAnswered: true }, call: { name: 'findRefund', dueAt: 4001 } }, []],
    ['LOST', { refund: { isAnswered: false }, call: { name: 'findRefund' } }, []],
    ['FOREIGN', { refund: { status: 'FAILED', failureCode: 'FOREIGN_PAYMENT' }, call: null }, ['alarm']],
  ])('that ended %s', (result, expected, effects) => {
    const decided = decide(requested, outcome(result), 1);
    expect(decided.state).toMatchObject(expected);
    expect(decided.effects.map(({ type }) => type)).toEqual(effects);
  });
  test('that was refused is looked for once: what is not there has failed', () => {
    const read = after(requested, [outcome('REFUSED', 'EXCEED'), 1]);
    expect(decide(read, outcome('ABSENT'), 2).state).toMatchObject({ refund: { status: 'FAILED', failureCode: 'EXCEED' }, call: null });
  });
});

const isUnread = ({ isUnknown, status }: AttemptState): boolean => isUnknown && !['APPROVED', 'UNRESOLVED'].includes(status);
/** A window of PortOne may be paid in until it cannot be open; nothing is confirmed with the token of what has ended. */
function checkEnded({ pg, status, isUnknown, confirmedAt, endedAt, paymentToken }: AttemptState, at: number): void {
  if (endedAt === null) return;
  expect(paymentToken).toBeNull();
  const isKnown = !isUnknown && status !== 'APPROVED' && status !== 'VOIDED' && confirmedAt === null;
  if (pg === 'portone' && isKnown) expect(at).toBeGreaterThanOrEqual(endedAt + 10 * MINUTE);
}

test('no sequence of events makes two orders, gives stock back twice or leaves an end', () => {
  const results = ['APPROVED', 'DECLINED', 'UNKNOWN', 'UNPAID', 'VOIDED', 'FOREIGN', 'UNSENT', 'UNAUTHORIZED', 'WRONG_ENVIRONMENT', 'LOST'];
  const pay = { type: 'pay', pgOrderId: '1-01', amount: 1000, paymentKey: 'k', paymentToken: null } as const;
  const events = fc.oneof(
    fc.constant<PaymentEvent>({ type: 'elapsed' }),
    fc.constant<PaymentEvent>({ type: 'resumed' }),
    fc.constant<PaymentEvent>({ type: 'notified' }),
    fc.constantFrom<PaymentEvent>(pay, { ...pay, paymentToken: 't' }),
    fc.constant<PaymentEvent>({ type: 'giveUp', code: null }),
    fc.tuple(fc.constantFrom(...results), fc.boolean()).map(([result, ended]) => outcome(result, 'X', ended)),
  );
  const steps = fc.array(fc.tuple(events, fc.integer({ min: 0, max: 8 * MINUTE })), { maxLength: 40 });
  fc.assert(
    fc.property(steps, fc.boolean(), fc.constantFrom(...PROVIDERS), (sequence, hasStock, pg) => {
      let state: PaymentState = { ...pending, attempt: { ...attempt, pg } };
      let at = 0;
      let stock = 0;
      let orders = 0;
      const run = (event: PaymentEvent) => {
        const was = state;
        const decided = decide(state, event, at);
        state = decided.state;
        if (isEnded(was)) expect(state.status).toBe(was.status);
        for (const effect of decided.effects) perform(effect);
      };
      const perform = (effect: PaymentEffect): void => {
        if (effect.type === 'reserveKey') return run({ type: 'keyReserved', paymentKey: effect.paymentKey });
        if (effect.type === 'takeStock') {
          if (hasStock) stock++;
          return run(hasStock ? { type: 'stockTaken' } : { type: 'outOfStock' });
        }
        if (effect.type === 'returnStock') stock--;
        if (effect.type === 'createOrder') orders++;
      };
      for (const [event, later] of sequence) {
        at += later;
        if (event.type === 'outcome' && !state.call) continue;
        run(event);
        run({ type: 'elapsed' });
        if (isEnded(state) && !state.call && isUnread(state.attempt!)) run({ type: 'unknownRemains' });
        expect([0, 1]).toContain(stock);
        expect(orders).toBeLessThanOrEqual(1);
        expect(orders === 1).toBe(state.status === 'completed');
        // The stock is held while the outcome is open, and stays where it was sold.
        expect(stock).toBe(state.status === 'processing' || state.status === 'completed' ? 1 : 0);
        checkEnded(state.attempt!, at);
        const plan = planOf(state, at);
        expect(plan.done).toBe(isEnded(state) && state.call === null);
        if (!plan.done) expect(plan.wakeAt).not.toBeNull();
      }
    }),
    { numRuns: 500 },
  );
});
