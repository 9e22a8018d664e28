/** Names, ids and messages of the runs of webhooks: of a delivery, and of a subscription that is suspended or deleted. */
import type { Call, Outcome, Plan, RunRef } from '../kernel/messages.ts';

export const webhookWorkflowId = (storeId: string, deliveryId: string): string => `webhook/${storeId}/${deliveryId}`;
export const subscriptionWorkflowId = (storeId: string, webhookId: string): string => `webhook-subscription/${storeId}/${webhookId}`;

/** The call that makes attempt `attempt`. The business time goes along: it decides whether a rotated secret still signs. */
export const attemptCall = (storeId: string, deliveryId: string, attempt: number, at: number): Call => ({
  id: `${deliveryId}-${attempt}`,
  name: 'attempt',
  storeId,
  input: { deliveryId, attempt, at },
});

/** What a delivery owes at its birth: its first attempt, at once. Its row is looked at by the attempt. */
export const firstAttempt = ({ storeId, entityId: runId }: RunRef, firstAt: number): Plan => ({
  wakeAt: firstAt,
  calls: [attemptCall(storeId, runId, 1, firstAt)],
  done: false,
  clock: 0,
  note: 'The first attempt.',
  status: 'PENDING',
});

/** The one call of a delivery: claims attempt n, signs, sends, and answers how it ended. */
export interface WebhookCalls {
  attemptDelivery(call: Call): Promise<Outcome>;
}
