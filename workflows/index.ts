/** The entry of the workflow bundle: one function per workflow type. `test/units/runs/workflowTypes.test.ts` requires each. */
export { approval, approvalNotice } from './approvals.ts';
export { claim } from './claims.ts';
export { invitation } from './invitations.ts';
export { scheduledJob } from './jobs.ts';
export { orderGroup, orderItem } from './orders.ts';
export { payment } from './payments.ts';
export { webhookDelivery, webhookSubscription } from './webhooks.ts';
