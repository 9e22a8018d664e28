import { createTransport } from 'nodemailer';
import { readInvitationMail } from '../db/invitations/mail.ts';
import { transitionInvitation } from '../db/invitations/transition.ts';
import { inTenant, REQUEST } from '../db/kernel/tx.ts';
import type { Call, Calls, Outcome } from '../workflows/kernel/messages.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { transitionActivity } from './kernel/transition.ts';
import { invitationMail } from './mail/invitation.ts';

export const invitationTransitions = (deps: ActivityDeps) =>
  transitionActivity(deps, {
    workflowType: 'invitation',
    transition: (em, run, event, at) => transitionInvitation(em, deps.keyring, run, event, at, deps.clock.now()),
  });

/** The mail of an invitation, by SMTP. Its Message-ID is the same however often it is tried, so that doubles fold. */
export function invitationCalls({ orm, keyring, config, log }: ActivityDeps): Calls<'invitation'> {
  const transport = createTransport({
    url: config.mail.smtpUrl,
    connectionTimeout: 5000,
    greetingTimeout: 5000,
    socketTimeout: 15_000,
  });
  return { sendInvitation: (call) => withHeartbeat(() => send(call)) };

  async function send({ storeId, input: { invitationId, sendNo } }: Call<'invitation'>): Promise<Outcome<'invitation'>> {
    const mail = await inTenant(orm, storeId, REQUEST, (em) => readInvitationMail(em, keyring, storeId, invitationId, sendNo));
    // Canceled, or sent anew, meanwhile: this link is dead.
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
      const told = responseCode !== null ? `SMTP_${responseCode}` : /^[A-Z_]{1,40}$/.test(code) ? code : 'OTHER';
      return { result: responseCode !== null && responseCode >= 500 ? 'REFUSED' : 'UNSENT', code: told };
    }
  }
}
