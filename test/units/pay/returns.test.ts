/** What the query of a return means, for both providers. */
import { describe, expect, test } from '@jest/globals';
import { readFailed, readReturned } from '../../../api/pay/returns.ts';
import { failureOf } from '../../../domain/payments/failures.ts';

const attempt = { pgOrderId: '1-01', amountWon: 1000 };
const query =
  (values: Record<string, string>) =>
  (name: string, longest = 300): string | null => {
    const value = values[name] ?? '';
    return value.length <= longest && /^[\x20-\x7e]*$/.test(value) ? value : null;
  };
const fromToss = (values: Record<string, string>) => readReturned(query(values), { ...attempt, pg: 'tosspayments' });
const fromPortone = (values: Record<string, string>) => readReturned(query(values), { ...attempt, pg: 'portone' });

describe('TossPayments', () => {
  test('returns with a key, our order and our amount', () => {
    const values = { paymentKey: 'k', orderId: '1-01', amount: '1000' };
    expect(fromToss(values)).toEqual({ name: 'pay', paymentKey: 'k', paymentToken: null });
    expect([fromToss({ ...values, orderId: '1-02' }), fromToss({ ...values, amount: '1' })]).toEqual([409, 409]);
    expect([fromToss({ ...values, paymentKey: '' }), fromToss({ ...values, amount: 'x' }), fromToss({})]).toEqual([400, 400, 400]);
  });
});

describe('PortOne', () => {
  test('returns with a token', () => {
    const values = { paymentId: '1-01', txId: 'tx', paymentToken: 'token' };
    expect(fromPortone(values)).toEqual({ name: 'pay', paymentKey: 'tx', paymentToken: 'token' });
    expect(fromPortone({ ...values, paymentId: '1-02' })).toBe(409);
    expect(fromPortone({ ...values, paymentId: '' })).toBe(400);
  });
  test('returns without one where the channel approves by itself', () => {
    expect(fromPortone({ paymentId: '1-01', txId: 'tx' })).toEqual({ name: 'pay', paymentKey: 'tx', paymentToken: null });
  });
  test.each([
    [{ code: 'FAILURE_TYPE_PG', pgCode: 'PAY_PROCESS_CANCELED' }, 'PAY_PROCESS_CANCELED', 'BUYER_CANCELED'],
    [{ code: 'ChannelNotFound' }, 'ChannelNotFound', 'METHOD_UNAVAILABLE'],
    [{ code: 'StoreNotFound' }, 'StoreNotFound', 'CONFIGURATION'],
    [{ code: 'anything else' }, 'OTHER', 'DECLINED'],
  ])('returns with the code %j, which counts as %s', (values, code, category) => {
    const returned = fromPortone({ paymentId: '1-01', txId: 'tx', message: '카나리아', ...values });
    expect(returned).toEqual({ name: 'giveUp', code });
    expect(failureOf('att_1', code).category).toBe(category);
  });
  test.each([
    ['longer than codes are', { code: 'A'.repeat(81) }, 'OTHER'],
    ['not printable', { code: '거절' }, 'OTHER'],
    ['not printable, of the provider behind it', { pgCode: '거절', code: 'FAILURE_TYPE_PG' }, 'FAILURE_TYPE_PG'],
  ])('a code that is %s is a refusal all the same', (_, values, code) => {
    expect(fromPortone({ paymentId: '1-01', txId: 'tx', paymentToken: 'token', ...values })).toEqual({ name: 'giveUp', code });
  });
  test.each(['AlreadyPaid', 'PaymentAlreadyPaid'])('%s is no refusal: what was paid is read', (code) => {
    const read = { name: 'pay', paymentKey: null, paymentToken: null };
    expect(fromPortone({ paymentId: '1-01', txId: 'tx', code, pgCode: 'X' })).toEqual(read);
    expect(readFailed(query({ rejected: '1', code }), { pg: 'portone' })).toEqual(read);
    expect(fromPortone({ paymentId: '1-02', code })).toBe(409);
  });
  test('a code of another payment is not about this attempt', () => {
    expect(fromPortone({ paymentId: '1-02', code: 'ChannelNotFound' })).toBe(409);
  });
});

describe('the fail address', () => {
  test.each([
    [{}, 'PAY_PROCESS_CANCELED'],
    [{ code: 'NOT_SUPPORTED_METHOD' }, 'NOT_SUPPORTED_METHOD'],
    [{ code: 'some text' }, 'OTHER'],
    // The page's script could not open the window: only what is known to be a decline or a cancel is none of the window's.
    [{ rejected: '1' }, 'PAY_PROCESS_CANCELED'],
    [{ rejected: '1', code: 'USER_CANCEL' }, 'USER_CANCEL'],
    [{ rejected: '1', code: 'REJECT_CARD_PAYMENT' }, 'REJECT_CARD_PAYMENT'],
    [{ rejected: '1', code: 'NOT_AVAILABLE_PAYMENT' }, 'NOT_AVAILABLE_PAYMENT'],
    [{ rejected: '1', code: 'INVALID_CLIENT_KEY' }, 'NOT_AVAILABLE_PAYMENT'],
    [{ rejected: '1', code: 'TypeError' }, 'NOT_AVAILABLE_PAYMENT'],
  ])('%j is %s', (values: Record<string, string>, code) => {
    expect(readFailed(query(values), { pg: 'tosspayments' })).toEqual({ name: 'giveUp', code });
  });
  test.each([
    [{ rejected: '1', code: 'ChannelNotFound' }, 'ChannelNotFound', true],
    [{ rejected: '1', code: 'AllChannelsNotSatisfied' }, 'AllChannelsNotSatisfied', true],
    // The SDK was not loaded.
    [{ rejected: '1', code: 'NOT_AVAILABLE_PAYMENT' }, 'NOT_AVAILABLE_PAYMENT', true],
    [{ rejected: '1', code: 'UnknownError' }, 'OTHER', false],
    [{ rejected: '1', code: 'PGProviderError' }, 'OTHER', false],
    [{ rejected: '1', code: 'DeadlineExceeded' }, 'DeadlineExceeded', false],
    [{ rejected: '1', code: '거절' }, 'OTHER', false],
    [{ rejected: '1' }, 'PAY_PROCESS_CANCELED', false],
  ])('of PortOne: %j is %s, and another provider follows: %s', (values: Record<string, string>, code, isNext) => {
    expect(readFailed(query(values), { pg: 'portone' })).toEqual({ name: 'giveUp', code });
    expect(failureOf('att_1', code).category === 'METHOD_UNAVAILABLE').toBe(isNext);
  });
});
