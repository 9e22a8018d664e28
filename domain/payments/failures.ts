/** The public reason of a failed payment attempt (docs/contract.md#failures). Messages of the provider are for the seller only. */
export type FailureCategory =
  | 'BUYER_CANCELED'
  | 'LIMIT_OR_BALANCE'
  | 'DECLINED'
  | 'INVALID_INSTRUMENT'
  | 'AUTHENTICATION_FAILED'
  | 'RISK_BLOCKED'
  | 'METHOD_UNAVAILABLE'
  | 'SESSION_EXPIRED'
  | 'PROVIDER_UNAVAILABLE'
  | 'CONFIGURATION'
  | 'MERCHANT_REFUSED'
  | 'UNRESOLVED';

export interface Failure {
  readonly attemptId: string;
  readonly category: FailureCategory;
  readonly code: string;
  readonly message: string;
  readonly optionUnavailable: boolean;
}

const MESSAGES: Readonly<Record<FailureCategory, string>> = {
  BUYER_CANCELED: '결제를 취소했습니다.',
  LIMIT_OR_BALANCE: '한도 초과 또는 잔액 부족으로 결제하지 못했습니다.',
  DECLINED: '카드사 또는 은행이 결제를 거절했습니다.',
  INVALID_INSTRUMENT: '결제 수단 정보를 확인해 주세요.',
  AUTHENTICATION_FAILED: '본인 인증에 실패했습니다.',
  RISK_BLOCKED: '안전한 거래를 위해 결제가 차단되었습니다.',
  METHOD_UNAVAILABLE: '지금은 이 결제 수단을 쓸 수 없습니다.',
  SESSION_EXPIRED: '결제 시간이 지났습니다. 다시 시도해 주세요.',
  PROVIDER_UNAVAILABLE: '결제사와 연결하지 못했습니다. 결제되지 않았습니다.',
  CONFIGURATION: '상점의 결제 설정에 문제가 있습니다.',
  MERCHANT_REFUSED: '상점에서 이 결제를 받을 수 없습니다.',
  UNRESOLVED: '결제 결과를 확인하지 못해 취소했습니다.',
};

/** Codes of the provider and our own, by category. Any other code of a 4xx answer is DECLINED. */
const CODES: Readonly<Partial<Record<FailureCategory, readonly RegExp[]>>> = {
  BUYER_CANCELED: [/^PAY_PROCESS_CANCELED$/, /^USER_CANCEL$/, /^Cancelled$/],
  LIMIT_OR_BALANCE: [/^REJECT_CARD_PAYMENT$/, /^REJECT_ACCOUNT_PAYMENT$/, /^EXCEED_MAX_(?!AUTH)/],
  DECLINED: [/^REJECT_CARD_COMPANY$/, /^INVALID_REJECT_CARD$/, /^PAY_PROCESS_ABORTED$/],
  INVALID_INSTRUMENT: [
    /^INVALID_CARD_/,
    /^INVALID_STOPPED_CARD$/,
    /INSTALLMENT/,
    /^NOT_ALLOWED_POINT_USE$/,
    /^REJECT_TOSSPAY_INVALID_ACCOUNT$/,
  ],
  AUTHENTICATION_FAILED: [/^INVALID_PASSWORD$/, /^EXCEED_MAX_AUTH_COUNT$/, /^INVALID_AUTHORIZE_AUTH$/],
  RISK_BLOCKED: [/^FDS_ERROR$/],
  METHOD_UNAVAILABLE: [
    /^NOT_SUPPORTED_METHOD$/,
    /^NOT_AVAILABLE_(BANK|PAYMENT)$/,
    /^BELOW_MINIMUM_AMOUNT$/,
    /^ChannelNotFound$/,
    /^AllChannelsNotSatisfied$/,
  ],
  SESSION_EXPIRED: [/^NOT_FOUND_PAYMENT_SESSION$/, /^EXPIRED$/, /^INVALID_PAYMENT_TOKEN$/],
  PROVIDER_UNAVAILABLE: [/^NOT_CHARGED$/, /^Unavailable$/, /^DeadlineExceeded$/],
  CONFIGURATION: [
    /^UNAUTHORIZED_KEY$/,
    /^INVALID_API_KEY$/,
    /^FORBIDDEN_REQUEST$/,
    /^NOT_FOUND_TERMINAL_ID$/,
    /^NOT_REGISTERED_BUSINESS$/,
    /^PAYMENT_NOT_CONFIGURED$/,
    /^UNAUTHORIZED$/,
    /^FORBIDDEN$/,
    /^StoreNotFound$/,
    /^ENVIRONMENT_MISMATCH$/,
  ],
  MERCHANT_REFUSED: [
    /^OUT_OF_STOCK$/,
    /^CHECKOUT_STALE$/,
    /^SUPERSEDED$/,
    /^INVALID_REQUEST$/,
    /^INFORMATION_MISMATCH$/,
    /^AmountNotEqualToPredefined$/,
  ],
  UNRESOLVED: [/^UNRESOLVED$/],
};

/** The channel that a payment was made with is of the other environment. */
export const ENVIRONMENT_MISMATCH = 'ENVIRONMENT_MISMATCH';

/** Codes of PortOne's SDK that are not in capitals. */
const MIXED_CASE: ReadonlySet<string> = new Set([
  'Cancelled',
  'ChannelNotFound',
  'AllChannelsNotSatisfied',
  'StoreNotFound',
  'AmountNotEqualToPredefined',
  'Unavailable',
  'DeadlineExceeded',
]);
/** A provider's code as it may reach Temporal and clients: only codes may (X24), any other text becomes OTHER. */
export const safeCode = (text: unknown, otherwise: string): string => {
  if (text === undefined || text === null || text === '') return otherwise;
  return typeof text === 'string' && (/^[A-Z][A-Z0-9_]{0,59}$/.test(text) || MIXED_CASE.has(text)) ? text : 'OTHER';
};
/** PortOne's short code of a failure (Y29): the `pgCode`, or else its own `code`. */
export const shortCode = (pgCode: unknown, code: string): string => safeCode(pgCode, code);

const MAX_MESSAGE = 500;
/** Control, format and private-use characters, line separators and lone surrogates: whatever a reader would not see. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** A provider's message as it is stored for the seller: one line of at most 500 characters; null when there is none. */
export function providerMessage(message: unknown): string | null {
  if (typeof message !== 'string') return null;
  const line = message
    .slice(0, 4 * MAX_MESSAGE)
    .replaceAll(UNPRINTABLE, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  return line === '' ? null : Array.from(line).slice(0, MAX_MESSAGE).join('').trimEnd();
}

const categoryOf = (code: string): FailureCategory | undefined =>
  Object.entries(CODES).find(([, patterns]) => patterns.some((pattern) => pattern.test(code)))?.[0] as FailureCategory | undefined;

/** The public failure of an attempt: REJECT_CARD_PAYMENT → LIMIT_OR_BALANCE with our own message. */
export function failureOf(attemptId: string, code: string): Failure {
  const category = categoryOf(code) ?? 'DECLINED';
  const optionUnavailable = category === 'METHOD_UNAVAILABLE' || category === 'CONFIGURATION';
  return { attemptId, category, code, message: MESSAGES[category], optionUnavailable };
}

/** The code of a failure by our credentials: the provider's own where it is known as such. */
export const configurationCode = (code: string): string => (categoryOf(code) === 'CONFIGURATION' ? code : 'UNAUTHORIZED');

const DECLINES: ReadonlySet<FailureCategory | undefined> = new Set([
  'BUYER_CANCELED',
  'LIMIT_OR_BALANCE',
  'DECLINED',
  'INVALID_INSTRUMENT',
  'AUTHENTICATION_FAILED',
  'RISK_BLOCKED',
  'METHOD_UNAVAILABLE',
  'SESSION_EXPIRED',
]);
/** Whether a code says for certain that the provider declined the payment. */
export const isKnownDecline = (code: unknown): boolean => typeof code === 'string' && DECLINES.has(categoryOf(code));
