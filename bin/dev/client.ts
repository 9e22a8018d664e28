/** A client that knows only HTTP: seller, buyer, and a browser without JavaScript. */
import { randomUUID } from 'node:crypto';
import { send, type Sent } from './request.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly meta: { status: number; code: string; isSuccess: boolean; requestId: string };
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape
    readonly data: any;
    readonly error: {
      code: string;
      message: string;
      details?: Record<string, unknown>;
      fieldErrors?: { field: string; code: string }[];
    } | null;
  };
}
export type Headers_ = Readonly<Record<string, string>>;

export async function call(
  base: string,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Headers_ } = {},
): Promise<Reply> {
  const { body, headers } = options;
  const sent = {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  };
  const { status, headers: answered, text } = await (globalThis.fetch === PLAIN_FETCH ? send : sendByFetch)(base + path, sent);
  const isJson = answered.get('content-type')?.includes('json') ?? false;
  return { status, headers: answered, body: (isJson ? JSON.parse(text) : { text }) as Reply['body'] };
}
/** Tests that watch every request replace `fetch`. */
const PLAIN_FETCH = globalThis.fetch;
async function sendByFetch(url: string, sent: Sent): ReturnType<typeof send> {
  const response = await fetch(url, { ...sent, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

export interface Credentials {
  readonly storeCode: string;
  readonly storeId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export async function token(base: string, { clientId, clientSecret }: Credentials, scope?: string): Promise<string> {
  const response = await fetch(`${base}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
  });
  if (!response.ok) throw new Error(`token: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

/** A seller's requests: one token, all scopes. */
export class Seller {
  readonly base: string;
  readonly bearer: string;
  constructor(base: string, bearer: string) {
    this.base = base;
    this.bearer = bearer;
  }
  static async login(base: string, credentials: Credentials): Promise<Seller> {
    return new Seller(base, await token(base, credentials));
  }
  call(method: string, path: string, body?: unknown, headers: Headers_ = {}): Promise<Reply> {
    return call(this.base, method, path, { body, headers: { authorization: `Bearer ${this.bearer}`, ...headers } });
  }
  /** The address of an uploaded picture for a state of a flow. */
  async attachment(): Promise<string> {
    const form = new FormData();
    form.set('purpose', 'flow-attachment');
    form.set('file', new Blob([PIXEL], { type: 'image/png' }), 'proof.png');
    const headers = { authorization: `Bearer ${this.bearer}` };
    const reply = await fetch(`${this.base}/v1/uploads`, { method: 'POST', headers, body: form });
    return ((await reply.json()) as { data: { url: string } }).data.url;
  }
}

/** A PNG of one pixel. */
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

export const ADDRESS = { receiverName: '카나리아수령인', phone: '010-9876-5432', zipCode: '06236', address1: '카나리아로 77' };
export const GUEST = {
  name: '카나리아구매자',
  phone: '010-1234-5678',
  email: 'canary-buyer@example.com',
  orderPassword: 'canary-password-1',
};
export const OPTION = { pg: 'tosspayments', method: 'CARD' } as const;

/** A guest at a shop. */
export class Buyer {
  readonly base: string;
  readonly headers: Headers_;
  constructor(base: string, headers: Headers_) {
    this.base = base;
    this.headers = headers;
  }
  static async arrive(base: string, storeCode: string): Promise<Buyer> {
    const { body } = await call(base, 'POST', '/storefront/v1/auth/anonymous', { body: {}, headers: { 'x-store-code': storeCode } });
    return new Buyer(base, { 'x-store-code': storeCode, 'x-cart-token': body.data.cartToken as string });
  }
  /** A member of the shop. */
  static async join(base: string, storeCode: string, email = `member-${randomUUID()}@example.com`): Promise<Buyer> {
    const headers = { 'x-store-code': storeCode };
    const consents = [{ kind: 'TERMS' }, { kind: 'PRIVACY' }];
    const body = { email, password: 'correct-horse', name: '회원', phone: '010-2222-3333', consents };
    const joined = await call(base, 'POST', '/storefront/v1/auth/signup', { body, headers });
    return new Buyer(base, { ...headers, authorization: `Bearer ${joined.body.data.accessToken as string}` });
  }
  call(method: string, path: string, body?: unknown, headers: Headers_ = {}): Promise<Reply> {
    return call(this.base, method, path, { body, headers: { ...this.headers, ...headers } });
  }
  checkout(productId: string, quantity = 1): Promise<Reply> {
    return this.call('POST', '/storefront/v1/checkout', { items: [{ productId, quantity }] });
  }
  start(checkoutId: string, changes: object = {}, headers: Headers_ = {}): Promise<Reply> {
    const body = { option: OPTION, returnUrl: 'http://localhost:9/done?a=1', shippingAddress: ADDRESS, guest: GUEST, ...changes };
    return this.call('POST', `/storefront/v1/checkout/${checkoutId}/payment`, body, headers);
  }
  status(paymentId: string): Promise<Reply> {
    return call(this.base, 'GET', `/storefront/v1/payments/${paymentId}`);
  }
}

/** Opens a payUrl and submits its forms as a browser without JavaScript does; returns the URL at which the buyer ends. */
export async function pay(payUrl: string, card = '4111111111110000', outcome = 'pay'): Promise<URL> {
  const screen = await get(payUrl);
  if (screen.location) return screen.location;
  const window = formOf(screen.text, 'pay');
  if (!window) throw new Error(`no pay form (${screen.status})`);
  const provider = await get(`${window.action}?${String(new URLSearchParams(window.fields))}`);
  const form = formOf(provider.text, 'window');
  if (!form) throw new Error(`no provider form (${provider.status})`);
  const action = new URL(form.action, window.action).href;
  let { location } = await get(`${action}?${String(new URLSearchParams({ ...form.fields, card, outcome }))}`);
  for (let hops = 0; location && isOurs(location, payUrl); hops++) {
    const next = await get(location.href);
    if (!next.location) {
      // A page without an automatic refresh waits for the buyer: the end.
      if (!next.text.includes('http-equiv="refresh"')) return location;
      if (hops > 100) throw new Error('still processing');
      await new Promise((resolve) => setTimeout(resolve, 200));
      continue;
    }
    location = next.location;
  }
  if (!location) throw new Error('the provider sent the buyer nowhere');
  return location;
}

const isOurs = (location: URL, payUrl: string) => location.origin === new URL(payUrl).origin && location.pathname.startsWith('/pay/');

export async function get(url: string): Promise<{ status: number; text: string; location: URL | null; headers: Headers }> {
  const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(30_000) });
  const location = response.headers.get('location');
  return {
    status: response.status,
    text: await response.text(),
    location: location === null ? null : new URL(location, url),
    headers: response.headers,
  };
}

/** A form's action and its hidden fields. */
export function formOf(page: string, id: string): { action: string; fields: Record<string, string> } | null {
  const [, attributes, content] = new RegExp(`<form id="${id}"([^>]*)>([\\s\\S]*?)</form>`).exec(page) ?? [];
  if (attributes === undefined || content === undefined) return null;
  const fields = [...content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\s*\/?>/g)].map(([, name, value]) => [
    name!,
    unescape(value!),
  ]);
  return { action: unescape(/action="([^"]*)"/.exec(attributes)?.[1] ?? ''), fields: Object.fromEntries(fields) as Record<string, string> };
}
const unescape = (text: string) =>
  text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The events of one item from payment to purchase decision. */
export const ITEM_EVENTS = ['ORDER.PAID', 'ORDER.CONFIRMED', 'ORDER.DISPATCHED', 'ORDER.DELIVERED', 'ORDER.PURCHASE_DECIDED'];
