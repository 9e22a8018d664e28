import type { ActivityDeps } from './kernel/deps.ts';
import { orderActivities } from './orders.ts';
import { paymentActivities, paymentCalls } from './payments.ts';
import { webhookActivities, webhookCalls } from './webhooks.ts';

/** Transitions: short, on Postgres only. */
export const createTransitions = (deps: ActivityDeps) => ({
  ...orderActivities(deps),
  ...paymentActivities(deps),
  ...webhookActivities(deps),
});

/** Calls to the outside, on a task queue of their own. */
export const createCalls = (deps: ActivityDeps) => ({ ...paymentCalls(deps), ...webhookCalls(deps) });
