import { HEARTBEAT } from './kernel/call.ts';
import type { RunRef } from './kernel/messages.ts';
import { host } from './kernel/run.ts';

/**
 * One invitation. States: PENDING → ACCEPTED, CANCELED or EXPIRED; a resend revives an expired one. Timers: the seven days
 * of its link; the gaps between tries of a mail. Calls: the mail; whether one whose answer was lost has gone out nobody can tell, and a
 * second one does no harm.
 */
export async function invitation(run: RunRef): Promise<void> {
  await host(run, {
    type: 'invitation',
    times: { startToCloseTimeout: '40s', ...HEARTBEAT },
    calls: { sendInvitation: ({ input }) => `mail ${input.sendNo}, try ${input.attempt}` },
  });
}
