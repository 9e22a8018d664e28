/**
 * The entry of the workflow bundle: a row for each workflow type. `test/units/runs/workflowTypes.test.ts` requires each. `calls` says how
 * each call reads in Temporal UI, `times` how long it may take.
 */
import { HEARTBEAT } from './kernel/call.ts';
import { workflow } from './kernel/run.ts';

export { scheduledJob } from './jobs.ts';
export { webhookDelivery } from './webhooks.ts';

/** An external service has a minute at most (`timeoutSeconds`), and its call the time to be begun and recorded. */
const EXTERNAL = { startToCloseTimeout: '90s', ...HEARTBEAT } as const;
const MAIL = { startToCloseTimeout: '40s', ...HEARTBEAT } as const;

/**
 * One checkout payment. States: pending → processing → completed, failed or expired; woken again for each refund.
 * Timers: the payment's expiry; while an outcome is unknown, the next reading. Calls: confirmPayment, readPayment, voidPayment,
 * refundPayment, findRefund; the first confirm of an attempt is brief (BRIEF_MS).
 */
export const payment = workflow('payment', {
  // A call that waits too long for a worker is treated as lost: its outcome is read, and it is never sent late. A confirm at PortOne may
  // take 65 seconds, and the reading of it ten more.
  times: { scheduleToStartTimeout: '30s', startToCloseTimeout: '80s', ...HEARTBEAT },
  calls: {
    confirmPayment: ({ input }) => `confirm ${input.pgOrderId}`,
    readPayment: ({ input }) => `read ${input.pgOrderId}`,
    voidPayment: ({ input }) => `void ${input.pgOrderId}`,
    refundPayment: ({ input }) => `refund ${input.refundAmount} won of ${input.pgOrderId}`,
    findRefund: ({ input }) => `look for refund ${input.refundId}`,
  },
});

/**
 * One order item, from payment to purchase decision. States: those of its flow. Timers: the nearest deadline of
 * its flow (automatic delivery, automatic decision); every four hours a poll of the courier. Calls: that poll, and the one request of each
 * external node.
 */
export const orderItem = workflow('orderItem', {
  times: EXTERNAL,
  calls: {
    pollShipment: ({ input }) => `poll ${input.n} of the courier`,
    askExternal: ({ input }) => `request of node ${input.nodeId}`,
  },
});

/**
 * The items of an order that move together in one flow. States: those of the flow. Timers: the nearest deadline of the flow. Calls: the one
 * request of each external node.
 */
export const orderGroup = workflow('orderGroup', {
  times: EXTERNAL,
  calls: { askExternal: ({ input }) => `request of node ${input.nodeId}` },
});

/**
 * One claim of a buyer. States: REQUESTED (and HELD, once) → a cancel: COMPLETED; a return: COLLECTING → COLLECTED → COMPLETED; an
 * exchange: COLLECTING → COLLECTED → REDELIVERING → COMPLETED; or REJECTED, WITHDRAWN. Timers: the end of a hold. Calls: none; the refund
 * is made by the payment's run.
 */
export const claim = workflow('claim', { times: null, calls: {} });

/**
 * One invitation. States: PENDING → ACCEPTED, CANCELED or EXPIRED; a resend revives an expired one. Timers: the seven days
 * of its link; the gaps between tries of a mail. Calls: the mail; whether one whose answer was lost has gone out nobody can tell, and a
 * second one does no harm.
 */
export const invitation = workflow('invitation', {
  times: MAIL,
  calls: { sendInvitation: ({ input }) => `mail ${input.sendNo}, try ${input.attempt}` },
});

/**
 * One approval request. States: PENDING → EXECUTING → SUCCEEDED, FAILED or UNKNOWN; PENDING → REJECTED or EXPIRED. Timers: the 24 hours of
 * the decision; the gaps between tries of the execution. Calls: the execution, which happens once however often it is called, and its
 * look-up, which runs nothing.
 */
export const approval = workflow('approval', {
  times: { startToCloseTimeout: '20s', ...HEARTBEAT },
  calls: {
    execute: ({ input }) => `execution, try ${input.attempt}`,
    findExecution: ({ input }) => `look-up of the execution, try ${input.attempt}`,
  },
});

/**
 * The mails of one store about its approval requests. States: MAILING while requests wait for their mail or mails have not gone, QUIET
 * otherwise; a new request wakes it. Timers: ten minutes between mails; the gaps between tries of one. Calls: the mails.
 */
export const approvalNotice = workflow('approvalNotice', {
  times: MAIL,
  calls: { sendApprovalNotice: ({ input }) => `mail of round ${input.round}, try ${input.attempt}` },
});

/**
 * Cleanup after the suspension or deletion of a subscription: ends waiting deliveries, deletes records, a portion per transition. Timers: a
 * pause between portions. Calls: none.
 */
export const webhookSubscription = workflow('webhookSubscription', { times: null, calls: {} });
