/** The bundle's entry: one export per kind of run. */
export { invitation } from './invitations.ts';
export { orderItem } from './orders.ts';
export { payment } from './payments.ts';
export { webhookDelivery, webhookSubscription } from './webhooks.ts';
