import { HEARTBEAT } from './kernel/call.ts';
import type { RunRef } from './kernel/messages.ts';
import { host } from './kernel/run.ts';

/**
 * A call that waits too long for a worker is treated as lost: its outcome is read, and it is never sent late. A confirm at PortOne may take
 * 65 seconds, and the reading of it ten more. Brief calls: BRIEF_MS.
 */
const times = { scheduleToStartTimeout: '30s', startToCloseTimeout: '80s', ...HEARTBEAT } as const;

/**
 * One checkout payment. States: pending → processing → completed, failed or expired; woken again for each refund.
 * Timers: the payment's expiry; while an outcome is unknown, the next reading. Calls: confirmPayment, readPayment, voidPayment,
 * refundPayment, findRefund; the first confirm of an attempt is brief.
 */
export async function payment(run: RunRef): Promise<void> {
  await host(run, {
    type: 'payment',
    times,
    calls: {
      confirmPayment: ({ input }) => `confirm ${input.pgOrderId}`,
      readPayment: ({ input }) => `read ${input.pgOrderId}`,
      voidPayment: ({ input }) => `void ${input.pgOrderId}`,
      refundPayment: ({ input }) => `refund ${input.refundAmount} won of ${input.pgOrderId}`,
      findRefund: ({ input }) => `look for refund ${input.refundId}`,
    },
  });
}
