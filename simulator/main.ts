/** The payment provider's simulator: a separate process with the provider's HTTP API; it imports none of our code. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startIdp } from './idp.ts';
import { Outbox, startMailServer } from './mail.ts';
import { Payments } from './payments.ts';
import { Toss } from './toss.ts';
import { submit, windowPage } from './window.ts';

const port = Number(process.env['SIMULATOR_PORT'] ?? 3001);
const payments = new Payments(process.env['SIMULATOR_FILE'] ?? null);
const outbox = new Outbox(process.env['SIMULATOR_FILE'] ? `${process.env['SIMULATOR_FILE']}.mail` : null);
const toss = new Toss(payments, process.env['TOSS_SECRET_KEY'] ?? 'test_sk_sangjeom');

const send = (response: ServerResponse, status: number, body: string, type: string) =>
  void response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
const sendJson = (response: ServerResponse, status: number, body: unknown) =>
  send(response, status, JSON.stringify(body), 'application/json');

/** Endpoints that a real provider does not have: its ledger, the mails sent, and how its next responses behave. */
async function control(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (pathname === '/__sim/mail') return sendJson(response, 200, outbox.all());
  if (pathname === '/__sim/next') {
    const { op, behavior, orderId, times = 1 } = JSON.parse(await text(request)) as Record<string, unknown>;
    const order = typeof orderId === 'string' ? orderId : '*';
    if (times === 0) toss.forget(String(op), order);
    for (let n = 0; n < Number(times); n++) toss.behave(String(op), String(behavior), order);
    return sendJson(response, 200, {});
  }
  if (pathname !== '/__sim/payments') return sendJson(response, 404, { code: 'NOT_FOUND' });
  const shown = payments.all().map(({ paymentKey, orderId, status, totalAmount, balanceAmount, cancels }) => ({
    pg: 'tosspayments',
    paymentKey,
    orderId,
    status,
    totalAmount,
    balanceAmount,
    cancels,
    confirmKeys: toss.confirmKeys(orderId),
  }));
  sendJson(response, 200, shown);
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://simulator');
  const { pathname, searchParams } = url;
  if (pathname === '/window/toss') return send(response, 200, windowPage(searchParams), 'text/html; charset=utf-8');
  if (pathname === '/window/toss/submit') {
    const body = request.method === 'POST' ? new URLSearchParams(await text(request)) : searchParams;
    const target = submit(body, payments);
    if (target === null) return send(response, 400, 'successUrl, failUrl, orderId and amount are needed', 'text/plain');
    return void response.writeHead(302, { location: target }).end();
  }
  if (pathname.startsWith('/__sim/')) return control(pathname, request, response);
  const raw = await text(request);
  const body = (raw === '' ? {} : JSON.parse(raw)) as Record<string, unknown>;
  if (!pathname.startsWith('/v1/payments')) return sendJson(response, 404, { code: 'NOT_FOUND' });
  const header = (name: string) => (typeof request.headers[name] === 'string' ? request.headers[name] : null);
  const answer = await toss.answer({
    body,
    method: request.method ?? 'GET',
    path: pathname,
    authorization: header('authorization') ?? '',
    key: header('idempotency-key'),
    testCode: header('tosspayments-test-code'),
  });
  if (answer.drop) return void request.socket.destroy();
  sendJson(response, answer.status, answer.body);
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => sendJson(response, 400, { code: 'INVALID_REQUEST', message: String(error) }));
});
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
