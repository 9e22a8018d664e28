/** A shop whose owner has set up both providers, and the pages of its payments as a browser without script sees them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { call, get } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';

interface Method {
  readonly method: string;
  readonly provider?: string;
}
export const CARD: Method = { method: 'CARD' };
export const KAKAO: Method = { method: 'EASY_PAY', provider: 'KAKAOPAY' };
export interface Setup {
  readonly routing?: 'AUTO_FAILOVER' | 'PRIORITY_DISPLAY';
  readonly toss?: readonly Method[];
  /** Null: PortOne has no credentials. */
  readonly portone?: readonly Method[] | null;
}
const PROVIDERS = '/v1/store/payment-providers';

export async function shopWith({ routing = 'AUTO_FAILOVER', toss = [CARD], portone = [CARD] }: Setup = {}): Promise<World> {
  const shop = await world();
  await people(shop);
  const { storeId, storeCode } = shop.store;
  const token = await storeToken(`owner@${storeCode}.example`, storeId);
  const request = async (method: string, path: string, body: object = {}) => {
    const reply = await call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${token}` } });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body.error)}`);
  };
  await request('PUT', '/v1/store/payment-settings', { routing });
  await switchOn(storeId, 'tosspayments', toss);
  if (portone === null) return shop;
  // Of this shop alone: tests order the states of merchants.
  const name = storeCode.replaceAll('-', '');
  const keys = { storeId: `store-${name}`, channelKey: `channel-key-${name}`, apiSecret: `portone-${name}-secret` };
  await request('PUT', `${PROVIDERS}/portone`, { environment: 'TEST', ...keys });
  await request('POST', `${PROVIDERS}/portone/verify`);
  await switchOn(storeId, 'portone', portone);
  return shop;
}

const switchOn = (storeId: string, provider: string, methods: readonly Method[]) => {
  const values = methods.map((one) => ({ provider: null, ...one }));
  return query('UPDATE payment_provider SET methods = $3 WHERE store_id = $1 AND provider = $2', [
    storeId,
    provider,
    JSON.stringify(values),
  ]);
};

/** The attempts of a payment, oldest first, with the code that each of them failed with. */
export const attemptsOf = async (paymentId: string): Promise<string[]> =>
  (
    await query<{ text: string }>(
      `SELECT concat_ws(' ', pg, coalesce(provider, method), status, failure->>'code') AS text FROM payment_attempt
       WHERE payment_id = $1 ORDER BY seq`,
      [paymentId],
    )
  ).map(({ text }) => text);

export interface Form {
  readonly id: string;
  readonly method: string;
  readonly action: string;
  readonly button: string;
}
const unescape = (text: string): string => text.replaceAll('&amp;', '&');
/** The forms of a page, in their order. */
export const formsOf = (page: string): Form[] =>
  [...page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', content = '']) => {
    const attribute = (name: string) => unescape(new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
    const [, button = ''] = /<button[^>]*>(.*?)<\/button>/s.exec(content) ?? [];
    return { id: attribute('id') || attribute('class'), method: attribute('method'), action: attribute('action'), button: button.trim() };
  });

/** Submits a form without fields, and follows its redirect within the payment screen. */
export async function submit(page: URL | string, { action }: Form): Promise<{ status: number; text: string; url: string }> {
  const response = await fetch(new URL(action, page), { method: 'POST', redirect: 'manual', signal: AbortSignal.timeout(30_000) });
  const location = response.headers.get('location');
  if (location === null) return { status: response.status, text: await response.text(), url: response.url };
  const next = new URL(location, page).href;
  const { status, text } = await get(next);
  return { status, text, url: next };
}

/** A page of a shop to which buyers come back; browsers do not let tests answer redirects. */
export async function shopPage(): Promise<{ readonly returnUrl: string; readonly close: () => void }> {
  const server = createServer((_, response) => void response.end('<!doctype html><title>shop</title>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { returnUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/done`, close: () => void server.close() };
}
