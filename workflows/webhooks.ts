import { patched } from '@temporalio/workflow';
import type { Plan, RunRef } from './kernel/messages.ts';
import { host } from './kernel/run.ts';

/**
 * No heartbeats: a thousand receivers that hang would load Temporal, and the next attempt is minutes away anyway. A brief attempt answers
 * within a second, or leaves the answer to the ordinary call, which asks for the same attempt. An attempt that began and whose answer
 * nobody knows counts as the receiver's timeout, as it does after a worker's death.
 */
const times = { startToCloseTimeout: '20s', briefMs: 20_000 } as const;

/**
 * One delivery of one event to one receiver. States: PENDING → PENDING_RETRY … → SUCCESS or FAILED. Timers: the
 * gaps 1 m, 5 m, 30 m, 2 h. Calls: one attempt at a time.
 */
export async function webhookDelivery({ isBrief, ...run }: RunRef): Promise<void> {
  // While workers are replaced, one of before may take the first task of a run that asks for it, and make an ordinary activity of it.
  const isBriefly = isBrief && patched('brief-first-attempt');
  await host(isBriefly ? { ...run, isBrief } : run, {
    type: 'webhookDelivery',
    firstPlan,
    times,
    calls: { attemptDelivery: ({ input }) => `attempt ${input.attempt} of 5` },
  });
}

/** The plan of a new delivery, without a load: its first attempt is due and reads the row. A test compares it with the machine's. */
export const firstPlan = ({ storeId, entityId: deliveryId, isBrief }: RunRef, at: number): Plan<'webhookDelivery'> => ({
  wakeAt: at,
  calls: [{ id: `${deliveryId}-1`, name: 'attemptDelivery', storeId, input: { deliveryId, attempt: 1, at }, ...(isBrief && { isBrief }) }],
  done: false,
  clock: 0,
  note: 'The first attempt.',
  status: 'PENDING',
});
