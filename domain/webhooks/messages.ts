/** What the runs of webhooks ask, and what comes back. A delivery and a subscription take no commands: their rows say what is to be done. */
import type { DeliveryError } from './rules.ts';

export interface WebhookDeliveryMessages {
  readonly commands: object;
  readonly calls: {
    /** Begins attempt `attempt`, signs, sends. The business time `at` decides whether a rotated secret still signs. */
    readonly attemptDelivery: {
      readonly input: { readonly deliveryId: string; readonly attempt: number; readonly at: number };
      readonly outcome: { readonly result: 'SUCCESS' | DeliveryError | 'STALE' };
    };
  };
}
export interface WebhookSubscriptionMessages {
  readonly commands: object;
  readonly calls: object;
}
