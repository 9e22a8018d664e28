import { describe, expect, test } from '@jest/globals';
import { hintOf, isNews } from '../../../domain/payments/notifications.ts';

describe('what a notification may be a hint of', () => {
  const portone = (type: unknown, paymentId: unknown = '26112400000001-01') => ({ type, timestamp: 'x', data: { paymentId } });
  const toss = (status: unknown, orderId: unknown = '26112400000001-01') => ({
    eventType: 'PAYMENT_STATUS_CHANGED',
    data: { orderId, status },
  });
  const about = (what: 'payment' | 'cancel') => ({ pgOrderId: '26112400000001-01', about: what });
  test.each([
    ['portone', portone('Transaction.Paid'), about('payment')],
    ['portone', portone('Transaction.Cancelled'), about('cancel')],
    ['portone', portone('Transaction.Ready'), null],
    ['portone', portone('BillingKey.Issued'), null],
    ['portone', portone('Transaction.Paid', { $ne: null }), null],
    ['portone', portone('Transaction.Paid', 'x'.repeat(65)), null],
    ['portone', portone('Transaction.Paid', 'a\u0000b'), null],
    ['tosspayments', toss('DONE'), about('payment')],
    ['tosspayments', toss('PARTIAL_CANCELED'), about('cancel')],
    ['tosspayments', toss('IN_PROGRESS'), null],
    ['tosspayments', [], null],
    ['tosspayments', null, null],
    ['tosspayments', { data: 'DONE' }, null],
    ['tosspayments', portone('Transaction.Paid'), null],
  ] as const)('%s %j', (provider, body, expected) => expect(hintOf(provider, body)).toEqual(expected));

  test.each([
    ['payment', 'OPEN', false, true],
    ['payment', 'SUPERSEDED', false, true],
    ['payment', 'CONFIRMING', false, true],
    ['payment', 'CONFIRMING', true, false],
    ['payment', 'APPROVED', false, false],
    ['cancel', 'APPROVED', false, true],
    ['cancel', 'DECLINED', false, false],
  ] as const)('of a %s while the attempt is %s, being confirmed %s: news %s', (what, status, isConfirmed, expected) =>
    expect(isNews(about(what), { status, isConfirmed })).toBe(expected),
  );
});
