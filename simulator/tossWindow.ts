/** The window of TossPayments. Its query: `clientKey, method, amount, orderId, orderName, successUrl, failUrl, easyPay`. */
import { windowOutcome } from './cards.ts';
import { messageOf } from './codes.ts';
import { tossKey } from './merchants.ts';
import type { Method, Payments } from './payments.ts';
import { windowPage, withQuery } from './window.ts';

const METHODS: Readonly<Record<string, Method>> = {
  CARD: 'CARD',
  EASY_PAY: 'EASY_PAY',
  TRANSFER: 'BANK_TRANSFER',
  VIRTUAL_ACCOUNT: 'VIRTUAL_ACCOUNT',
  MOBILE_PHONE: 'MOBILE',
};
const DEFAULT_CLIENT_KEY = 'test_ck_sangjeom';

export const tossWindow = (query: URLSearchParams): string => windowPage(query, '/window/toss/submit', query.get('amount'));

/** The redirect after the window: the success URL with the payment key, or the fail URL with a code. */
export function submitToss(query: URLSearchParams, payments: Payments): string | null {
  const [success, failure] = [query.get('successUrl') ?? '', query.get('failUrl') ?? ''];
  const [orderId, totalAmount] = [query.get('orderId') ?? '', Number(query.get('amount'))];
  if (!URL.canParse(success) || !URL.canParse(failure) || orderId === '' || !Number.isSafeInteger(totalAmount)) return null;
  const refuse = (code: string) => withQuery(failure, { code, message: messageOf(code), orderId });
  const key = tossKey('ck', query.get('clientKey') || DEFAULT_CLIENT_KEY);
  if (key === null) return refuse('INVALID_CLIENT_KEY');
  const method = METHODS[query.get('method') || 'CARD'];
  const { card, outcome } = windowOutcome(query);
  if (method === undefined || outcome === 'REFUSE') return refuse('NOT_SUPPORTED_METHOD');
  if (outcome === 'CANCEL') return refuse('PAY_PROCESS_CANCELED');
  const easyPay = query.get('easyPay') || null;
  const payment = payments.open({
    pg: 'tosspayments',
    merchant: key.merchant,
    environment: key.environment ?? 'TEST',
    orderId,
    orderName: query.get('orderName') ?? '',
    totalAmount,
    // The API takes a wallet as a card payment with the wallet's name.
    method: easyPay === null ? method : 'EASY_PAY',
    easyPay,
    storeId: null,
    channelKey: null,
    noticeUrls: [],
  });
  payments.authenticate(payment, card);
  return withQuery(success, { paymentType: 'NORMAL', orderId, paymentKey: payment.paymentKey, amount: String(totalAmount) });
}
