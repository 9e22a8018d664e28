/** What the payment screen says, in Korean and English. */
import type { Method, Wallet } from '../../domain/paymentSettings/routing.ts';
import { labelOf } from '../../domain/paymentSettings/routing.ts';
import type { FailureCategory } from '../../domain/payments/failures.ts';
import type { ProviderName } from '../../domain/payments/providers.ts';
import type { PaymentMethod } from '../../domain/payments/rules.ts';
import type { Locale } from '../web/page.ts';

export interface Messages {
  readonly won: (amount: number) => string;
  readonly title: (storeName: string) => string;
  readonly label: (method: Method) => string;
  readonly providers: Readonly<Record<ProviderName, string>>;
  readonly test: string;
  readonly switched: string;
  readonly order: string;
  readonly goods: string;
  readonly method: string;
  readonly amount: string;
  readonly deadline: string;
  readonly left: string;
  readonly pay: string;
  readonly needsScript: string;
  readonly others: string;
  readonly payBy: (label: string) => string;
  readonly cancel: string;
  readonly processing: string;
  readonly wait: string;
  readonly failed: string;
  readonly retry: string;
  readonly back: string;
  readonly backToPayment: string;
  readonly expired: string;
  readonly expiredHelp: string;
  readonly unknown: string;
  readonly unknownHelp: string;
  readonly unavailable: string;
  readonly unavailableHelp: string;
  readonly busy: string;
  readonly busyHelp: string;
  readonly done: string;
  readonly failure: Readonly<Partial<Record<FailureCategory, string>>>;
}

const number = new Intl.NumberFormat('ko-KR');

const METHODS: Readonly<Record<PaymentMethod, string>> = {
  CARD: 'Credit or debit card',
  EASY_PAY: 'Easy pay',
  BANK_TRANSFER: 'Bank transfer',
  VIRTUAL_ACCOUNT: 'Virtual account',
  MOBILE: 'Mobile phone bill',
};
const WALLETS: Readonly<Record<Wallet, string>> = {
  KAKAOPAY: 'Kakao Pay',
  NAVERPAY: 'Naver Pay',
  TOSSPAY: 'Toss Pay',
  PAYCO: 'PAYCO',
  SAMSUNGPAY: 'Samsung Pay',
  APPLEPAY: 'Apple Pay',
  LPAY: 'L.PAY',
  SSGPAY: 'SSG Pay',
};

export const messages: Readonly<Record<Locale, Messages>> = {
  ko: {
    won: (amount) => `${number.format(amount)}원`,
    title: (storeName) => `${storeName} 결제`,
    label: labelOf,
    providers: { tosspayments: '토스페이먼츠', portone: '포트원' },
    test: '테스트 결제입니다. 실제로 청구되지 않습니다.',
    switched: '앞의 결제 창을 열 수 없어 다른 결제 창으로 바꾸었습니다. 청구된 금액은 없습니다.',
    order: '주문 번호',
    goods: '주문 상품',
    method: '결제 수단',
    amount: '결제 금액',
    deadline: '결제 기한',
    left: '남은 시간',
    pay: '결제하기',
    needsScript: '결제하려면 브라우저의 자바스크립트를 켜 주세요.',
    others: '다른 결제 수단',
    payBy: (label) => `${label} 결제로 바꾸기`,
    cancel: '취소',
    processing: '결제를 확인하고 있습니다',
    wait: '잠시만 기다려 주세요. 이 화면을 닫지 마세요.',
    failed: '결제하지 못했습니다',
    retry: '다시 결제하기',
    back: '상점으로 돌아가기',
    backToPayment: '결제 화면으로 돌아가기',
    expired: '결제 시간이 지났습니다',
    expiredHelp: '결제되지 않았습니다. 상점에서 주문을 다시 시작해 주세요.',
    unknown: '결제 화면을 열 수 없습니다',
    unknownHelp: '상점으로 돌아가 다시 시도해 주세요.',
    unavailable: '지금은 쓸 수 없는 결제 수단입니다',
    unavailableHelp: '청구된 금액은 없습니다. 잠시 후 다시 시도하거나 다른 결제 수단을 골라 주세요.',
    busy: '요청이 너무 많습니다',
    busyHelp: '잠시 후 이 화면을 다시 열어 주세요. 진행 중인 결제에는 영향이 없습니다.',
    done: '결제 창',
    failure: {},
  },
  en: {
    won: (amount) => `₩${number.format(amount)}`,
    title: (storeName) => `Pay ${storeName}`,
    label: ({ method, provider }) => (provider === null ? METHODS[method] : WALLETS[provider]),
    providers: { tosspayments: 'Toss Payments', portone: 'PortOne' },
    test: 'This is a test payment. Nothing will be charged.',
    switched: 'The first payment window could not be opened, so this is another one. Nothing was charged.',
    order: 'Order number',
    goods: 'Items',
    method: 'Payment method',
    amount: 'Amount',
    deadline: 'Pay by',
    left: 'Time left',
    pay: 'Pay now',
    needsScript: 'Please turn on JavaScript in your browser to pay.',
    others: 'Other ways to pay',
    payBy: (label) => `Use ${label}`,
    cancel: 'Cancel',
    processing: 'Checking your payment',
    wait: 'One moment, please. Do not close this page.',
    failed: 'The payment did not go through',
    retry: 'Try again',
    back: 'Back to the shop',
    backToPayment: 'Back to the payment',
    expired: 'The time to pay is over',
    expiredHelp: 'Nothing was charged. Please start again from the shop.',
    unknown: 'This payment page cannot be opened',
    unknownHelp: 'Please go back to the shop and try again.',
    unavailable: 'This way to pay cannot be used at the moment',
    unavailableHelp: 'Nothing was charged. Please try again in a moment, or choose another way to pay.',
    busy: 'Too many requests',
    busyHelp: 'Please open this page again in a moment. A payment that is under way is not affected.',
    done: 'Payment window',
    failure: {
      BUYER_CANCELED: 'You canceled the payment.',
      LIMIT_OR_BALANCE: 'The limit or balance was not enough.',
      DECLINED: 'The card company or bank declined the payment.',
      INVALID_INSTRUMENT: 'Please check the details of your card.',
      AUTHENTICATION_FAILED: 'Authentication failed.',
      RISK_BLOCKED: 'The payment was blocked for your safety.',
      METHOD_UNAVAILABLE: 'This way to pay is not available at the moment.',
      SESSION_EXPIRED: 'The payment session is over. Please try again.',
      PROVIDER_UNAVAILABLE: 'The payment provider could not be reached. Nothing was charged.',
      CONFIGURATION: 'The shop has a problem with its payment settings.',
      MERCHANT_REFUSED: 'The shop cannot accept this payment.',
      UNRESOLVED: 'The payment could not be confirmed and was canceled.',
    },
  },
};
