/** The payment's machine where PortOne may approve by itself, in a window that is open, and with any channel. */
import { describe, expect, test } from '@jest/globals';
import { HOUR, MINUTE } from '../../../domain/kernel/time.ts';
import { decide } from '../../../domain/payments/machine.ts';
import { wakeAtOf } from '../../../domain/payments/plan.ts';
import { toss, portone, open, outcome, after, effectsOf, STOCK, NOTIFIED, UNREMAINS, pay, confirming } from './states.ts';

describe('a buyer who comes back from PortOne', () => {
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

describe('a charge in the other environment', () => {
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
  test('is the reason of the failure however the confirm ended, and the set’s own channel is rejected', () => {
    const reason = { category: 'CONFIGURATION', code: 'ENVIRONMENT_MISMATCH' };
    const own = { code: 'ENVIRONMENT_MISMATCH', isOwnChannel: true } as const;
    for (const result of ['DECLINED', 'VOIDED'] as const) {
      const ended = decide(confirming, outcome(result, own), 1);
      expect(ended.state).toMatchObject({ status: 'pending', attempt: { status: 'DECLINED' }, lastFailure: reason });
      expect(ended.effects.map(({ type }) => type)).toEqual(['returnStock', 'rejectCredentials']);
      expect(effectsOf(confirming, outcome(result, { code: 'ENVIRONMENT_MISMATCH' }), 1)).toEqual(['returnStock']);
    }
    const unpaid = outcome('UNPAID', own);
    let read = after(confirming, [outcome('UNKNOWN'), 1]);
    for (let n = 1; read.call !== null && n < 100; n++) read = after(read, [unpaid, 1000 * n]);
    expect(read).toMatchObject({ status: 'pending', lastFailure: reason });
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
