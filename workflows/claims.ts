import type { RunRef } from './kernel/messages.ts';
import { host } from './kernel/run.ts';

/**
 * One claim of a buyer. States: REQUESTED (and HELD, once) → a cancel: COMPLETED; a return: COLLECTING → COLLECTED → COMPLETED; an exchange:
 * COLLECTING → COLLECTED → REDELIVERING → COMPLETED; or REJECTED, WITHDRAWN. Timers: the end of a hold. Calls: none; the refund is made by
 * the payment's run.
 */
export async function claim(run: RunRef): Promise<void> {
  await host(run, { type: 'claim', times: null, calls: {} });
}
