/** Load for the fault harness: buyers and sellers, each repeating requests with the same key until there is a response. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { System } from '../../bin/dev/system.ts';
import type { CreatedStore } from '../../db/identity/createStore.ts';
import { type ClaimKind, claimOne, type Claiming, type Claims } from './claiming.ts';
import type { Inviting } from './inviting.ts';
import { until } from '../../bin/dev/until.ts';
import { call, formOf, GUEST, ADDRESS, OPTION, type Headers_, token } from '../../bin/dev/client.ts';

/** Everything that was acknowledged by a response: it must hold afterwards. */
export interface Promised {
  /** Open checkouts. */
  readonly checkouts: Set<string>;
  /** Started payments. */
  readonly payments: Set<string>;
  /** Orders by payment. */
  readonly orders: Map<string, string>;
  /** The acknowledged status of items. */
  readonly items: Map<string, 'CONFIRMED' | 'DISPATCHED' | 'DELIVERED'>;
  /** Units by item that have left it: canceled, returned, exchanged. */
  readonly canceled: Map<string, number>;
  readonly claims: Claims;
  requests: number;
  retries: number;
}

export const noPromises = (): Promised => ({
  checkouts: new Set(),
  payments: new Set(),
  orders: new Map(),
  items: new Map(),
  canceled: new Map(),
  claims: new Map(),
  requests: 0,
  retries: 0,
});

/** The products that are bought. */
export interface Products {
  readonly shipped: string;
  readonly provided: string;
}

export class Load {
  readonly #system: System;
  readonly #store: CreatedStore;
  readonly #products: Products;
  readonly promised = noPromises();
  #stopped = false;
  #sequence = 0;
  #bearer: Promise<string> | undefined;

  constructor(system: System, store: CreatedStore, products: Products) {
    this.#system = system;
    this.#store = store;
    this.#products = products;
  }

  /** Runs until stopped; each buyer, and the inviting OWNER, then finishes what they have begun. */
  async run(buyers: number, inviting: Inviting): Promise<void> {
    await Promise.all([
      inviting.run(
        (...action) => this.#send(...action),
        () => this.#stopped,
      ),
      ...Array.from({ length: buyers }, async () => {
        while (!this.#stopped) await this.#buyOne();
      }),
    ]);
  }
  stop(): void {
    this.#stopped = true;
  }
  /** Waits for this many further orders, at most two minutes: too little load is reported by the checks. */
  async promise(orders: number): Promise<void> {
    const enough = this.promised.orders.size + orders;
    await until('orders are promised', async () => this.promised.orders.size >= enough, 120_000).catch(() => {});
  }

  /** Repeats a request with one key until there is a response that is not a 5xx. */
  async #send(
    method: string,
    path: string,
    body: unknown,
    headers: Headers_,
  ): Promise<{ status: number; data: Record<string, unknown> | null; code: string | null }> {
    const key = `k-${this.#sequence++}`;
    for (;;) {
      this.promised.requests++;
      try {
        const { status, body: reply } = await call(this.#system.api, method, path, {
          body,
          headers: { ...headers, 'idempotency-key': key },
        });
        if (status < 500 && reply.error?.code !== 'IDEMPOTENCY_IN_PROGRESS')
          return { status, data: reply.data as Record<string, unknown> | null, code: reply.error?.code ?? null };
      } catch {
        // the process was killed: repeat
      }
      this.promised.retries++;
      await sleep(100);
    }
  }

  async #buyOne(): Promise<void> {
    const shop = { 'x-store-code': this.#store.storeCode };
    const session = await this.#send('POST', '/storefront/v1/auth/anonymous', {}, shop);
    const buyer = { ...shop, 'x-cart-token': String(session.data?.['cartToken']) };
    const line = { productId: Math.random() < 0.2 ? this.#products.provided : this.#products.shipped, quantity: 3 };
    const opened = await this.#send('POST', '/storefront/v1/checkout', await this.#wanted(line, buyer), buyer);
    if (opened.status !== 201) return;
    this.promised.checkouts.add(String(opened.data!['checkoutId']));
    const option = { ...OPTION, pg: Math.random() < PORTONE_SHARE ? 'portone' : 'tosspayments' };
    const start = { option, returnUrl: 'http://localhost:9/', shippingAddress: ADDRESS, guest: GUEST };
    const started = await this.#send('POST', `/storefront/v1/checkout/${String(opened.data!['checkoutId'])}/payment`, start, buyer);
    if (started.status !== 200) return;
    const { paymentId, payUrl } = started.data as { paymentId: string; payUrl: string };
    this.promised.payments.add(paymentId);
    await this.#pay(payUrl);
    const orderId = await this.#settled(paymentId);
    if (orderId === null) return;
    this.promised.orders.set(paymentId, orderId);
    await this.#ship(orderId, shop);
  }

  /** Half buy from the cart, half directly. */
  async #wanted(line: object, buyer: Headers_): Promise<object> {
    if (Math.random() < 0.5) return { items: [line] };
    const cart = await this.#send('POST', '/storefront/v1/cart/items', line, buyer);
    const [item] = (cart.data?.['items'] ?? []) as { cartItemId: string }[];
    return item ? { cartItemIds: [item.cartItemId] } : { items: [line] };
  }

  /** Pays through our screen and the provider's window; an interrupted return is resolved by reading the status. */
  async #pay(payUrl: string): Promise<void> {
    const open = async (url: string): Promise<{ text: string; location: string | null }> => {
      for (let tries = 0; tries < 100; tries++) {
        try {
          const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(15_000) });
          if (response.status < 500) return { text: await response.text(), location: response.headers.get('location') };
        } catch {
          // the process was killed: repeat
        }
        await sleep(150);
      }
      return { text: '', location: null };
    };
    const form = formOf((await open(payUrl)).text, 'pay');
    if (!form) return;
    const submit = new URL(`${form.action}/submit`);
    submit.search = String(new URLSearchParams({ ...form.fields, card: anyCard(), outcome: 'pay' }));
    const { location } = await open(submit.href);
    if (location !== null) await open(location);
  }

  async #settled(paymentId: string): Promise<string | null> {
    for (let tries = 0; tries < 600; tries++) {
      const status = await call(this.#system.api, 'GET', `/storefront/v1/payments/${paymentId}`).catch(() => null);
      const data = status?.body.data as { status: string; result: string; orderId: string } | null | undefined;
      if (data?.status === 'completed') return data.orderId;
      if (data && isOver(data, tries)) return null;
      await sleep(200);
    }
    return null;
  }

  async #ship(orderId: string, shop: Headers_): Promise<void> {
    this.#bearer ??= token(this.#system.api, this.#store).catch(async () => {
      this.#bearer = undefined;
      await sleep(300);
      return '';
    });
    const headers = { authorization: `Bearer ${await this.#bearer}` };
    const order = await this.#send('GET', `/v1/orders/${orderId}`, undefined, headers);
    const item = (order.data?.['items'] as { orderItemId: string; fulfillmentSnapshot: { type: string } }[] | undefined)?.[0];
    if (item === undefined) return;
    const id = item.orderItemId;
    if (Math.random() < 0.3) await this.#cancel(id, headers, Math.random() < 0.5 ? 3 : 1);
    const claiming: Claiming = { orderId, orderItemId: id, seller: headers, shop };
    const steps = item.fulfillmentSnapshot.type === 'MANUAL' ? PROVIDE : SHIP;
    await this.#claim(claiming, 'PAID');
    for (const [action, body, status] of steps) {
      const done = await this.#send('POST', `/v1/order-items/${id}/${action}`, body, headers);
      if (done.status !== 200) return;
      this.promised.items.set(id, status);
      await this.#claim(claiming, status);
    }
  }

  /** One buyer of three files claims of one unit each, and their ends are waited for. */
  async #claim(claiming: Claiming, status: keyof typeof CLAIMS): Promise<void> {
    if (Math.random() < 2 / 3) return;
    const { orderItemId } = claiming;
    for (const type of CLAIMS[status]) {
      const left = await claimOne((...request) => this.#send(...request), claiming, type, this.promised.claims);
      if (left > 0) this.promised.canceled.set(orderItemId, (this.promised.canceled.get(orderItemId) ?? 0) + left);
    }
  }

  /** Cancels units one by one, each under a key of its own. */
  async #cancel(id: string, headers: Headers_, times: number): Promise<void> {
    for (let n = 0; n < times; n++) {
      const done = await this.#send('POST', `/v1/order-items/${id}/cancel`, { reason: 'OUT_OF_STOCK', quantity: 1 }, headers);
      if (done.status === 200) this.promised.canceled.set(id, (this.promised.canceled.get(id) ?? 0) + 1);
    }
  }
}

/** Both providers are in every drill. */
const PORTONE_SHARE = 0.4;
/** Of ten, one loses its approval's answer, one is canceled asynchronously, and one approves by itself where it is PortOne's. */
const anyCard = (): string => `411111111111${['0020', '0041', '0070'][Math.floor(Math.random() * 10)] ?? '0000'}`;

const CLAIMS: Readonly<Record<'PAID' | 'CONFIRMED' | 'DISPATCHED' | 'DELIVERED', readonly ClaimKind[]>> = {
  PAID: ['CANCEL'],
  CONFIRMED: ['CANCEL'],
  DISPATCHED: ['EXCHANGE', 'RETURN', 'RETURN'],
  DELIVERED: ['PROVIDED_RETURN'],
};
const SHIP = [
  ['confirm', {}, 'CONFIRMED'],
  ['dispatch', { deliveryMethod: 'NONE' }, 'DISPATCHED'],
] as const;
const PROVIDE = [['fulfill', { note: 'canary-voucher' }, 'DELIVERED']] as const;

/** The payment will not become an order: it has expired or failed, or the buyer could not pay. */
const isOver = ({ status, result }: { status: string; result: string }, tries: number): boolean =>
  status === 'failed' || status === 'expired' || (status === 'pending' && (result !== 'PENDING' || tries > 20));
