import { readInvitationMail } from '../db/invitations/mail.ts';
import { inTenant, realTime, REQUEST } from '../db/kernel/tx.ts';
import type { Call, Calls, Outcome } from '../workflows/kernel/messages.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import type { RunActivities } from './kernel/transition.ts';
import { invitationMail } from './mail/invitation.ts';
import { createMailer } from './mail/mailer.ts';

export const invitation: RunActivities<'invitation'> = {
  calls: invitationCalls,
};

/** Sends an invitation by SMTP. Every attempt has the same Message-ID, so that mail programs show duplicates once. */
function invitationCalls(deps: ActivityDeps): Calls<'invitation'> {
  const { orm, keyring, config, clock } = deps;
  const mailer = createMailer(deps);
  return { sendInvitation: (call) => withHeartbeat(() => send(call)) };

  async function send({ storeId, input: { invitationId, sendNo } }: Call<'invitation'>): Promise<Outcome<'invitation'>> {
    const mail = await inTenant(orm, realTime(storeId, clock.now()), REQUEST, (tx) =>
      readInvitationMail(tx, keyring, invitationId, sendNo),
    );
    // Canceled or resent meanwhile: this link is invalid.
    if (!mail) return { result: 'REFUSED', code: 'SUPERSEDED' };
    return mailer.send({ ...invitationMail(mail, config.mail.consoleUrl), to: mail.email, id: `${invitationId}-${sendNo}` });
  }
}
