/** Names, ids and messages of a webhook delivery's run. */
import type { Call, Outcome } from '../kernel/obligations.ts';

export const webhookWorkflowId = (storeId: string, deliveryId: string): string => `webhook/${storeId}/${deliveryId}`;

/** The one call of a delivery: claims attempt n, signs, sends, and answers how it ended. */
export interface WebhookCalls {
  attemptDelivery(call: Call): Promise<Outcome>;
}
