/** A simulator in this process, and a shop's side of both protocols. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from '@jest/globals';
import { createSimulator } from '../../../simulator/server.ts';

export interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape
  readonly body: any;
}
export type Fields = Readonly<Record<string, string>>;
export interface Received {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly at: number;
}
export const basic = (secretKey: string): Fields => ({ authorization: `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}` });
export const portone = (name: string): Fields => ({ authorization: `PortOne portone-${name}-secret` });
export const CARD = (ending: string) => `411111111111${ending}`;

let ids = 0;
export const newId = (): string => `order-${process.pid}-${++ids}`;

/** Starts it for the tests of a file. */
export function simulator() {
  const server = createSimulator(null, () => []);
  const received: Received[] = [];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers as Received['headers'], body, at: Date.now() });
      response.end();
    });
  });
  const at = (one: typeof server) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
  beforeAll(async () => {
    for (const one of [server, receiver]) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    for (const one of [server, receiver]) {
      one.closeAllConnections();
      await new Promise((resolve) => one.close(resolve));
    }
  });
  const call = async (method: string, path: string, headers: Fields = {}, body?: object): Promise<Reply> => {
    const response = await fetch(at(server) + path, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const page = async (path: string, fields: Fields) => {
    const response = await fetch(`${at(server)}${path}?${String(new URLSearchParams(fields))}`, { redirect: 'manual' });
    const location = response.headers.get('location');
    return { status: response.status, text: await response.text(), target: location === null ? null : new URL(location) };
  };
  const tossFields = (orderId: string, fields: Fields = {}): Fields => ({
    clientKey: 'test_ck_sangjeom',
    method: 'CARD',
    amount: '15000',
    orderId,
    orderName: '토스 티셔츠 외 2건',
    successUrl: 'https://shop.example/success?a=1',
    failUrl: 'https://shop.example/fail',
    ...fields,
  });
  const portoneFields = (paymentId: string, fields: Fields = {}): Fields => ({
    storeId: 'store-acme',
    channelKey: 'channel-key-1',
    paymentId,
    orderName: '나이키 와플 트레이너 2 SD',
    totalAmount: '1000',
    currency: 'KRW',
    payMethod: 'CARD',
    redirectUrl: 'https://shop.example/return',
    noticeUrls: `${at(receiver)}/notice`,
    ...fields,
  });
  const pass = async (path: string, fields: Fields): Promise<URL> =>
    (await page(path, { outcome: 'pay', card: CARD('0000'), ...fields })).target!;
  return {
    received,
    origin: () => at(server),
    call,
    page,
    tossFields,
    portoneFields,
    toss: (orderId: string, fields: Fields = {}) => pass('/window/toss/submit', tossFields(orderId, fields)),
    portone: (paymentId: string, fields: Fields = {}) => pass('/window/portone/submit', portoneFields(paymentId, fields)),
    next: (body: object) => call('POST', '/__sim/next', {}, body),
    state: (pg: string, name: string, state: string) => call('POST', '/__sim/merchants', {}, { pg, name, state }),
    ledger: async (orderId: string) =>
      ((await call('GET', '/__sim/payments')).body as { orderId: string }[]).filter((one) => one.orderId === orderId),
    calls: async (orderId: string) => (await call('GET', `/__sim/calls?orderId=${orderId}`)).body as Record<string, unknown>[],
  };
}
/** Waits for what comes by itself. */
export async function until<T>(found: () => T | undefined | false): Promise<T> {
  for (const end = Date.now() + 8000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const value = found();
    if (value !== undefined && value !== false) return value;
  }
  throw new Error('it did not come');
}
