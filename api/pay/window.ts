/** What the provider's window is opened with: the arguments of its browser SDK, for a script or as the fields of a form. */
import { isVisible } from '../../domain/kernel/text.ts';
import type { PublicHalves } from '../../db/paymentSettings/entities.ts';
import type { Method, Wallet } from '../../domain/paymentSettings/routing.ts';
import type { PaymentMethod } from '../../domain/payments/rules.ts';

export interface WindowRequest extends Method {
  /** The public halves of the attempt's own credential set; secrets never reach a page. */
  readonly keys: PublicHalves;
  readonly pgOrderId: string;
  readonly amountWon: number;
  readonly orderName: string;
  /** Where the buyer comes back to, authenticated or with PortOne's refusal. */
  readonly returnUrl: string;
  /** Where the buyer comes back to without authentication. */
  readonly failUrl: string;
  /** The provider's notifications go there. */
  readonly notificationUrl: string;
}

/** A call of a browser SDK, as the page's script makes it. */
export type SdkCall =
  | { readonly pg: 'tosspayments'; readonly clientKey: string; readonly customerKey: string; readonly request: object }
  | { readonly pg: 'portone'; readonly request: object };

export interface WindowCall {
  readonly call: SdkCall;
  /** The same arguments as the fields of a form. */
  readonly fields: Readonly<Record<string, string>>;
}

const TOSS_METHODS: Readonly<Record<PaymentMethod, string>> = {
  CARD: 'CARD',
  EASY_PAY: 'CARD',
  BANK_TRANSFER: 'TRANSFER',
  VIRTUAL_ACCOUNT: 'VIRTUAL_ACCOUNT',
  MOBILE: 'MOBILE_PHONE',
};
const PORTONE_METHODS: Readonly<Record<PaymentMethod, string>> = {
  CARD: 'CARD',
  EASY_PAY: 'EASY_PAY',
  BANK_TRANSFER: 'TRANSFER',
  VIRTUAL_ACCOUNT: 'VIRTUAL_ACCOUNT',
  MOBILE: 'MOBILE',
};
/** TossPayments' code of a wallet; PortOne's are ours. */
const tossWallet = (wallet: Wallet): string => (wallet === 'SSGPAY' ? 'SSG' : wallet);

const CURRENCY = 'KRW';
/** A buyer without an account at TossPayments. */
const ANONYMOUS = 'ANONYMOUS';

export function windowCall(request: WindowRequest): WindowCall {
  const { keys } = request;
  return 'clientKey' in keys ? tossCall(request, keys.clientKey) : portoneCall(request, keys);
}

/** A wallet is a card payment whose window opens at the wallet. */
function tossCall(request: WindowRequest, clientKey: string): WindowCall {
  const { provider, amountWon, pgOrderId: orderId, orderName, returnUrl: successUrl, failUrl } = request;
  const card = provider === null ? undefined : { flowMode: 'DIRECT', easyPay: tossWallet(provider) };
  const common = { method: TOSS_METHODS[request.method], orderId, orderName, successUrl, failUrl };
  const amount = { currency: CURRENCY, value: amountWon };
  return {
    call: {
      pg: 'tosspayments',
      clientKey,
      customerKey: ANONYMOUS,
      request: { ...common, amount, windowTarget: 'self', ...(card && { card }) },
    },
    fields: { clientKey, customerKey: ANONYMOUS, ...common, amount: String(amountWon), currency: CURRENCY, ...card },
  };
}

function portoneCall(request: WindowRequest, { storeId, channelKey }: Extract<PublicHalves, { readonly channelKey: string }>): WindowCall {
  const { provider, amountWon: totalAmount, pgOrderId: paymentId, orderName, returnUrl: redirectUrl, notificationUrl } = request;
  const payMethod = PORTONE_METHODS[request.method];
  const common = { storeId, channelKey, paymentId, orderName, currency: CURRENCY, payMethod, redirectUrl };
  return {
    call: {
      pg: 'portone',
      request: {
        ...common,
        totalAmount,
        forceRedirect: true,
        noticeUrls: [notificationUrl],
        ...(provider !== null && { easyPay: { easyPayProvider: provider } }),
      },
    },
    fields: {
      ...common,
      totalAmount: String(totalAmount),
      forceRedirect: 'true',
      noticeUrls: notificationUrl,
      ...(provider !== null && { easyPayProvider: provider }),
    },
  };
}

/** Longer names are refused by the providers, which count as browsers do: an emoji is two. */
const MAX_ORDER_NAME = 100;
/** What turns the direction of the text after it, so that a window shows another name or amount than it was given. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const letters = new Intl.Segmenter('ko');

/** 양모 머플러 외 2건: one line without direction marks, cut between what people see as letters. */
export function orderName([first, ...others]: readonly { readonly productName: string }[]): string {
  const more = others.length > 0 ? ` 외 ${others.length}건` : '';
  const line = (first?.productName ?? '')
    .replaceAll(DIRECTION, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  let name = '';
  for (const { segment } of letters.segment(line)) {
    if (name.length + segment.length > MAX_ORDER_NAME - more.length) break;
    name += segment;
  }
  return (isVisible(name) ? name : '주문') + more;
}
