/**
 * The window of PortOne. Its query: `storeId, channelKey, paymentId, orderName, totalAmount, currency, payMethod, easyPayProvider?,
 * redirectUrl, noticeUrls` (any number of them).
 */
import { windowOutcome } from './cards.ts';
import { failureOf, messageOf } from './codes.ts';
import { portoneStore } from './merchants.ts';
import type { Method, Order, Payment, Payments } from './payments.ts';
import { windowPage, withQuery } from './window.ts';

const METHODS: Readonly<Record<string, Method>> = {
  CARD: 'CARD',
  EASY_PAY: 'EASY_PAY',
  TRANSFER: 'BANK_TRANSFER',
  VIRTUAL_ACCOUNT: 'VIRTUAL_ACCOUNT',
  MOBILE: 'MOBILE',
};
const MESSAGES: Readonly<Record<string, string>> = {
  StoreNotFound: '상점을 찾을 수 없습니다.',
  ChannelNotFound: '채널을 찾을 수 없습니다.',
  AlreadyPaid: '이미 결제된 결제 건입니다.',
};

/** Whether the window can lead back at all. */
const isUsable = (query: URLSearchParams): boolean =>
  URL.canParse(query.get('redirectUrl') ?? '') &&
  query.get('paymentId') !== null &&
  query.get('paymentId') !== '' &&
  Number.isSafeInteger(Number(query.get('totalAmount') ?? 'none'));

/** The order of a query, or the SDK's error code. */
function orderOf(query: URLSearchParams): Order | string {
  const [storeId, channelKey] = [query.get('storeId') ?? '', query.get('channelKey') ?? ''];
  const store = portoneStore(storeId, channelKey);
  const method = METHODS[(query.get('payMethod') ?? 'CARD').replace(/^PAY_METHOD_/, '')];
  if (store === null) return 'StoreNotFound';
  if (!/^channel-key-./.test(channelKey) || method === undefined) return 'ChannelNotFound';
  return {
    pg: 'portone',
    merchant: store.merchant,
    environment: store.environment,
    orderId: query.get('paymentId')!,
    orderName: query.get('orderName') ?? '',
    totalAmount: Number(query.get('totalAmount')),
    method,
    easyPay: (method === 'EASY_PAY' && query.get('easyPayProvider')?.replace(/^EASY_PAY_PROVIDER_/, '')) || null,
    storeId,
    channelKey,
    noticeUrls: query.getAll('noticeUrls').filter((url) => URL.canParse(url)),
  };
}

/** The payment that an open window is for: the one that it was opened with before, or another. */
function openPayment(order: Order, payments: Payments): Payment | 'AlreadyPaid' {
  const key = { pg: order.pg, merchant: order.merchant, name: order.merchant, environment: null };
  if (payments.charged(key, order.orderId)) return 'AlreadyPaid';
  const isSame = (one: Payment) => one.state === 'READY' && one.totalAmount === order.totalAmount && one.channelKey === order.channelKey;
  return payments.ofOrder(key, order.orderId).findLast(isSame) ?? payments.open(order);
}

export function portoneWindow(query: URLSearchParams, payments: Payments): string | null {
  if (!isUsable(query)) return null;
  const order = orderOf(query);
  if (typeof order !== 'string') openPayment(order, payments);
  return windowPage(query, '/window/portone/submit', query.get('totalAmount'));
}

/** The redirect after the window: with a payment token, without one where the channel approves by itself, or with codes. */
export function submitPortone(query: URLSearchParams, payments: Payments): string | null {
  if (!isUsable(query)) return null;
  const [redirectUrl, paymentId] = [query.get('redirectUrl')!, query.get('paymentId')!];
  const back = (parameters: Record<string, string | undefined>) =>
    withQuery(redirectUrl, { transactionType: 'PAYMENT', paymentId, ...parameters });
  const refuse = (code: string) => back({ code, message: MESSAGES[code] ?? code });
  const order = orderOf(query);
  if (typeof order === 'string') return refuse(order);
  const { card, outcome } = windowOutcome(query);
  if (outcome === 'REFUSE') return refuse('ChannelNotFound');
  const payment = openPayment(order, payments);
  if (payment === 'AlreadyPaid') return refuse(payment);
  const txId = payment.paymentKey;
  if (outcome === 'CANCEL') {
    const [pgCode, pgMessage] = ['PAY_PROCESS_CANCELED', messageOf('PAY_PROCESS_CANCELED')];
    payments.fail(payment, 'FAILED', failureOf(pgCode));
    return back({ txId, code: 'FAILURE_TYPE_PG', message: pgMessage, pgCode, pgMessage });
  }
  payments.authenticate(payment, card);
  if (outcome === 'PAY') return back({ txId, paymentToken: payment.paymentToken! });
  payments.change(payment, { paymentToken: null });
  payments.charge(payment);
  return back({ txId });
}
