/** The bundle's entry: one export per kind of run. */
export { invitation } from './invitations/workflow.ts';
export { orderItem } from './orders/workflow.ts';
export { payment } from './payments/workflow.ts';
export { webhookDelivery, webhookSubscription } from './webhooks/workflow.ts';
