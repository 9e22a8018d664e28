import { COURIER_QUEUE, MAIL_QUEUE, PAYMENT_CALLS_QUEUE } from '../workflows/kernel/queues.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { redactErrors } from './kernel/redact.ts';
import { invitationTransitions, invitationCalls } from './invitations.ts';
import { orderTransitions, orderCalls } from './orders.ts';
import { paymentTransitions, paymentCalls } from './payments.ts';
import { subscriptionTransitions, deliveryTransitions, webhookCalls } from './webhooks.ts';

/** Transitions: short, on Postgres only. */
export const createTransitions = (deps: ActivityDeps) => ({
  ...invitationTransitions(deps),
  ...orderTransitions(deps),
  ...paymentTransitions(deps),
  ...subscriptionTransitions(deps),
});

/** What deliveries need, on the queue that they and their calls share. */
export const createDeliveries = (deps: ActivityDeps) => ({ ...deliveryTransitions(deps), ...redactErrors(deps, webhookCalls(deps)) });

/** Calls to the outside, each kind on a task queue of its own. */
export const createCalls = (deps: ActivityDeps) => ({
  [COURIER_QUEUE]: redactErrors(deps, orderCalls(deps)),
  [PAYMENT_CALLS_QUEUE]: redactErrors(deps, paymentCalls(deps)),
  [MAIL_QUEUE]: redactErrors(deps, invitationCalls(deps)),
});
