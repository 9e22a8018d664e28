import { COURIER_QUEUE, MAIL_QUEUE, PAYMENT_CALLS_QUEUE } from '../workflows/kernel/queues.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { redactErrors } from './kernel/redact.ts';
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
export const createDeliveries = (deps: ActivityDeps) => ({ ...webhookActivities(deps), ...redactErrors(deps, webhookCalls(deps)) });

/** Calls to the outside, each kind on a task queue of its own. */
export const createCalls = (deps: ActivityDeps) => ({
  [COURIER_QUEUE]: redactErrors(deps, orderCalls(deps)),
  [PAYMENT_CALLS_QUEUE]: redactErrors(deps, paymentCalls(deps)),
  [MAIL_QUEUE]: redactErrors(deps, invitationCalls(deps)),
});
