import { HEARTBEAT } from './kernel/call.ts';
import type { RunRef } from './kernel/messages.ts';
import { host } from './kernel/run.ts';

/** An external service has a minute at most (`timeoutSeconds`), and its call the time to be begun and recorded. */
const EXTERNAL_TIME = '90s';

/**
 * One order item, from payment to purchase decision. States: those of its flow. Timers: the nearest deadline of
 * its flow (automatic delivery, automatic decision); every four hours a poll of the courier. Calls: that poll, and the one request of each
 * external node.
 */
export async function orderItem(run: RunRef): Promise<void> {
  await host(run, {
    type: 'orderItem',
    times: { startToCloseTimeout: EXTERNAL_TIME, ...HEARTBEAT },
    calls: {
      pollShipment: ({ input }) => `poll ${input.n} of the courier`,
      askExternal: ({ input }) => `request of node ${input.nodeId}`,
    },
  });
}

/**
 * The items of an order that move together in one flow. States: those of the flow. Timers: the nearest deadline of the flow. Calls: the one
 * request of each external node.
 */
export async function orderGroup(run: RunRef): Promise<void> {
  await host(run, {
    type: 'orderGroup',
    times: { startToCloseTimeout: EXTERNAL_TIME, ...HEARTBEAT },
    calls: { askExternal: ({ input }) => `request of node ${input.nodeId}` },
  });
}
