/** What a provider's window says in the query with which the buyer comes back (docs/contract.md#payments). */
import type { PaymentAttempt } from '../../db/payments/entities.ts';
import { isKnownDecline, safeCode } from '../../domain/payments/failures.ts';

/** A query parameter as printable ASCII of at most so many characters; '' where there is none, null where it is anything else. */
export type Parameter = (name: string, longest?: number) => string | null;

/**
 * The buyer was authenticated (`pay`), or was not (`giveUp`). 400: what it needs is not there. 409: it is about another order or amount.
 * PortOne has no key in `pay` where it gave none, and no token where the channel approves by itself.
 */
export type Returned =
  | { readonly name: 'pay'; readonly paymentKey: string | null; readonly paymentToken: string | null }
  | { readonly name: 'giveUp'; readonly code: string }
  | 400
  | 409;
type Expected = Pick<PaymentAttempt, 'pg' | 'pgOrderId' | 'amountWon'>;

export const readReturned = (query: Parameter, attempt: Expected): Returned =>
  attempt.pg === 'portone' ? fromPortone(query, attempt) : fromToss(query, attempt);

function fromToss(query: Parameter, { pgOrderId, amountWon }: Expected): Returned {
  const [paymentKey, amount] = [query('paymentKey', 200), Number(query('amount') || Number.NaN)];
  if (!paymentKey || !Number.isSafeInteger(amount)) return 400;
  if (query('orderId') !== pgOrderId || amount !== amountWon) return 409;
  return { name: 'pay', paymentKey, paymentToken: null };
}

const MAX_TOKEN = 2000;

function fromPortone(query: Parameter, { pgOrderId }: Expected): Returned {
  const [paymentId, pgCode, code] = [query('paymentId'), query('pgCode', 80), query('code', 80)];
  if (paymentId !== '' && paymentId !== pgOrderId) return 409;
  if (isPaidAlready(code)) return PAID_ALREADY;
  // A code is a refusal, whatever it says.
  if (pgCode !== '' || code !== '') return { name: 'giveUp', code: safeCode(pgCode || code, UNKNOWN) };
  if (paymentId === '') return 400;
  return { name: 'pay', paymentKey: query('txId', 200) || null, paymentToken: query('paymentToken', MAX_TOKEN) || null };
}
const UNKNOWN = 'OTHER';
/** The window refuses to be paid in again: whether the payment is ours and in time, a reading tells. */
const isPaidAlready = (code: string | null): boolean => code === 'AlreadyPaid' || code === 'PaymentAlreadyPaid' || code === 'ALREADY_PAID';
const PAID_ALREADY = { name: 'pay', paymentKey: null, paymentToken: null } as const;

/** Where the window could not be opened, and said nothing that is known to us. */
const UNAVAILABLE = 'NOT_AVAILABLE_PAYMENT';

/**
 * What the fail address is told. `rejected`: the page's script could not load the SDK, or the SDK rejected the call. At TossPayments the
 * buyer could not pay then, unless the code names a decline or a cancel. PortOne may reject what has been paid: only its codes of a
 * window that was never opened lead to another provider.
 */
export function readFailed(query: Parameter, { pg }: Pick<Expected, 'pg'>): Extract<Returned, object> {
  const text = query('code', 80);
  if (pg === 'portone' && isPaidAlready(text)) return PAID_ALREADY;
  const code = text === null ? UNKNOWN : safeCode(text, 'PAY_PROCESS_CANCELED');
  const isUnavailable = pg === 'tosspayments' && query('rejected') !== '' && !isKnownDecline(code);
  return { name: 'giveUp', code: isUnavailable ? UNAVAILABLE : code };
}
