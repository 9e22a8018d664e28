import { proxyActivities } from '@temporalio/workflow';
import type { RunRef } from './kernel/messages.ts';
import { MAIL_QUEUE } from './kernel/queues.ts';
import { host } from './kernel/run.ts';
import type { InvitationCalls } from './invitations/contract.ts';

/** One try each: whether a mail whose answer was lost has gone out nobody can tell, and a second one does no harm. */
const calls = (summary: string) =>
  proxyActivities<InvitationCalls>({
    taskQueue: MAIL_QUEUE,
    startToCloseTimeout: '40s',
    // A worker that died is noticed in seconds, not at the end of the call's time.
    heartbeatTimeout: '8s',
    retry: { maximumAttempts: 1 },
    summary,
  });

/**
 * One invitation. States: PENDING → ACCEPTED, CANCELED or EXPIRED; a resend revives an expired one. Timers: the seven days
 * of its link; the gaps between tries of a mail. Calls: the mail.
 */
export async function invitation(run: RunRef): Promise<void> {
  await host(run, {
    transition: 'moveInvitation',
    calls: { send: (call) => calls(`mail ${call.input['sendNo']}, try ${call.input['attempt']}`).sendInvitation(call) },
  });
}
