/** What a provider's window says in the query with which the buyer comes back (docs/contract.md#payments, Y16, Y25, Y28, Y29). */
import type { PaymentAttempt } from '../../db/payments/entities.ts';
import { isKnownDecline, safeCode } from '../../domain/payments/failures.ts';

/** A query parameter as printable ASCII of at most so many characters; '' for anything else. */
export type Parameter = (name: string, longest?: number) => string;

/**
 * The buyer was authenticated (`pay`), or was not (`giveUp`). 400: what it needs is not there. 409: it is about another order or amount.
 * PortOne has no key in `pay` where it gave none, and no token where the channel approves by itself (Y25).
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
  if (paymentKey === '' || !Number.isSafeInteger(amount)) return 400;
  if (query('orderId') !== pgOrderId || amount !== amountWon) return 409;
  return { name: 'pay', paymentKey, paymentToken: null };
}

const MAX_TOKEN = 2000;

function fromPortone(query: Parameter, { pgOrderId }: Expected): Returned {
  const [paymentId, code] = [query('paymentId'), query('pgCode', 80) || query('code', 80)];
  if (paymentId !== '' && paymentId !== pgOrderId) return 409;
  if (code !== '') return { name: 'giveUp', code: safeCode(code, UNKNOWN) };
  if (paymentId === '') return 400;
  return { name: 'pay', paymentKey: query('txId', 200) || null, paymentToken: query('paymentToken', MAX_TOKEN) || null };
}
const UNKNOWN = 'OTHER';

/** Where the window could not be opened, and said nothing that is known to us. */
const UNAVAILABLE = 'NOT_AVAILABLE_PAYMENT';

/**
 * The code at the fail address. `rejected`: the page's script could not load the SDK, or the SDK rejected the call: unless it names a decline
 * or a cancel, the buyer could not pay (Y16).
 */
export function readFailed(query: Parameter): string {
  const code = safeCode(query('code', 80), 'PAY_PROCESS_CANCELED');
  return query('rejected') === '' || isKnownDecline(code) ? code : UNAVAILABLE;
}
