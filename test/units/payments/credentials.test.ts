/** The payment's machine where credentials, circuits and notifications come in. */
import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, MINUTE } from '../../../domain/kernel/time.ts';
import { decide, mayStartRefund } from '../../../domain/payments/machine.ts';
import { planOf } from '../../../domain/payments/plan.ts';
import type { PaymentEvent } from '../../../domain/payments/state.ts';
import {
  toss,
  portone,
  refund,
  open,
  outcome,
  after,
  effectsOf,
  STOCK,
  NOTIFIED,
  VERIFIED,
  UNREMAINS,
  confirming,
  completed,
  refused,
} from './states.ts';

describe('credentials that are refused at a confirm', () => {
  test('charge nothing: the option is unavailable, the stock goes back, the set is rejected, another provider may follow', () => {
    const decided = decide(confirming, refused, 1000);
    expect(decided.state).toMatchObject({
      status: 'pending',
      call: null,
      attempt: { status: 'DECLINED', isUnknown: false },
      lastFailure: { category: 'CONFIGURATION', code: 'UNAUTHORIZED_KEY', optionUnavailable: true },
    });
    expect(decided.effects.map(({ type }) => type)).toEqual(['returnStock', 'rejectCredentials']);
  });
  test('are a configuration whatever the code', () => {
    const decided = decide(confirming, outcome('DECLINED', { code: 'HTTP_401', isUnauthorized: true }), 1);
    expect(decided.state.lastFailure).toMatchObject({ category: 'CONFIGURATION', code: 'UNAUTHORIZED' });
  });
  test('prove nothing about a confirm that may have been sent before', () => {
    const decided = decide(after(confirming, [{ type: 'resumed' }, 0]), refused, 1);
    expect(decided.state).toMatchObject({ status: 'processing', call: { name: 'readPayment' } });
    expect(decided.effects.map(({ type }) => type)).toEqual(['rejectCredentials']);
  });
});

describe('technical failures', () => {
  const technical = outcome('UNKNOWN', { isTechnical: true });
  const slow = outcome('UNKNOWN', { code: 'TIMEOUT', ended: false });
  test.each([
    ['a confirm that fails technically', confirming, technical, ['countTechnicalFailure']],
    ['a confirm of unknown outcome', confirming, outcome('UNKNOWN'), []],
    ['a confirm whose worker died', confirming, { type: 'outcome', outcome: { result: 'LOST' } } satisfies PaymentEvent, []],
    ['a confirm that was cut short', confirming, slow, []],
    ['the reading after it', after(confirming, [slow, 0]), technical, ['countTechnicalFailure']],
    ['a reading after a failure that was counted', after(confirming, [technical, 0]), technical, []],
    ['the second reading after it was cut short', after(confirming, [slow, 0], [technical, 5000]), technical, []],
    ['a confirm that is repeated', after(confirming, [technical, 0], [outcome('UNPAID'), 5000]), technical, []],
  ])('%s', (_, state, event, effects) => expect(effectsOf(state, event, 6000)).toEqual(effects));
});

describe('a call that no credentials may make', () => {
  const UNAUTHORIZED = outcome('UNAUTHORIZED', { isUnauthorized: true });
  const reading = after(confirming, [outcome('UNKNOWN'), 0]);
  const refunding = after({ ...completed, refund }, [{ type: 'refundWaits' }, 0]);
  const late = after({ ...confirming, expiresAt: 0 }, [outcome('DECLINED'), 0], [{ type: 'elapsed' }, 1], [UNREMAINS, 1]);
  const voiding = after(late, [outcome('APPROVED'), 11 * MINUTE]);
  test.each([
    ['a reading', reading, 'readPayment', 0],
    ['a last reading', late, 'readPayment', 10 * MINUTE],
    ['a void', voiding, 'readPayment', 12 * MINUTE],
    ['a refund', refunding, 'findRefund', 0],
  ])('%s is planned again, soon and then every hour, for as long as it takes', (_, state, name, at) => {
    const blocked = after(state, [UNAUTHORIZED, at]);
    expect(blocked).toMatchObject({ status: state.status, call: { name, isBlocked: true, dueAt: at + MINUTE } });
    const again = after(blocked, [UNAUTHORIZED, at + MINUTE]);
    expect(again.call).toMatchObject({ name, isBlocked: true, dueAt: at + MINUTE + HOUR });
    expect(again.call!.id).not.toBe(blocked.call!.id);
    const much = after(again, [UNAUTHORIZED, at + 3 * DAY]);
    expect(decide(much, outcome('UNKNOWN'), at + 3 * DAY + HOUR).effects).toEqual([]);
    expect(after(much, [outcome('UNKNOWN'), at + 3 * DAY + HOUR]).call).not.toBeNull();
  });
  test.each([
    ['a reading', reading, 'readPayment', 0],
    ['a last reading', late, 'readPayment', 10 * MINUTE],
    ['a void', voiding, 'readPayment', 12 * MINUTE],
    ['a refund', refunding, 'findRefund', 0],
  ])('%s for which there are no credentials waits in the same way', (_, state, name, at) => {
    const blocked = after(state, [outcome('UNSENT', { code: 'PAYMENT_NOT_CONFIGURED', ended: false }), at]);
    expect(blocked).toMatchObject({ status: state.status, call: { name, isBlocked: true, dueAt: at + MINUTE } });
  });
  test('is due at once when a set is verified; nothing else is', () => {
    const blocked = after(refunding, [UNAUTHORIZED, 0]);
    expect(blocked.refund).toMatchObject({ status: 'PENDING' });
    const due = after(blocked, [VERIFIED, 5000]);
    expect(due.call).toMatchObject({ name: 'findRefund', dueAt: 5000, isBlocked: false });
    expect(planOf(due, 5000).calls).toMatchObject([{ name: 'findRefund' }]);
    const found = after(due, [outcome('ABSENT'), 6000]);
    expect(found.call).toMatchObject({ name: 'refundPayment', dueAt: 6000 });
    expect(planOf(found, 6000).calls).toMatchObject([{ input: { key: 'rfd' } }]);
    expect(after(reading, [VERIFIED, 1])).toEqual(reading);
    expect(after(completed, [VERIFIED, 1])).toEqual(completed);
  });
});

describe('a notification', () => {
  test.each([
    ['an open attempt of PortOne is read, when the buyer has not come back by then', open(portone), { name: 'readPayment', dueAt: 2001 }],
    ['an open attempt of TossPayments is not', open(toss), null],
    ['an approved payment is read', completed, { name: 'readPayment', dueAt: 1 }],
    ['an attempt of PortOne that has ended is read', open({ ...portone, status: 'SUPERSEDED' }), { name: 'readPayment', dueAt: 1 }],
    ['one of TossPayments that was not confirmed is not', open({ ...toss, status: 'SUPERSEDED' }), null],
    ['a planned reading is due', after(confirming, [outcome('UNKNOWN'), 0]), { name: 'readPayment', dueAt: 1, isHint: true }],
    ['a confirm in flight stays', confirming, { name: 'confirmPayment', dueAt: 0 }],
  ])('%s', (_, state, call) => {
    const { state: next, effects } = decide(state, NOTIFIED, 1);
    expect(effects).toEqual([]);
    if (call) expect(next.call).toMatchObject(call);
    else expect(next.call).toBeNull();
  });
  test('of a payment that PortOne approved by itself makes the order, with stock; without, it is voided', () => {
    const paid = decide(after(open(portone), [NOTIFIED, 0]), outcome('APPROVED'), 3000);
    expect(paid).toMatchObject({ state: { status: 'processing', attempt: { status: 'CONFIRMING' } }, effects: [{ type: 'takeStock' }] });
    expect(decide(paid.state, STOCK, 3000)).toMatchObject({
      state: { status: 'completed', call: null, attempt: { status: 'APPROVED', approvedMethod: 'CARD', isUnknown: false } },
      effects: [{ type: 'createOrder' }],
    });
    expect(after(paid.state, [{ type: 'outOfStock' }, 3000])).toMatchObject({ status: 'failed', call: { name: 'voidPayment' } });
  });
  test('of one that came too late leaves it to the last reading', () => {
    const hinted = after(open(portone), [NOTIFIED, 0]);
    expect(decide(hinted, outcome('APPROVED'), 10 * MINUTE)).toMatchObject({ state: { status: 'pending', call: null }, effects: [] });
  });
  test.each(['UNPAID', 'DECLINED', 'VOIDED', 'FOREIGN', 'UNSENT', 'UNAUTHORIZED'] as const)('%s changes no open attempt', (result) => {
    const hinted = after(open(portone), [NOTIFIED, 0]);
    expect(decide(hinted, outcome(result), 3000)).toEqual({ state: { ...hinted, call: null }, effects: [] });
  });
  test('is tried a few times while the provider does not answer', () => {
    let state = after(open(portone), [NOTIFIED, 0]);
    for (let n = 1; n < 5; n++) {
      state = after(state, [outcome('UNKNOWN'), n * MINUTE]);
      expect(state.call).toMatchObject({ name: 'readPayment', n });
    }
    expect(after(state, [outcome('UNKNOWN'), 5 * MINUTE]).call).toBeNull();
  });
  test('of a cancel at the provider alarms an operator, and changes no order', () => {
    const watched = after(completed, [NOTIFIED, 1]);
    expect(mayStartRefund(watched, 1)).toBe(false);
    const foreign = outcome('UNKNOWN', { code: 'PARTIAL_CANCELED', isForeignCancel: true });
    expect(decide(watched, foreign, 2)).toMatchObject({
      state: { status: 'completed', call: null, attempt: { status: 'APPROVED' } },
      effects: [{ type: 'alarm', kind: 'foreignCancel', operation: 'readPayment', id: 'att' }],
    });
    for (const own of [outcome('APPROVED'), outcome('VOIDED'), outcome('UNAUTHORIZED')]) expect(effectsOf(watched, own, 2)).toEqual([]);
    expect(after(watched, [outcome('UNKNOWN', { isTechnical: true }), 2]).call).toMatchObject({ name: 'readPayment', n: 1 });
  });
  test('proves no "not charged" before its time', () => {
    const reading = after(confirming, [outcome('UNKNOWN'), 0], [NOTIFIED, 1]);
    expect(after(reading, [outcome('UNPAID'), 2]).attempt!.readings).toBe(0);
    const declined = after(after(confirming, [{ type: 'resumed' }, 0]), [outcome('DECLINED'), 1], [NOTIFIED, 2]);
    expect(declined.call).toMatchObject({ name: 'readPayment', dueAt: 2 });
    expect(after(declined, [outcome('UNPAID'), 3])).toMatchObject({ call: null, attempt: { isUnknown: true } });
  });
});

describe('a cancel that the provider carries out later', () => {
  const requested = after({ ...completed, refund }, [{ type: 'refundWaits' }, 0]);
  const running = after(requested, [outcome('UNKNOWN', { code: 'CANCEL_REQUESTED' }), 1]);
  test('is read until it is done', () => {
    expect(running).toMatchObject({ refund: { status: 'PENDING' }, call: { name: 'findRefund', dueAt: 4001 } });
    const still = after(running, [outcome('UNKNOWN', { code: 'CANCEL_REQUESTED' }), 4001]);
    expect(still.call).toMatchObject({ name: 'findRefund', dueAt: 12_001 });
    expect(after(still, [outcome('REFUNDED'), 12_001]).refund).toMatchObject({ status: 'DONE' });
  });
  test('or refused', () => {
    const failed = after(running, [outcome('REFUSED', { code: 'CANCEL_FAILED' }), 4001]);
    expect(failed).toMatchObject({ call: null, refund: { status: 'FAILED', failureCode: 'CANCEL_FAILED' } });
  });
});
