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
  const [successUrl, failUrl] = [query.get('successUrl') ?? '', query.get('failUrl') ?? ''];
  const order = orderOf(query);
  const { orderId, totalAmount } = order;
  if (!URL.canParse(successUrl) || !URL.canParse(failUrl) || orderId === '' || !Number.isSafeInteger(totalAmount)) return null;
  const refuse = (code: string) => withQuery(failUrl, { code, message: messageOf(code), orderId });
  const key = tossKey('ck', query.get('clientKey') || DEFAULT_CLIENT_KEY);
  if (key === null) return refuse('INVALID_CLIENT_KEY');
  const { card, outcome } = windowOutcome(query);
  const { method } = order;
  if (method === undefined || outcome === 'REFUSE') return refuse('NOT_SUPPORTED_METHOD');
  if (outcome === 'CANCEL') return refuse('PAY_PROCESS_CANCELED');
  const { merchant, environment } = key;
  const payment = payments.open({ ...order, method, merchant, environment });
  payments.authenticate(payment, card);
  return withQuery(successUrl, { paymentType: 'NORMAL', orderId, paymentKey: payment.paymentKey, amount: String(totalAmount) });
}

function orderOf(query: URLSearchParams) {
  const easyPay = query.get('easyPay') || null;
  return {
    pg: 'tosspayments',
    orderId: query.get('orderId') ?? '',
    orderName: query.get('orderName') ?? '',
    totalAmount: Number(query.get('amount')),
    // A wallet comes as a card payment with the wallet's name.
    method: easyPay === null ? METHODS[query.get('method') || 'CARD'] : 'EASY_PAY',
    easyPay,
    storeId: null,
    channelKey: null,
    noticeUrls: [],
  } as const;
}
