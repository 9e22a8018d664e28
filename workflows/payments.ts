import { proxyActivities } from '@temporalio/workflow';
import type { RunRef } from './kernel/messages.ts';
import { PAYMENT_CALLS_QUEUE } from './kernel/queues.ts';
import { host } from './kernel/run.ts';
import type { PaymentCalls } from './payments/contract.ts';

/** One attempt each: a lost answer is looked up by the next transition, never assumed. */
const calls = (summary: string) =>
  proxyActivities<PaymentCalls>({
    taskQueue: PAYMENT_CALLS_QUEUE,
    // A call that waits too long for a worker is as good as lost: it is looked up, never sent late.
    scheduleToStartTimeout: '30s',
    startToCloseTimeout: '65s',
    // A worker that died is noticed in seconds, not at the end of the call's time.
    heartbeatTimeout: '8s',
    retry: { maximumAttempts: 1 },
    summary,
  });

/**
 * One checkout payment. States: pending → processing → completed, failed or expired; woken again for each refund.
 * Timers: the payment's expiry; while an outcome is unknown, the next look-up. Calls: confirm, read, void, refund, findRefund.
 */
export async function payment(run: RunRef): Promise<void> {
  await host(run, {
    transition: 'movePayment',
    calls: {
      confirm: (call) => calls(`confirm ${call.input['pgOrderId']}`).confirmPayment(call),
      read: (call) => calls(`read ${call.input['pgOrderId']}`).readPayment(call),
      refund: (call) => calls(`refund ${call.input['refundAmount']} won of ${call.input['pgOrderId']}`).refundPayment(call),
      findRefund: (call) => calls(`look for refund ${call.input['refundId']}`).findRefund(call),
      void: (call) => calls(`void ${call.input['pgOrderId']}`).voidPayment(call),
    },
  });
}
