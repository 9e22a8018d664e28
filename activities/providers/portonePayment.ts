/** A payment as PortOne shows it, and what it says of an attempt. */
import { ENVIRONMENT_MISMATCH, safeCode, shortCode } from '../../domain/payments/failures.ts';
import {
  approved,
  type Cancel,
  declined,
  foreign,
  MISMATCH,
  type ProviderAnswer,
  type ProviderCharge,
  unknown,
  unpaid,
  withCancels,
} from './answers.ts';

const METHODS: ReadonlyMap<string, string> = new Map([
  ['PaymentMethodCard', 'CARD'],
  ['PaymentMethodEasyPay', 'EASY_PAY'],
  ['PaymentMethodTransfer', 'BANK_TRANSFER'],
  ['PaymentMethodVirtualAccount', 'VIRTUAL_ACCOUNT'],
  ['PaymentMethodMobile', 'MOBILE'],
]);

export interface Cancellation {
  readonly status?: string;
  readonly id?: string;
  readonly totalAmount?: number;
  readonly reason?: string;
}
export interface PortonePayment {
  readonly status?: string;
  readonly id?: string;
  readonly storeId?: string;
  readonly channel?: { readonly type?: string; readonly key?: string } | null;
  readonly method?: { readonly type?: string } | null;
  readonly amount?: { readonly total?: number; readonly cancelled?: number } | null;
  readonly currency?: string;
  readonly cancellations?: readonly Cancellation[] | null;
  readonly failure?: { readonly reason?: string; readonly pgCode?: string; readonly pgMessage?: string } | null;
  /** Of a cancel. */
  readonly cancellation?: Cancellation | null;
  /** Of an error. */
  readonly type?: string;
  readonly message?: string;
  readonly pgCode?: string;
  readonly pgMessage?: string;
}
/** The public halves of the credential set that reads it. */
export interface Merchant {
  readonly storeId: string;
  readonly channelKey: string;
}

/**
 * What a payment says of an attempt. In a channel of the other environment nothing counts (Y24): a charge is WRONG_ENVIRONMENT, and any
 * other end has its code.
 */
export function outcomeOf(api: Merchant, payment: PortonePayment, charge: ProviderCharge): ProviderAnswer {
  if (!isOurs(api, payment, charge)) return foreign(MISMATCH);
  const answer = withCancels(statusAnswer(payment), cancelsOf(payment), charge.attemptId);
  const { type, key } = payment.channel ?? {};
  const isKnown = type === 'TEST' || type === 'LIVE';
  if (type === charge.environment || !(isKnown || answer.result === 'APPROVED')) return answer;
  const isOwn = key === api.channelKey;
  const wrong = { code: ENVIRONMENT_MISMATCH, ...(isOwn && { isOwnChannel: true as const }) };
  return answer.result === 'APPROVED'
    ? { ...unknown(ENVIRONMENT_MISMATCH, true), ...wrong, result: 'WRONG_ENVIRONMENT' }
    : { ...answer, ...wrong };
}
/** READY: authenticated at most. PAY_PENDING and PENDING are no ends. */
function statusAnswer(payment: PortonePayment): ProviderAnswer {
  switch (payment.status) {
    case 'PAID':
      return approved(METHODS.get(payment.method?.type ?? '') ?? 'CARD');
    case 'FAILED':
      return declined(shortCode(payment.failure?.pgCode, 'FAILED'), payment.failure?.pgMessage ?? payment.failure?.reason);
    case 'CANCELLED':
      return { ...unknown('CANCELLED', true), result: 'VOIDED' };
    case 'READY':
      return unpaid('READY');
    case undefined:
    default:
      return unknown(statusOf(payment), false);
  }
}

export const isOurs = ({ storeId }: Merchant, payment: PortonePayment, { pgOrderId, amount }: ProviderCharge): boolean =>
  payment.id === pgOrderId && payment.storeId === storeId && payment.amount?.total === amount && payment.currency === 'KRW';

export const codeOf = ({ pgCode, type }: PortonePayment, status: number): string => shortCode(pgCode, safeCode(type, `HTTP_${status}`));
export const messageOf = ({ pgMessage, message }: PortonePayment): string | undefined => pgMessage ?? message;
export const statusOf = ({ status }: PortonePayment): string => safeCode(status, 'NO_STATUS');

const CANCEL_STATES: Readonly<Record<string, Cancel['state']>> = { SUCCEEDED: 'DONE', FAILED: 'FAILED' };
export const cancelsOf = ({ cancellations }: PortonePayment): Cancel[] =>
  (cancellations ?? []).map(({ reason, totalAmount, status }) => ({
    reason: reason ?? '',
    amount: totalAmount,
    state: CANCEL_STATES[status ?? ''] ?? 'REQUESTED',
  }));
