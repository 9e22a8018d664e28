import { HEARTBEAT } from './kernel/call.ts';
import type { RunRef } from './kernel/messages.ts';
import { host } from './kernel/run.ts';

/**
 * One order item, from payment to purchase decision. States: those of its flow. Timers: the nearest deadline of
 * its flow (automatic delivery, automatic decision); every four hours a poll of the courier. Calls: that poll.
 */
export async function orderItem(run: RunRef): Promise<void> {
  await host(run, {
    type: 'orderItem',
    times: { startToCloseTimeout: '20s', ...HEARTBEAT },
    calls: { pollShipment: ({ input }) => `poll ${input.n} of the courier` },
  });
}
