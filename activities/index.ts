import { CALLS_QUEUE, COURIER_QUEUE, MAIL_QUEUE, PAYMENT_CALLS_QUEUE } from '../workflows/kernel/queues.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { untold } from './kernel/untold.ts';
import { invitationActivities, invitationCalls } from './invitations.ts';
import { orderActivities, orderCalls } from './orders.ts';
import { paymentActivities, paymentCalls } from './payments.ts';
import { subscriptionActivities, webhookActivities, webhookCalls } from './webhooks.ts';

/** Transitions: short, on Postgres only. */
export const createTransitions = (deps: ActivityDeps) => ({
  ...invitationActivities(deps),
  ...orderActivities(deps),
  ...paymentActivities(deps),
  ...subscriptionActivities(deps),
  ...webhookActivities(deps),
});

/** What deliveries need, on the queue that they and their calls share. */
export const createDeliveries = (deps: ActivityDeps) => ({ ...webhookActivities(deps), ...untold(deps, webhookCalls(deps)) });

/** Calls to the outside, each kind on a task queue of its own. */
export const createCalls = (deps: ActivityDeps) => ({
  [CALLS_QUEUE]: untold(deps, webhookCalls(deps)),
  [COURIER_QUEUE]: untold(deps, orderCalls(deps)),
  [PAYMENT_CALLS_QUEUE]: untold(deps, paymentCalls(deps)),
  [MAIL_QUEUE]: untold(deps, invitationCalls(deps)),
});
