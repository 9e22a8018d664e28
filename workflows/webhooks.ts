import type { Plan, RunRef } from './kernel/messages.ts';
import { host } from './kernel/run.ts';

/** On the run's own queue. No heartbeats: a thousand receivers that hang would keep Temporal busy, and the next attempt is minutes away anyway. */
const options = { startToCloseTimeout: '20s', retry: { maximumAttempts: 1 } } as const;

/**
 * One delivery of one event to one receiver. States: PENDING → PENDING_RETRY … → SUCCESS or FAILED. Timers: the
 * gaps 1 m, 5 m, 30 m, 2 h. Calls: one attempt at a time.
 */
export async function webhookDelivery(run: RunRef): Promise<void> {
  await host(run, {
    type: 'webhookDelivery',
    firstPlan,
    calls: { attemptDelivery: ({ input }) => ({ ...options, summary: `attempt ${input.attempt} of 5` }) },
  });
}

/** The first attempt is due at once; the row is read by the attempt. As the delivery's machine plans it: a test compares. */
export const firstPlan = ({ storeId, entityId: deliveryId }: RunRef, at: number): Plan<'webhookDelivery'> => ({
  wakeAt: at,
  calls: [{ id: `${deliveryId}-1`, name: 'attemptDelivery', storeId, input: { deliveryId, attempt: 1, at } }],
  done: false,
  clock: 0,
  note: 'The first attempt.',
  status: 'PENDING',
});

/**
 * What a suspension or a deletion leaves behind: deliveries that wait are ended, records are deleted, a portion at a transition. Timers:
 * a pause between portions. Calls: none.
 */
export async function webhookSubscription(run: RunRef): Promise<void> {
  await host(run, { type: 'webhookSubscription', calls: {} });
}
