/** The commands of a payment's run, its calls and their outcomes. Ids, amounts, enumerations and times only. */

interface AttemptInput {
  readonly attemptId: string;
  readonly pgOrderId: string;
  /** Won. */
  readonly amount: number;
}
interface RefundInput extends AttemptInput {
  readonly refundId: string;
  /** Won. */
  readonly refundAmount: number;
  /** The idempotency key of the request to the provider. */
  readonly key: string;
}
/**
 * What a provider's answer means. An answer that proves nothing is UNKNOWN, never a decline.
 * - A payment is APPROVED (order id, amount, payment key and status match our attempt), DECLINED for certain, UNPAID or VOIDED.
 * - A refund is REFUNDED, REFUSED, or ABSENT from the payment.
 * - FOREIGN: the payment that was found is not ours, so we charged nothing.
 * - UNSENT: no request was sent, because there are no credentials of its environment (X26).
 * - WRONG_ENVIRONMENT: a channel of the other environment charged it.
 * - UNAUTHORIZED: the provider accepted none of our credentials.
 */
export type ProviderResult =
  | 'APPROVED'
  | 'DECLINED'
  | 'UNKNOWN'
  | 'UNPAID'
  | 'VOIDED'
  | 'REFUNDED'
  | 'REFUSED'
  | 'ABSENT'
  | 'FOREIGN'
  | 'UNSENT'
  | 'WRONG_ENVIRONMENT'
  | 'UNAUTHORIZED';

/** `ended`: the provider has finished processing our request. Its message stays out of Temporal. */
export interface ProviderOutcome {
  readonly result: ProviderResult;
  readonly code: string;
  readonly ended: boolean;
  readonly approvedMethod: string | null;
  /** Our credentials were refused: nothing was done. */
  readonly isUnauthorized?: true;
  /** No answer, or an error that is the provider's own: counts for its circuit. */
  readonly isTechnical?: true;
  /** The channel is of the other environment, and that of the attempt's own credential set. */
  readonly isOwnChannel?: true;
  /** The payment has a cancel that we did not request. */
  readonly isForeignCancel?: true;
}

export interface PaymentMessages {
  readonly commands: {
    /**
     * The buyer was authenticated. Payment key and PortOne's token come from the URL, so they are passed as ids in `command_text` (X24).
     * Without a token, PortOne has approved by itself, or will not.
     */
    readonly pay: AttemptInput & { readonly paymentKeyId?: string; readonly paymentTokenId?: string };
    /** The buyer came back without authentication; `codeId`: the provider's code, as an id in `command_text`. */
    readonly giveUp: { readonly attemptId: string; readonly codeId: string };
    /** The provider says that something happened to the payment: a hint, so it is read. */
    readonly notified: { readonly attemptId: string };
  };
  readonly calls: {
    /** Brief where it is certainly the first of its attempt: the buyer waits for it. */
    readonly confirmPayment: { readonly input: AttemptInput; readonly outcome: ProviderOutcome; readonly brief: true };
    readonly readPayment: { readonly input: AttemptInput; readonly outcome: ProviderOutcome };
    readonly voidPayment: { readonly input: AttemptInput; readonly outcome: ProviderOutcome };
    readonly refundPayment: { readonly input: RefundInput; readonly outcome: ProviderOutcome };
    readonly findRefund: { readonly input: RefundInput; readonly outcome: ProviderOutcome };
  };
}
