/** What a payment's run is told, whom it asks, and what comes back. Ids, amounts, enumerations and times only. */
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
  /** The idempotency key under which the provider is asked. */
  readonly key: string;
}
/** `ended`: the provider has finished with our request. Its own words stay out of Temporal. */
export interface ProviderOutcome {
  readonly result: ProviderResult;
  readonly code: string;
  readonly ended: boolean;
  readonly approvedMethod: string | null;
}

export interface PaymentMessages {
  readonly commands: {
    /** The buyer has been authenticated. The payment key is text of the address: it waits in `command_text` (X24). */
    readonly pay: AttemptInput & { readonly paymentKeyId: string };
    /** The buyer came back without; `codeId` names the text that says why. */
    readonly giveUp: { readonly attemptId: string; readonly codeId: string };
  };
  readonly calls: {
    readonly confirmPayment: { readonly input: AttemptInput; readonly outcome: ProviderOutcome };
    readonly readPayment: { readonly input: AttemptInput; readonly outcome: ProviderOutcome };
    readonly voidPayment: { readonly input: AttemptInput; readonly outcome: ProviderOutcome };
    readonly refundPayment: { readonly input: RefundInput; readonly outcome: ProviderOutcome };
    readonly findRefund: { readonly input: RefundInput; readonly outcome: ProviderOutcome };
  };
}
