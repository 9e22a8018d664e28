/** What a provider's notification may be a hint of. Nothing in it is believed: the payment is read. */
import type { ProviderName } from './providers.ts';
import type { AttemptStatus } from './rules.ts';

/** `payment`: it may be paid or have failed; `cancel`: some of it may have been canceled. */
export interface Hint {
  readonly pgOrderId: string;
  readonly about: 'payment' | 'cancel';
}
/** By PortOne's type, and by TossPayments' status of the payment. Others tell nothing. */
const ABOUT: Readonly<Record<ProviderName, ReadonlyMap<string, Hint['about']>>> = {
  portone: new Map([
    ['Transaction.Paid', 'payment'],
    ['Transaction.Failed', 'payment'],
    ['Transaction.PartialCancelled', 'cancel'],
    ['Transaction.Cancelled', 'cancel'],
    ['Transaction.CancelPending', 'cancel'],
  ]),
  tosspayments: new Map([
    ['DONE', 'payment'],
    ['ABORTED', 'payment'],
    ['EXPIRED', 'payment'],
    ['CANCELED', 'cancel'],
    ['PARTIAL_CANCELED', 'cancel'],
  ]),
};

/** Null: about no payment, or of no known type. */
export function hintOf(provider: ProviderName, body: unknown): Hint | null {
  const { type, data } = recordOf(body);
  const { paymentId, orderId, status } = recordOf(data);
  const [word, pgOrderId] = provider === 'portone' ? [type, paymentId] : [status, orderId];
  const about = typeof word === 'string' ? ABOUT[provider].get(word) : undefined;
  return about !== undefined && typeof pgOrderId === 'string' && /^[\w-]{1,64}$/.test(pgOrderId) ? { pgOrderId, about } : null;
}
const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/**
 * Whether a reading could tell anything new: that an approved payment is paid is known, and only an approved one can be canceled.
 * `isConfirmed`: its approval is being requested now, and what comes of that is read by itself.
 */
export const isNews = (
  { about }: Hint,
  { status, isConfirmed }: { readonly status: AttemptStatus; readonly isConfirmed: boolean },
): boolean => (about === 'cancel' ? status === 'APPROVED' : status !== 'APPROVED' && !isConfirmed);
