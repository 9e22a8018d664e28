import { proxyActivities } from '@temporalio/workflow';
import type { RunRef } from './kernel/messages.ts';
import { COURIER_QUEUE } from './kernel/queues.ts';
import { host } from './kernel/run.ts';
import type { OrderCalls } from './orders/contract.ts';

const calls = (summary: string) =>
  proxyActivities<OrderCalls>({
    taskQueue: COURIER_QUEUE,
    startToCloseTimeout: '20s',
    // A worker that died is noticed in seconds, not at the end of the call's time.
    heartbeatTimeout: '8s',
    retry: { maximumAttempts: 1 },
    summary,
  });

/**
 * One order item, from payment to purchase decision. States: those of its flow. Timers: the nearest deadline of
 * its flow (automatic delivery, automatic decision); every four hours a look at the courier. Calls: that look.
 */
export async function orderItem(run: RunRef): Promise<void> {
  await host(run, {
    transition: 'moveOrderItem',
    calls: { track: (call) => calls(`look ${call.input['n']} at the courier`).trackShipment(call) },
  });
}
