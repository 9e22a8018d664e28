/** Builders of test data: each test creates its own store. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Client as Temporal } from '@temporalio/client';
import { Pool } from 'pg';
import { type DevelopmentSystem, developmentSystem } from '../../bin/dev/developmentSystem.ts';
import { until } from '../../bin/dev/until.ts';
import type { CreatedStore } from '../../db/identity/createStore.ts';
import { Buyer, type Headers_, pay, type Reply, Seller, ITEM_EVENTS } from '../../bin/dev/client.ts';
import type { Handed } from './system.ts';
import type { StoreService } from './storeService.ts';
import type { Person } from '../../bin/dev/people.ts';

type UnderTest = DevelopmentSystem & Handed;
const handed = JSON.parse(process.env['UNDER_TEST'] ?? '{}') as Partial<Handed>;
export const underTest = { ...(handed.dataDir !== undefined && developmentSystem(handed.dataDir)), ...handed } as UnderTest;
const pool = new Pool({ connectionString: underTest.databaseUrl, max: 4, allowExitOnIdle: true });
pool.on('error', () => {});

/** SQL as the database's owner, who sees every store. */
export async function query<Row extends object = Record<string, unknown>>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return (await pool.query<Row & Record<string, unknown>>(text, [...values])).rows;
}

let temporal: Promise<Temporal> | undefined;
export const temporalClient = (): Promise<Temporal> => (temporal ??= connect());
/** Loaded when it is first wanted: most suites never talk to Temporal. */
async function connect(): Promise<Temporal> {
  const { Client, Connection } = await import('@temporalio/client');
  return new Client({ connection: await Connection.connect({ address: underTest.temporalAddress }) });
}

export { until };

/** Whether anybody waits for a lock that a backend of Postgres holds. */
export const isBlocking = async (pid: number): Promise<boolean> =>
  (await query('SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))', [pid])).length > 0;
export const untilBlockedBy = (pid: number): Promise<boolean> => until('a wait for the lock', () => isBlocking(pid));

export interface Paid {
  readonly orderId: string;
  readonly orderNo: string;
  readonly orderItemId: string;
  readonly paymentId: string;
  readonly payUrl: string;
}

interface Advanced {
  readonly now: string;
  readonly settled: boolean;
}

const BUSY: ReadonlySet<string> = new Set(['TEMPORARILY_UNAVAILABLE', 'TOO_MANY_REQUESTS']);
/** As clients do on a busy machine: asks again, with the same key, while the answer is TEMPORARILY_UNAVAILABLE or TOO_MANY_REQUESTS. */
export async function repeated(send: (headers: Headers_) => Promise<Reply>): Promise<Reply> {
  const key = { 'idempotency-key': randomUUID() };
  for (let tries = 1; ; tries++) {
    const reply = await send(key);
    if (tries === 5 || !BUSY.has(reply.body.error?.code ?? '')) return reply;
  }
}

/** An event, with the data that its receivers get. */
interface EmittedEvent {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

export class World {
  readonly store: CreatedStore;
  readonly seller: Seller;
  constructor(store: CreatedStore, seller: Seller) {
    this.store = store;
    this.seller = seller;
  }

  /** Creates a product; free delivery by default. */
  async product(changes: object = {}): Promise<{ productId: string; variantId: string }> {
    const { body: category } = await this.seller.call('POST', '/v1/categories', { name: '잡화' });
    const request = {
      name: '양모 머플러',
      salePrice: 10_000,
      categoryId: category.data.categoryId as string,
      stockQuantity: 100,
      ...changes,
    };
    const { status, body } = await this.seller.call('POST', '/v1/products', request);
    if (status !== 201) throw new Error(JSON.stringify(body.error));
    return { productId: body.data.productId as string, variantId: body.data.variants[0].variantId as string };
  }
  buyer(): Promise<Buyer> {
    return Buyer.arrive(underTest.api, this.store.storeCode);
  }
  member(): Promise<Buyer> {
    return Buyer.join(underTest.api, this.store.storeCode);
  }
  /** Starts a payment. */
  async payment(
    product?: { productId: string },
    buyer?: Buyer,
    quantity = 1,
  ): Promise<{ buyer: Buyer; checkoutId: string; paymentId: string; attemptId: string; payUrl: string }> {
    const { productId } = product ?? (await this.product());
    const who = buyer ?? (await this.buyer());
    const { checkoutId } = (await who.checkout(productId, quantity)).body.data as { checkoutId: string };
    const started = await repeated((headers) => who.start(checkoutId, {}, headers));
    if (started.status !== 200) throw new Error(JSON.stringify(started.body.error));
    const { paymentId, attemptId, payUrl } = started.body.data as { paymentId: string; attemptId: string; payUrl: string };
    return { buyer: who, checkoutId, paymentId, attemptId, payUrl };
  }
  /** Buys an item. */
  async order(product?: { productId: string }, quantity = 1, who?: Buyer): Promise<Paid> {
    const { buyer, paymentId, payUrl } = await this.payment(product, who, quantity);
    await pay(payUrl);
    const { orderId, orderNo } = (await buyer.status(paymentId)).body.data as { orderId: string; orderNo: string };
    const order = await this.seller.call('GET', `/v1/orders/${orderId}`);
    return { orderId, orderNo, paymentId, payUrl, orderItemId: order.body.data.items[0].orderItemId as string };
  }
  async act(orderItemId: string, action: string, body: object = {}) {
    return this.seller.call('POST', `/v1/order-items/${orderItemId}/${action}`, body);
  }
  async item(orderItemId: string) {
    return (await this.seller.call('GET', `/v1/order-items/${orderItemId}`)).body.data as Record<string, unknown> & { status: string };
  }
  /** The store's events in their order: of one type, or whose body has this id in it. */
  async events({ type, about = '' }: { readonly type?: string; readonly about?: string } = {}): Promise<EmittedEvent[]> {
    const rows = await query<{ type: string; body: string }>(
      `SELECT type, body FROM event WHERE store_id = $1 AND coalesce(type = $2, true) AND position($3 IN body) > 0 ORDER BY event_no`,
      [this.store.storeId, type ?? null, about],
    );
    return rows.map((row) => ({ type: row.type, data: (JSON.parse(row.body) as { data: EmittedEvent['data'] }).data }));
  }
  /** Advances the store's clock. A busy machine may need more than the ten seconds after which the API answers: then asks again. */
  async advance(advance: string): Promise<Advanced> {
    const first = (await this.seller.call('POST', '/v1/sandbox/clock', { advance })).body.data as Advanced;
    if (first.settled) return first;
    return until(
      'everything due has happened',
      async () => {
        const { status, body } = await this.seller.call('POST', '/v1/sandbox/clock', { advance: 'PT1S' });
        return status === 200 && (body.data as Advanced).settled && (body.data as Advanced);
      },
      40_000,
    );
  }
  /** Starts a receiver on the loopback interface, subscribed to ITEM_EVENTS by default. */
  async receiver(
    answer: (request: Received, response: ServerResponse) => void = (_, response) => void response.end('ok'),
    eventTypes: readonly string[] = ITEM_EVENTS,
  ): Promise<Receiver> {
    const receiver = await Receiver.listen(answer);
    const { status, body } = await this.seller.call('POST', '/v1/webhooks', { url: receiver.url, eventTypes });
    if (status !== 201) throw new Error(JSON.stringify(body.error));
    receiver.webhookId = body.data.webhookId as string;
    receiver.secret = body.data.secret as string;
    return receiver;
  }
  async deliveries(webhookId: string) {
    return (await this.seller.call('GET', `/v1/webhooks/${webhookId}/deliveries`)).body.data.items as Record<string, unknown>[];
  }
}

export interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
export class Receiver {
  readonly received: Received[] = [];
  readonly url: string;
  readonly close: () => void;
  webhookId = '';
  secret = '';
  private constructor(url: string, close: () => void) {
    this.url = url;
    this.close = close;
  }
  get types(): string[] {
    return this.received.map(({ headers }) => String(headers['svc-event-type']));
  }
  static async listen(answer: (request: Received, response: ServerResponse) => void): Promise<Receiver> {
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const received = { headers: request.headers, body };
        receiver.received.push(received);
        answer(received, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const receiver = new Receiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, () => {
      server.closeAllConnections();
      server.close();
    });
    return receiver;
  }
}

/** An operation of the service that Jest's main process runs for all suites. */
export async function callStoreService<O extends keyof StoreService>(
  operation: O,
  input: StoreService[O]['input'],
): Promise<StoreService[O]['output']> {
  const response = await fetch(`${underTest.stores}/${operation}`, { method: 'POST', body: JSON.stringify(input) });
  if (!response.ok) throw new Error(`${operation}: ${await response.text()}`);
  return (await response.json()) as StoreService[O]['output'];
}
/** A store in the database of the system under test. */
export const makeStore = (request: StoreService['store']['input']): Promise<CreatedStore> => callStoreService('store', request);
/** Its first members. They log in at the identity provider with these addresses. */
export async function seedMembers(storeId: string, members: readonly Person[]): Promise<void> {
  await callStoreService('members', { storeId, members });
}

let made = 0;
/** A new store, a sandbox by default, with a seller who has all scopes. `live`: its payments, at the simulator, are real ones. */
export async function world({
  sandbox = true,
  live = false,
  aiActionsLimit = null,
}: { readonly sandbox?: boolean; readonly live?: boolean; readonly aiActionsLimit?: number | null } = {}): Promise<World> {
  const code = `t${process.pid.toString(36)}-${Date.now().toString(36)}-${made++}`;
  const store = await makeStore({ code, name: '시험 상점', sandbox, withProduct: false, aiActionsLimit, live });
  return new World(store, await Seller.login(underTest.api, store));
}
