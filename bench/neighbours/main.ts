/**
 * `npm run bench -- --neighbours [--way uploads]`: two stores side by side. What one of them is served, alone and while the other is
 * hostile in each of the ways of issue 33, in one run on one system: the ratio of the 95th percentiles, which is to stay below two.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { System } from '../../bin/dev/system.ts';
import { Buyer, call, pay, Seller } from '../../bin/dev/client.ts';
import { UserError } from '../../bin/kernel/cli.ts';
import { makeStore } from '../../bin/ops/store/make.ts';
import { percentile } from '../measure.ts';
import type { Assignment, Prepared } from './hostile.ts';
import { WAYS, type WayName } from './ways.ts';

/** Of one measurement; a way has two of them, and its preparation. */
const MEASURED_MS = 30_000;
/** An answer that has not come by then counts as this long. */
const LOST_MS = 20_000;

const KINDS = ['order', 'webhook', 'product'] as const;
type Times = Readonly<Record<(typeof KINDS)[number], number[]>>;

export async function neighbours(system: System, way: string | undefined, print: (text: string) => void): Promise<void> {
  if (way !== undefined && !(way in WAYS)) throw new UserError(`--way is one of ${Object.keys(WAYS).join(', ')}.`);
  const ways = way === undefined ? (Object.keys(WAYS) as WayName[]) : [way as WayName];
  const neighbour = await Neighbour.open(system);
  await neighbour.measure(5000);
  print(`\np95 in ms of a neighbour's order, webhook and product page: alone, beside a hostile store, and the ratio:`);
  let worst = 0;
  for (const name of ways) {
    const alone = await neighbour.measure(MEASURED_MS);
    const beside = await besideHostile(system, name, () => neighbour.measure(MEASURED_MS));
    if (beside === null) print(`  ${name.padEnd(10)} refused: the hostile store may not do it`);
    else worst = Math.max(worst, printRatios(name, alone, beside, print));
  }
  print(`\nthe largest ratio: ${worst.toFixed(2)}`);
  neighbour.close();
}

function printRatios(name: string, alone: Times, beside: Times, print: (text: string) => void): number {
  const all = KINDS.map((kind) => {
    const [before, with_] = [percentile(alone[kind], 0.95), percentile(beside[kind], 0.95)];
    return { ratio: with_ / before, text: `${kind} ${before} ${with_} ${(with_ / before).toFixed(2)}` };
  });
  print(`  ${name.padEnd(10)} ${all.map(({ text }) => text.padEnd(28)).join(' ')}`);
  return Math.max(...all.map(({ ratio }) => ratio));
}

/** Measures while a new store is hostile; null: it may not be. */
async function besideHostile(system: System, way: WayName, measure: () => Promise<Times>): Promise<Times | null> {
  const { seller, ...store } = await openStore(system, `hostile-${way}`);
  const clients = fork(new URL('hostile.ts', import.meta.url));
  const ended = once(clients, 'exit');
  try {
    clients.send({ ...store, way, api: system.api, bearer: seller.bearer } satisfies Assignment);
    const [{ isAllowed }] = (await Promise.race([once(clients, 'message'), ended.then(() => [{ isAllowed: false }])])) as [Prepared];
    return isAllowed ? await measure() : null;
  } finally {
    if (clients.connected) clients.send('end');
    await ended;
  }
}

async function openStore(system: System, storeCode: string) {
  const wanted = { code: storeCode, name: storeCode, sandbox: true, withProduct: true };
  const store = await makeStore(system.databaseUrl, wanted, system.env['SEALING_KEYS']);
  const seller = await Seller.login(system.api, store);
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  const { categoryId } = (await seller.call('POST', '/v1/categories', { name: 'bench' })).body.data as { categoryId: string };
  return { storeCode, seller, productId, categoryId };
}

/** A store whose buyers order one after the other, beside readers of its product page, and whose webhook is told of each order. */
class Neighbour {
  readonly #api: string;
  readonly #storeCode: string;
  readonly #productId: string;
  /** Those who wait for the webhook of an order. */
  readonly #deliveries = new Map<string, () => void>();
  readonly #receiver = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      response.end('ok');
      const { data, createdAt } = JSON.parse(text) as { data: { orderId: string }; createdAt: string };
      this.#delays.set(data.orderId, Date.now() - Date.parse(createdAt));
      this.#deliveries.get(data.orderId)?.();
    });
  });
  /** By order: from the payment's transition to the arrival of its webhook, in ms. */
  readonly #delays = new Map<string, number>();

  constructor(api: string, storeCode: string, productId: string) {
    this.#api = api;
    this.#storeCode = storeCode;
    this.#productId = productId;
  }
  static async open(system: System): Promise<Neighbour> {
    const { storeCode, seller, productId } = await openStore(system, 'neighbour');
    const neighbour = new Neighbour(system.api, storeCode, productId);
    await new Promise<void>((resolve) => neighbour.#receiver.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(neighbour.#receiver.address() as AddressInfo).port}/`;
    await seller.call('POST', '/v1/webhooks', { url, eventTypes: ['ORDER.PAID'] });
    return neighbour;
  }
  close(): void {
    this.#receiver.closeAllConnections();
    this.#receiver.close();
  }

  /** Orders and reads for so long. What fails counts as lost. */
  async measure(ms: number): Promise<Times> {
    const times: Times = { order: [], webhook: [], product: [] };
    const end = performance.now() + ms;
    const webhooks: Promise<void>[] = [];
    const buying = async () => {
      while (performance.now() < end) {
        const order = await timed(times.order, () => this.#buy());
        if (order) webhooks.push(this.#whenDelivered(order, times.webhook));
      }
    };
    const reading = async () => {
      const headers = { 'x-store-code': this.#storeCode };
      while (performance.now() < end) {
        await timed(times.product, () => ok(call(this.#api, 'GET', `/storefront/v1/products/${this.#productId}`, { headers })));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    await Promise.all([buying(), reading()]);
    await Promise.all(webhooks);
    return times;
  }

  /** Returns the order's id. */
  async #buy(): Promise<string> {
    const buyer = await Buyer.arrive(this.#api, this.#storeCode);
    const { checkoutId } = (await ok(buyer.checkout(this.#productId))) as { checkoutId: string };
    const { payUrl, paymentId } = (await ok(buyer.start(checkoutId))) as { payUrl: string; paymentId: string };
    await pay(payUrl);
    const { orderId } = (await ok(buyer.status(paymentId))) as { orderId?: string };
    if (orderId === undefined) throw new Error('not paid');
    return orderId;
  }
  async #whenDelivered(orderId: string, times: number[]): Promise<void> {
    const arrived = new Promise<void>((resolve) => this.#deliveries.set(orderId, resolve));
    if (!this.#delays.has(orderId)) await Promise.race([arrived, new Promise((resolve) => setTimeout(resolve, LOST_MS).unref())]);
    times.push(this.#delays.get(orderId) ?? LOST_MS);
    this.#deliveries.delete(orderId);
  }
}

async function ok(reply: ReturnType<typeof call>): Promise<unknown> {
  const { status, body } = await reply;
  if (status >= 300) throw new Error(String(status));
  return body.data;
}
/** Null: it failed. */
async function timed<T>(times: number[], work: () => Promise<T>): Promise<T | null> {
  const began = performance.now();
  try {
    const result = await work();
    times.push(performance.now() - began);
    return result;
  } catch {
    times.push(LOST_MS);
    await new Promise((resolve) => setTimeout(resolve, 250));
    return null;
  }
}
