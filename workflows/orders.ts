import type { RunRef } from './kernel/messages.ts';
import { COURIER_QUEUE } from './kernel/queues.ts';
import { host } from './kernel/run.ts';

const options = {
  taskQueue: COURIER_QUEUE,
  startToCloseTimeout: '20s',
  // A worker that died is noticed in seconds, not at the end of the call's time.
  heartbeatTimeout: '8s',
  retry: { maximumAttempts: 1 },
} as const;

/**
 * One order item, from payment to purchase decision. States: those of its flow. Timers: the nearest deadline of
 * its flow (automatic delivery, automatic decision); every four hours a poll of the courier. Calls: that poll.
 */
export async function orderItem(run: RunRef): Promise<void> {
  await host(run, {
    type: 'orderItem',
    calls: { pollShipment: ({ input }) => ({ ...options, summary: `poll ${input.n} of the courier` }) },
  });
}
