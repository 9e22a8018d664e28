import { HEARTBEAT } from './kernel/call.ts';
import type { RunRef } from './kernel/messages.ts';
import { host } from './kernel/run.ts';

/**
 * One approval request. States: PENDING → EXECUTING → SUCCEEDED, FAILED or UNKNOWN; PENDING → REJECTED or EXPIRED. Timers: the 24 hours of
 * the decision; the gaps between tries of the execution. Calls: the execution, which happens once however often it is called, and its
 * look-up, which runs nothing.
 */
export async function approval(run: RunRef): Promise<void> {
  await host(run, {
    type: 'approval',
    times: { startToCloseTimeout: '20s', ...HEARTBEAT },
    calls: {
      execute: ({ input }) => `execution, try ${input.attempt}`,
      findExecution: ({ input }) => `look-up of the execution, try ${input.attempt}`,
    },
  });
}

/**
 * The mails of one store about its approval requests. States: MAILING while requests wait for their mail or mails have not gone, QUIET
 * otherwise; a new request wakes it. Timers: ten minutes between mails; the gaps between tries of one. Calls: the mails.
 */
export async function approvalNotice(run: RunRef): Promise<void> {
  await host(run, {
    type: 'approvalNotice',
    times: { startToCloseTimeout: '40s', ...HEARTBEAT },
    calls: { sendApprovalNotice: ({ input }) => `mail of round ${input.round}, try ${input.attempt}` },
  });
}
