/** The simulator of the outside world: a separate process with the payment providers' APIs; it imports none of our code. */
import { startIdp } from './idp.ts';
import { Outbox, startMailServer } from './mail.ts';
import { createSimulator } from './server.ts';

const port = Number(process.env['SIMULATOR_PORT'] ?? 3001);
const outbox = new Outbox(process.env['SIMULATOR_FILE'] ? `${process.env['SIMULATOR_FILE']}.mail` : null);
const server = createSimulator(process.env['SIMULATOR_FILE'] ?? null, () => outbox.all());
server.on('error', (error: NodeJS.ErrnoException) => {
  process.stderr.write(
    error.code === 'EADDRINUSE' ? `Port ${port} is in use: stop what uses it, or set SIMULATOR_PORT.\n` : `${String(error)}\n`,
  );
  process.exit(1);
});
const { IDP_PORT: idpPort, PUBLIC_URL: api, SMTP_PORT: smtpPort } = process.env;
if (smtpPort !== undefined) await startMailServer(Number(smtpPort), outbox);
if (idpPort !== undefined && api !== undefined) await startIdp(Number(idpPort), `${api}/oauth2/callback`);
server.listen(port, '127.0.0.1', () => process.send?.('ready'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
process.on('disconnect', () => process.exit(0));
