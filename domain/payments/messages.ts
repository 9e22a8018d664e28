/** The commands of a payment's run, its calls and their outcomes. Ids, amounts, enumerations and times only. */
import type { ProviderResult } from './rules.ts';

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
/** `ended`: the provider has finished processing our request. Its message stays out of Temporal. */
export interface ProviderOutcome {
  readonly result: ProviderResult;
  readonly code: string;
  readonly ended: boolean;
  readonly approvedMethod: string | null;
}

export interface PaymentMessages {
  readonly commands: {
    /** The buyer was authenticated. The payment key comes from the URL, so it is passed as an id in `command_text` (X24). */
    readonly pay: AttemptInput & { readonly paymentKeyId: string };
    /** The buyer came back without authentication; `codeId`: the provider's code, as an id in `command_text`. */
    readonly giveUp: { readonly attemptId: string; readonly codeId: string };
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
