import { createTransport } from 'nodemailer';
import { readInvitationMail } from '../db/invitations/mail.ts';
import { transitionInvitation } from '../db/invitations/transition.ts';
import { inTenant, realTime, REQUEST } from '../db/kernel/tx.ts';
import type { Call, Calls, Outcome } from '../workflows/kernel/messages.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import type { RunActivities } from './kernel/transition.ts';
import { invitationMail } from './mail/invitation.ts';

export const invitation: RunActivities<'invitation'> = {
  transition: ({ keyring }) => ({
    workflowType: 'invitation',
    transition: (tx, run, event) => transitionInvitation(tx, keyring, run, event),
  }),
  calls: invitationCalls,
};

/** Sends an invitation by SMTP. Every attempt has the same Message-ID, so that mail programs show duplicates once. */
function invitationCalls({ orm, keyring, config, clock, log }: ActivityDeps): Calls<'invitation'> {
  const transport = createTransport({
    url: config.mail.smtpUrl,
    connectionTimeout: 5000,
    greetingTimeout: 5000,
    socketTimeout: 15_000,
  });
  return { sendInvitation: (call) => withHeartbeat(() => send(call)) };

  async function send({ storeId, input: { invitationId, sendNo } }: Call<'invitation'>): Promise<Outcome<'invitation'>> {
    const mail = await inTenant(orm, realTime(storeId, clock.now()), REQUEST, (tx) =>
      readInvitationMail(tx, keyring, invitationId, sendNo),
    );
    // Canceled or resent meanwhile: this link is invalid.
    if (!mail) return { result: 'REFUSED', code: 'SUPERSEDED' };
    try {
      await transport.sendMail({
        ...invitationMail(mail, config.mail.consoleUrl),
        from: config.mail.from,
        to: mail.email,
        messageId: `<${invitationId}-${sendNo}@${new URL(config.publicUrl).hostname}>`,
      });
      return { result: 'SENT' };
    } catch (error) {
      const { responseCode = null, code = 'UNKNOWN' } = error as { responseCode?: number; code?: string };
      log.warn({ storeId, invitationId, responseCode, code }, 'an invitation could not be mailed');
      const errorCode = responseCode !== null ? `SMTP_${responseCode}` : /^[A-Z_]{1,40}$/.test(code) ? code : 'OTHER';
      return { result: responseCode !== null && responseCode >= 500 ? 'REFUSED' : 'UNSENT', code: errorCode };
    }
  }
}
