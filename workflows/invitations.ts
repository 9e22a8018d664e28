import type { RunRef } from './kernel/messages.ts';
import { MAIL_QUEUE } from './kernel/queues.ts';
import { host } from './kernel/run.ts';

/** One try each: whether a mail whose answer was lost has gone out nobody can tell, and a second one does no harm. */
const options = {
  taskQueue: MAIL_QUEUE,
  startToCloseTimeout: '40s',
  // A worker that died is noticed in seconds, not at the end of the call's time.
  heartbeatTimeout: '8s',
  retry: { maximumAttempts: 1 },
} as const;

/**
 * One invitation. States: PENDING → ACCEPTED, CANCELED or EXPIRED; a resend revives an expired one. Timers: the seven days
 * of its link; the gaps between tries of a mail. Calls: the mail.
 */
export async function invitation(run: RunRef): Promise<void> {
  await host(run, {
    type: 'invitation',
    calls: { sendInvitation: ({ input }) => ({ ...options, summary: `mail ${input.sendNo}, try ${input.attempt}` }) },
  });
}
