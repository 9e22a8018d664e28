/** The development mail server: accepts all mail by SMTP and lists it. Recipients `refuse@…` and `later@…` get 550 and 450. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly sentAt: string;
}

export class Outbox {
  readonly #file: string | null;
  readonly #mails: Mail[];

  constructor(file: string | null) {
    this.#file = file;
    const lines = file !== null && existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
    this.#mails = lines.map((line) => JSON.parse(line) as Mail);
  }
  /** The mails in order of arrival. */
  all(): readonly Mail[] {
    return this.#mails;
  }
  /** One entry for each recipient. */
  async take(message: Buffer, recipients: readonly string[]): Promise<void> {
    const { subject = '', text = '', html = '' } = await PostalMime.parse(message);
    for (const to of recipients) {
      const mail: Mail = { to, subject, text, html, sentAt: new Date().toISOString() };
      this.#mails.push(mail);
      if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(mail)}\n`);
    }
  }
}

const refusal = (responseCode: number) => Object.assign(new Error('refused by the development mail server'), { responseCode });

export async function startMailServer(port: number, outbox: Outbox): Promise<void> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _, done) {
      if (address.startsWith('refuse@')) return done(refusal(550));
      if (address.startsWith('later@')) return done(refusal(450));
      done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        void outbox.take(Buffer.concat(chunks), recipients).finally(() => done());
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
