/** Mails by SMTP. */
import { createTransport } from 'nodemailer';
import type { ActivityDeps } from '../kernel/deps.ts';

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same for every try, so that mail programs show duplicates once. */
  readonly id: string;
}
/** REFUSED: for good; UNSENT: try again. */
export type Posted = { readonly result: 'SENT' } | { readonly result: 'REFUSED' | 'UNSENT'; readonly code: string };

export function createMailer({ config, log }: Pick<ActivityDeps, 'config' | 'log'>) {
  const transport = createTransport({
    url: config.mail.smtpUrl,
    connectionTimeout: 5000,
    greetingTimeout: 5000,
    socketTimeout: 15_000,
  });
  const host = new URL(config.publicUrl).hostname;
  return {
    async send({ id, ...letter }: Letter): Promise<Posted> {
      try {
        await transport.sendMail({ ...letter, from: config.mail.from, messageId: `<${id}@${host}>` });
        return { result: 'SENT' };
      } catch (error) {
        const { responseCode = null, code = 'UNKNOWN' } = error as { responseCode?: number; code?: string };
        log.warn({ id, responseCode, code }, 'sending a mail failed');
        if (responseCode === null) return { result: 'UNSENT', code: /^[A-Z_]{1,40}$/.test(code) ? code : 'OTHER' };
        return { result: responseCode >= 500 ? 'REFUSED' : 'UNSENT', code: `SMTP_${responseCode}` };
      }
    },
  };
}
