/** One origin speaks both protocols: their APIs, their windows, their SDKs, and what a test orders. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Behaviours } from './behaviours.ts';
import { Calls } from './calls.ts';
import { type Books, control } from './control.ts';
import { Gateway, type Protocol } from './gateway.ts';
import { KeyStates } from './merchants.ts';
import { notifier } from './notifications.ts';
import { Payments } from './payments.ts';
import { PortOne } from './portone.ts';
import { portoneWindow, submitPortone } from './portoneWindow.ts';
import { SDKS } from './sdk.ts';
import { Toss } from './toss.ts';
import { submitToss, tossWindow } from './tossWindow.ts';

const HTML = 'text/html; charset=utf-8';
const send = (response: ServerResponse, status: number, body: string, type: string) =>
  void response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
const sendJson = (response: ServerResponse, status: number, body: unknown) =>
  send(response, status, JSON.stringify(body), 'application/json');

/** `file`: where the payments are stored, or null. */
export function createSimulator(file: string | null, mails: Books['mails']): Server {
  const [behaviours, calls, states] = [new Behaviours(), new Calls(), new KeyStates()];
  const payments = new Payments(file, notifier(behaviours));
  const books: Books = { payments, behaviours, calls, states, mails };
  const serve = (protocol: Protocol) => ({ protocol, gateway: new Gateway(protocol, states, calls) });
  const [toss, portone] = [serve(new Toss(payments, behaviours)), serve(new PortOne(payments, behaviours))];

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://simulator');
    const sdk = SDKS[url.pathname];
    if (sdk !== undefined) return send(response, 200, sdk, 'text/javascript; charset=utf-8');
    const raw = await text(request);
    if (url.pathname.startsWith('/window/')) return handleWindow(url, request.method === 'POST' ? raw : null, payments, response);
    if (url.pathname.startsWith('/__sim/')) return sendJson(response, ...control(books, request.method ?? 'GET', url, parse(raw) ?? {}));
    const other = url.pathname.startsWith('/payments') ? portone : null;
    const api = url.pathname.startsWith('/v1/payments') ? toss : other;
    if (api === null) return sendJson(response, 404, { code: 'NOT_FOUND' });
    const body = parse(raw);
    if (body === null) return sendJson(response, api.protocol.refusals.badBody.status, api.protocol.refusals.badBody.body);
    const header = (name: string) => (typeof request.headers[name] === 'string' ? request.headers[name] : null);
    const call = { method: request.method ?? 'GET', path: url.pathname, query: url.searchParams, header, body };
    const answer = await api.gateway.handle(call);
    if (answer.isLost) request.socket.destroy();
    else sendJson(response, answer.status, answer.body);
  };
  return createServer((request, response) => {
    handle(request, response).catch((error: unknown) => sendJson(response, 400, { code: 'INVALID_REQUEST', message: String(error) }));
  });
}

/** A JSON object; null for anything else. */
function parse(raw: string): Record<string, unknown> | null {
  try {
    const value: unknown = raw === '' ? {} : JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function handleWindow({ pathname, searchParams }: URL, posted: string | null, payments: Payments, response: ServerResponse): void {
  const query = posted === null ? searchParams : new URLSearchParams(posted);
  const refuse = (needed: string) => send(response, 400, `${needed} are needed`, 'text/plain');
  const redirect = (location: string) => void response.writeHead(302, { location }).end();
  switch (pathname) {
    case '/window/toss':
      return send(response, 200, tossWindow(query), HTML);
    case '/window/toss/submit': {
      const target = submitToss(query, payments);
      return target === null ? refuse('successUrl, failUrl, orderId and amount') : redirect(target);
    }
    case '/window/portone': {
      const page = portoneWindow(query, payments);
      return page === null ? refuse('redirectUrl, paymentId and totalAmount') : send(response, 200, page, HTML);
    }
    case '/window/portone/submit': {
      const target = submitPortone(query, payments);
      return target === null ? refuse('redirectUrl, paymentId and totalAmount') : redirect(target);
    }
    default:
      return sendJson(response, 404, { code: 'NOT_FOUND' });
  }
}
