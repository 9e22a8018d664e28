/** Names, ids and messages of the checkout payment's run. */
import type { Call, Outcome } from '../kernel/messages.ts';

export const paymentWorkflowId = (storeId: string, paymentId: string): string => `payment/${storeId}/${paymentId}`;

/** The calls to a payment provider. Each answers APPROVED, DECLINED or UNKNOWN; see providers/toss.ts. */
export interface PaymentCalls {
  confirmPayment(call: Call): Promise<Outcome>;
  readPayment(call: Call): Promise<Outcome>;
  voidPayment(call: Call): Promise<Outcome>;
  /** REFUNDED, REFUSED or UNKNOWN. */
  refundPayment(call: Call): Promise<Outcome>;
  /** REFUNDED, ABSENT or UNKNOWN. */
  findRefund(call: Call): Promise<Outcome>;
}
