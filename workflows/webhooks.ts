import { proxyActivities } from '@temporalio/workflow';
import type { RunRef } from './kernel/messages.ts';
import { host } from './kernel/run.ts';
import { firstAttempt, type WebhookCalls } from './webhooks/contract.ts';

const calls = (summary: string) =>
  proxyActivities<WebhookCalls>({
    // No heartbeats: a thousand receivers that hang would keep Temporal busy, and the next attempt is minutes away anyway.
    startToCloseTimeout: '20s',
    retry: { maximumAttempts: 1 },
    summary,
  });

/**
 * One delivery of one event to one receiver. States: PENDING → PENDING_RETRY … → SUCCESS or FAILED. Timers: the
 * gaps 1 m, 5 m, 30 m, 2 h. Calls: one attempt at a time.
 */
export async function webhookDelivery(run: RunRef): Promise<void> {
  await host(run, {
    transition: 'moveWebhookDelivery',
    firstPlan: firstAttempt,
    calls: { attempt: (call) => calls(`attempt ${call.input['attempt']} of 5`).attemptDelivery(call) },
  });
}

/**
 * What a suspension or a deletion leaves behind: deliveries that wait are ended, records are deleted, a portion at a transition. Timers:
 * a pause between portions. Calls: none.
 */
export async function webhookSubscription(run: RunRef): Promise<void> {
  await host(run, { transition: 'moveWebhookSubscription', calls: {} });
}
