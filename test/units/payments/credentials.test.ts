/** The payment's machine where credentials, circuits, notifications and PortOne's own approvals come in (Y9, Y17, Y18, Y24 … Y27). */
import { describe, expect, test } from '@jest/globals';
import * as machines from '../../../bin/dev/machines.ts';
import { DAY, HOUR, MINUTE } from '../../../domain/kernel/time.ts';
import { decide, mayStartRefund } from '../../../domain/payments/machine.ts';
import type { ProviderOutcome } from '../../../domain/payments/messages.ts';
import { planOf, wakeAtOf } from '../../../domain/payments/plan.ts';
import type { AttemptState, PaymentEvent, PaymentState, RefundState } from '../../../domain/payments/state.ts';

const toss: AttemptState = { ...machines.attempt, attemptId: 'att', pgOrderId: '1-01', amountWon: 1000 };
const portone: AttemptState = { ...toss, pg: 'portone' };
const refund: RefundState = { ...machines.refund, refundId: 'rfd', amountWon: 400 };
const open = (attempt: AttemptState): PaymentState => ({ ...machines.initial, attempt, currentAttemptId: 'att' });
const outcome = (result: ProviderOutcome['result'], more: Partial<ProviderOutcome> = {}): PaymentEvent => ({
  type: 'outcome',
  outcome: { result, code: 'X', ended: true, approvedMethod: 'CARD', ...more } as ProviderOutcome,
});
const after = (state: PaymentState, ...events: readonly (readonly [PaymentEvent, number])[]): PaymentState =>
  events.reduce((current, [event, at]) => decide(current, event, at).state, state);
const effectsOf = (state: PaymentState, event: PaymentEvent, at: number) => decide(state, event, at).effects.map(({ type }) => type);
const STOCK = { type: 'stockTaken' } as const;
const NOTIFIED = { type: 'notified' } as const;
const VERIFIED = { type: 'credentialsVerified' } as const;
const UNREMAINS = { type: 'unknownRemains' } as const;
const pay = (paymentToken: string | null, paymentKey: string | null = 'tx'): PaymentEvent => ({
  type: 'pay',
  pgOrderId: '1-01',
  amount: 1000,
  paymentKey,
  paymentToken,
});
const confirming = after(open(toss), [{ type: 'keyReserved', paymentKey: 'k' }, 0], [STOCK, 0]);
const completed = after(confirming, [outcome('APPROVED'), 0]);
const refused = outcome('DECLINED', { code: 'UNAUTHORIZED_KEY', isUnauthorized: true });

describe('credentials that are refused at a confirm (Y18)', () => {
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

describe('technical failures (Y17)', () => {
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

describe('a call that no credentials may make (Y9)', () => {
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

describe('a buyer who comes back from PortOne (Y25)', () => {
  test.each([
    ['with a code is read once afterwards: the channel may have approved all the same', portone, true],
    ['… which TossPayments never does', toss, false],
  ])('%s', (_, attempt, isUnknown) => {
    const given = after(open(attempt), [{ type: 'giveUp', code: null }, 1]);
    expect(given).toMatchObject({ status: 'pending', result: 'CANCELED', attempt: { status: 'CANCELED', isUnknown } });
    if (isUnknown)
      expect(after(given, [UNREMAINS, 5], [outcome('APPROVED'), 6])).toMatchObject({
        call: { name: 'voidPayment' },
        attempt: { status: 'CANCELED' },
      });
  });
  const token = { ...portone, paymentToken: 'tok' };
  test('with a token is confirmed', () => {
    expect(decide(open(portone), pay('tok'), 1)).toEqual({ state: open(token), effects: [{ type: 'reserveKey', paymentKey: 'tx' }] });
    expect(after(open(token), [STOCK, 1])).toMatchObject({ call: { name: 'confirmPayment' }, attempt: { isUnknown: false } });
  });
  const tokenless = after(open(portone), [{ type: 'keyReserved', paymentKey: 'tx' }, 1]);
  test('without one is read, and never confirmed: no stock is taken before an approval is known', () => {
    expect(effectsOf(open(portone), pay(null, null), 1)).toEqual([]);
    for (const read of [tokenless, after(open(portone), [pay(null, null), 1])])
      expect(read).toMatchObject({
        status: 'pending',
        call: { name: 'readPayment', dueAt: 1 },
        attempt: { status: 'OPEN', isUnknown: true, confirmedAt: null },
      });
    expect(decide(open(portone), { type: 'keyReserved', paymentKey: 'tx' }, 1).effects).toEqual([]);
    const paid = decide(tokenless, outcome('APPROVED'), 2);
    expect(paid).toMatchObject({ state: { status: 'processing' }, effects: [{ type: 'takeStock' }] });
    expect(decide(paid.state, STOCK, 2)).toMatchObject({ state: { status: 'completed' }, effects: [{ type: 'createOrder' }] });
    expect(after(paid.state, [{ type: 'outOfStock' }, 2])).toMatchObject({ status: 'failed', call: { name: 'voidPayment' } });
  });
  test('without one, and nothing paid, may pay still; a decline that is read ends the attempt', () => {
    let unpaid = tokenless;
    for (let n = 1; n < 5; n++) {
      unpaid = after(unpaid, [outcome('UNPAID'), n * MINUTE]);
      expect(unpaid).toMatchObject({ status: 'pending', call: { name: 'readPayment', n }, attempt: { status: 'OPEN' } });
    }
    unpaid = after(unpaid, [outcome('UNPAID'), 5 * MINUTE]);
    expect(unpaid).toMatchObject({ status: 'pending', call: null, attempt: { status: 'OPEN', isUnknown: true } });
    const confirmed = after(unpaid, [pay('tok'), 6 * MINUTE], [STOCK, 6 * MINUTE]);
    expect(confirmed).toMatchObject({ status: 'processing', call: { name: 'confirmPayment' } });
    expect(decide(tokenless, outcome('DECLINED', { code: 'REJECT_CARD_PAYMENT' }), 2)).toMatchObject({
      state: {
        status: 'pending',
        call: null,
        attempt: { status: 'DECLINED', isUnknown: true },
        lastFailure: { code: 'REJECT_CARD_PAYMENT' },
      },
      effects: [],
    });
  });
  test('without one again, while that is being read, is not read twice at once', () => {
    expect(after(tokenless, [pay(null), 2])).toEqual(tokenless);
    const waiting = after(tokenless, [outcome('UNPAID'), 2], [pay(null, null), 3]);
    expect(waiting.call).toMatchObject({ name: 'readPayment', dueAt: 3, n: 0 });
  });
  test('with a key of another attempt pays nothing here, but may have paid elsewhere', () => {
    expect(after(open(portone), [{ type: 'keyTaken' }, 1]).attempt).toMatchObject({ status: 'DECLINED', isUnknown: true });
  });
  test('keeps no token when the attempt has ended', () => {
    const declined = after(open(token), [STOCK, 1], [outcome('DECLINED'), 2]);
    expect(declined.attempt).toMatchObject({ status: 'DECLINED', paymentToken: null });
    expect(after(open(token), [STOCK, 1], [outcome('APPROVED'), 2]).attempt).toMatchObject({ status: 'APPROVED', paymentToken: null });
    expect(after(open(token), [STOCK, 1]).attempt).toMatchObject({ paymentToken: 'tok' });
  });
  test('without stock is read at once and voided', () => {
    const failed = after(open(portone), [{ type: 'outOfStock' }, 1]);
    expect(failed).toMatchObject({ status: 'failed', attempt: { status: 'DECLINED', isUnknown: true } });
    const reading = after(failed, [UNREMAINS, 1]);
    expect(reading.call).toMatchObject({ name: 'readPayment', dueAt: 1 });
    expect(after(reading, [outcome('APPROVED'), 2])).toMatchObject({ status: 'failed', call: { name: 'voidPayment' } });
    expect(after(open(toss), [{ type: 'outOfStock' }, 1]).attempt!.isUnknown).toBe(false);
  });
  const old = { ...portone, attemptId: 'old', status: 'SUPERSEDED', isUnknown: true, endedAt: 1 } as const;
  const early = after({ ...open(old), currentAttemptId: 'att' }, [UNREMAINS, 1]);
  test('is not made to wait by the reading of an attempt before', () => {
    expect(early).toMatchObject({ status: 'pending', call: { attemptId: 'old', name: 'readPayment', dueAt: 1 } });
    expect(wakeAtOf({ ...early, call: { ...early.call!, dueAt: HOUR } })).toBe(10 * MINUTE);
    expect(after(early, [outcome('APPROVED'), 2])).toMatchObject({ status: 'pending', call: { name: 'voidPayment' } });
    const back = after({ ...early, attempt: token }, [pay('tok'), 3], [STOCK, 3]);
    expect(back).toMatchObject({ status: 'processing', call: { attemptId: 'att', name: 'confirmPayment' } });
    const hinted = after({ ...early, attempt: portone }, [NOTIFIED, 3]);
    expect(hinted.call).toMatchObject({ attemptId: 'att', name: 'readPayment', dueAt: 2003 });
  });
  test.each(['UNPAID', 'DECLINED', 'FOREIGN'] as const)('may pay in a window before: after %s it is read once more', (result) => {
    const read = after(early, [outcome(result), 2]);
    expect(read).toMatchObject({ call: null, attempt: { isUnknown: true, readings: 1 } });
    const ended = after({ ...read, status: 'expired' }, [UNREMAINS, 3]);
    expect(ended.call).toMatchObject({ name: 'readPayment', dueAt: 1 + 10 * MINUTE });
    expect(after(ended, [outcome('APPROVED'), 1 + 10 * MINUTE])).toMatchObject({ call: { name: 'voidPayment' } });
    expect(after(ended, [outcome(result), 1 + 10 * MINUTE])).toMatchObject({ call: null, attempt: { isUnknown: false } });
  });
  test('has what was paid in it found, though another call is under way when the provider notifies', () => {
    const read = { ...old, readings: 1 };
    const busy = { ...open(read), call: { ...confirming.call! } };
    expect(after(busy, [NOTIFIED, 5])).toEqual({ ...busy, attempt: { ...read, readings: 0 } });
    expect(after({ ...busy, attempt: { ...read, isUnknown: false } }, [NOTIFIED, 5]).attempt).toMatchObject({
      isUnknown: true,
      readings: 0,
    });
    const waiting = { ...busy, status: 'expired', call: { ...early.call!, attemptId: 'other', dueAt: HOUR } } as const;
    expect(after(waiting, [NOTIFIED, 5]).call).toMatchObject({ attemptId: 'old', dueAt: 5 });
    expect(after({ ...waiting, call: { ...waiting.call, isBlocked: true } }, [NOTIFIED, 5]).call).toMatchObject({ attemptId: 'other' });
  });
});

describe('a charge in the other environment (Y24)', () => {
  const declined = {
    status: 'pending',
    call: { name: 'voidPayment' },
    attempt: { status: 'DECLINED', isUnknown: true },
    lastFailure: { category: 'CONFIGURATION', code: 'ENVIRONMENT_MISMATCH', optionUnavailable: true },
  };
  test('is voided at once, and buys nothing', () => {
    const own = outcome('WRONG_ENVIRONMENT', { isOwnChannel: true });
    const wrong = decide(confirming, own, 1);
    expect(wrong.state).toMatchObject(declined);
    expect(wrong.effects.map(({ type }) => type)).toEqual(['rejectCredentials', 'returnStock']);
    expect(after(wrong.state, [outcome('VOIDED'), 2])).toMatchObject({ status: 'pending', call: null, attempt: { status: 'VOIDED' } });
    const hinted = after(open(portone), [NOTIFIED, 0]);
    expect(decide(hinted, own, 1)).toMatchObject({ state: declined, effects: [{ type: 'rejectCredentials' }] });
    const late = after({ ...hinted, status: 'expired', attempt: { ...hinted.attempt!, status: 'EXPIRED' } }, [NOTIFIED, 1]);
    expect(effectsOf(late, own, 1)).toEqual(['rejectCredentials']);
    const again = after(late, [own, 1], [outcome('UNKNOWN'), 2]);
    expect(decide(again, own, 9000)).toMatchObject({ state: { call: { name: 'voidPayment' } }, effects: [] });
  });
  test('of a channel that is not the set’s tells nothing of the set: a window can be opened by hand', () => {
    const foreign = outcome('WRONG_ENVIRONMENT');
    const wrong = decide(confirming, foreign, 1);
    expect(wrong.state).toMatchObject(declined);
    expect(wrong.effects.map(({ type }) => type)).toEqual(['returnStock']);
    const hinted = after(open(portone), [NOTIFIED, 0]);
    expect(decide(hinted, foreign, 1)).toMatchObject({ state: declined, effects: [] });
    const late = after({ ...hinted, status: 'expired', attempt: { ...hinted.attempt!, status: 'EXPIRED' } }, [NOTIFIED, 1]);
    expect(decide(late, foreign, 1)).toMatchObject({ state: { call: { name: 'voidPayment' } }, effects: [] });
  });
});

describe('a notification (Y27)', () => {
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

describe('a cancel that the provider carries out later (Y26)', () => {
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
