import type { RunRef } from '../kernel/obligations.ts';
import { host } from '../kernel/run.ts';

/**
 * One order item, from payment to purchase decision. States: those of its flow. Timers: the nearest deadline of
 * its flow (automatic delivery, automatic decision). Calls: none yet.
 */
export async function orderItem(run: RunRef): Promise<void> {
  await host(run, { transition: 'moveOrderItem', calls: {} });
}
