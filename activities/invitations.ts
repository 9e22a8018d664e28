import { createTransport } from 'nodemailer';
import { readInvitationMail } from '../db/invitations/mail.ts';
import { moveInvitation } from '../db/invitations/move.ts';
import { inStore, REQUEST } from '../db/orm.ts';
import type { InvitationCalls } from '../workflows/invitations/contract.ts';
import type { Call, Outcome } from '../workflows/kernel/obligations.ts';
import { alive } from './kernel/alive.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { transitionActivity } from './kernel/transition.ts';
import { invitationMail } from './mail/invitation.ts';

export const invitationActivities = (deps: ActivityDeps) => ({
  moveInvitation: transitionActivity(deps, {
    kind: 'invitation',
    move: (em, run, event, at) => moveInvitation(em, deps.keyring, run, event, at, deps.clock.now()),
  }),
});

/** The mail of an invitation, by SMTP. Its Message-ID is the same however often it is tried, so that doubles fold. */
export function invitationCalls({ orm, keyring, config, log }: ActivityDeps): InvitationCalls {
  const transport = createTransport({
    url: config.mail.smtpUrl,
    connectionTimeout: 5000,
    greetingTimeout: 5000,
    socketTimeout: 15_000,
  });
  return { sendInvitation: (call) => alive(() => send(call)) };

  async function send({ storeId, input }: Call): Promise<Outcome> {
    const [invitationId, sendNo] = [String(input['invitationId']), Number(input['sendNo'])];
    const mail = await inStore(orm, storeId, REQUEST, (em) => readInvitationMail(em, keyring, storeId, invitationId, sendNo));
    // Canceled, or sent anew, meanwhile: this link is dead.
    if (!mail) return { kind: 'REFUSED', code: 'SUPERSEDED' };
    try {
      await transport.sendMail({
        ...invitationMail(mail, config.mail.consoleUrl),
        from: config.mail.from,
        to: mail.email,
        messageId: `<${invitationId}-${sendNo}@${new URL(config.publicUrl).hostname}>`,
      });
      return { kind: 'SENT' };
    } catch (error) {
      const { responseCode = null, code = 'UNKNOWN' } = error as { responseCode?: number; code?: string };
      log.warn({ storeId, invitationId, responseCode, code }, 'an invitation could not be mailed');
      const told = responseCode !== null ? `SMTP_${responseCode}` : /^[A-Z_]{1,40}$/.test(code) ? code : 'OTHER';
      return { kind: responseCode !== null && responseCode >= 500 ? 'REFUSED' : 'UNSENT', code: told };
    }
  }
}
