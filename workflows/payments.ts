import type { RunRef } from './kernel/messages.ts';
import { PAYMENT_CALLS_QUEUE } from './kernel/queues.ts';
import { host } from './kernel/run.ts';

/** One attempt each: a lost answer is looked up by the next transition, never assumed. */
const options = {
  taskQueue: PAYMENT_CALLS_QUEUE,
  // A call that waits too long for a worker is as good as lost: it is looked up, never sent late.
  scheduleToStartTimeout: '30s',
  startToCloseTimeout: '65s',
  // A worker that died is noticed in seconds, not at the end of the call's time.
  heartbeatTimeout: '8s',
  retry: { maximumAttempts: 1 },
} as const;

/**
 * One checkout payment. States: pending → processing → completed, failed or expired; woken again for each refund.
 * Timers: the payment's expiry; while an outcome is unknown, the next reading. Calls: confirm, read, void, refund, findRefund.
 */
export async function payment(run: RunRef): Promise<void> {
  await host(run, {
    type: 'payment',
    calls: {
      confirmPayment: ({ input }) => ({ ...options, summary: `confirm ${input.pgOrderId}` }),
      readPayment: ({ input }) => ({ ...options, summary: `read ${input.pgOrderId}` }),
      voidPayment: ({ input }) => ({ ...options, summary: `void ${input.pgOrderId}` }),
      refundPayment: ({ input }) => ({ ...options, summary: `refund ${input.refundAmount} won of ${input.pgOrderId}` }),
      findRefund: ({ input }) => ({ ...options, summary: `look for refund ${input.refundId}` }),
    },
  });
}
