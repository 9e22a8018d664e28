/** Kills processes under load, then checks that nothing was lost or repeated. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeStore } from '../../bin/ops/store/make.ts';
import type { System } from '../../bin/dev/system.ts';
import { temporarySystem } from '../../bin/dev/temporary.ts';
import type { CreatedStore } from '../../db/identity/createStore.ts';
import { CLAIM_TYPES } from '../../domain/claims/rules.ts';
import { call, Seller, ITEM_EVENTS } from '../../bin/dev/client.ts';
import { storeToken } from '../kernel/login.ts';
import { settle, violations } from './invariants.ts';
import { type Inviting, startInviting } from './inviting.ts';
import { Load, type Products } from './load.ts';

export const VICTIMS = ['api', 'worker', 'postgres', 'temporal'] as const;

export interface Bench {
  readonly system: System;
  readonly store: CreatedStore;
  readonly seller: Seller;
  readonly productId: string;
  readonly products: Products;
  readonly delivered: Set<string>;
  readonly inviting: Inviting;
  /** Sends every event of a store to the receiver. */
  readonly subscribe: (seller: Seller) => Promise<void>;
  readonly close: () => Promise<void>;
}

const EVENT_TYPES = [
  ...ITEM_EVENTS,
  'ORDER.CANCELED',
  'ORDER.FULFILLED',
  'ORDER.FLOW_STATE_CHANGED',
  'PRODUCT.OUT_OF_STOCK',
  'CLAIM.COMPLETED',
  ...CLAIM_TYPES.map((type) => `CLAIM.${type}_REQUESTED`),
];

/** A separate system with a sandbox store and a receiver that fails at times. `replicas`: its API processes, and as many workers. */
export async function bench(env: Readonly<Record<string, string>> = {}, replicas = 1): Promise<Bench> {
  const system = await temporarySystem('faults', {
    firstPort: 12_000 + Math.floor(Math.random() * 8000),
    durable: true,
    replicas,
    env: { RATE_LIMIT_PER_MINUTE: '10000000', LOG_LEVEL: 'error', ...env },
  });
  const store = await makeStore(
    system.databaseUrl,
    { code: 'faults', name: 'faults', sandbox: true, withProduct: true },
    system.env['SEALING_KEYS'],
  );
  const delivered = new Set<string>();
  const receiver = await listen(delivered);
  const seller = await retryOnFailure(() => Seller.login(system.api, store));
  const { productId } = (await retryOnFailure(() => seller.call('GET', '/v1/products'))).body.data.items[0] as { productId: string };
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const { categoryId } = (await retryOnFailure(() => seller.call('GET', `/v1/products/${productId}`))).body.data as { categoryId: string };
  const ticket = { name: 'ticket', salePrice: 5000, categoryId, stockQuantity: 100_000, fulfillment: { type: 'MANUAL' } };
  const provided = await retryOnFailure(() => seller.call('POST', '/v1/products', ticket, { 'idempotency-key': 'ticket' }));
  const products = { shipped: productId, provided: provided.body.data.productId as string };
  const subscribe = (who: Seller) =>
    retryOnFailure(async () => {
      const { status } = await who.call('POST', '/v1/webhooks', { url, eventTypes: EVENT_TYPES }, { 'idempotency-key': 'hook' });
      if (status !== 201) throw new Error(`webhook: ${status}`);
    });
  await subscribe(seller);
  const close = async () => {
    receiver.closeAllConnections();
    receiver.close();
    await system.stop();
  };
  const inviting = await retryOnFailure(() => startInviting(system, store));
  await retryOnFailure(() => usePortone(system, store));
  return { system, store, seller, productId, products, delivered, inviting, subscribe, close };
}

/** The second provider of the store, whose OWNER `inviting.ts` has made. */
async function usePortone(system: System, { storeId, storeCode }: CreatedStore): Promise<void> {
  const token = await storeToken(`owner@${storeCode}.example`, storeId, system.api);
  const change = async (method: string, path: string, body: object) => {
    const { status } = await call(system.api, method, path, { body, headers: { authorization: `Bearer ${token}` } });
    if (status !== 200) throw new Error(`${method} ${path}: ${status}`);
  };
  const webhookSecret = `whsec_${createHash('sha256').update('faults').digest('base64')}`;
  const keys = { storeId: 'store-faults', channelKey: 'channel-key-faults', apiSecret: 'portone-faults-secret', webhookSecret };
  await change('PUT', '/v1/store/payment-providers/portone', { environment: 'TEST', ...keys });
  await change('POST', '/v1/store/payment-providers/portone/verify', {});
}

/** Repeats: with failpoints armed a process may be killed during any request. */
export async function retryOnFailure<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries > 240) throw error;
      await sleep(250);
    }
  }
}

/** For a clock that is moved until something has happened: each advance wakes every open run of its store. */
export function atMostEvery(ms: number, work: () => Promise<unknown>): () => Promise<void> {
  let last = 0;
  return async () => {
    if (performance.now() - last < ms && last > 0) return;
    last = performance.now();
    await work();
  };
}

async function listen(delivered: Set<string>): Promise<Server> {
  const server = createServer((request, response) => {
    void text(request).then(
      () => {
        delivered.add(String(request.headers['svc-event-id']));
        response.end('ok');
      },
      () => {},
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

export interface Report {
  readonly kills: number;
  readonly orders: number;
  readonly requests: number;
  readonly retries: number;
  readonly violations: readonly string[];
  /** The drill ended before anything was checked. */
  readonly broke?: true;
  /** What there was besides, line by line. */
  readonly notes?: readonly string[];
}

export interface Kills {
  readonly kills: number;
  readonly buyers: number;
  /** Orders that are acknowledged before each kill, and after the last. */
  readonly orders: number;
}

/** Kills `kills` processes under load, each after `orders` further orders, waits until nothing is in progress, and checks. */
export async function killUnderLoad(under: Bench, { kills, buyers, orders }: Kills): Promise<Report> {
  const { system, store, products, delivered, inviting } = under;
  const load = new Load(system, store, products);
  const running = load.run(buyers, inviting);
  for (let k = 0; k <= kills; k++) {
    await load.promise(orders);
    // Not always at the same point of an order.
    await sleep(Math.random() * 500);
    if (k < kills) kill(system, VICTIMS[k % VICTIMS.length]!);
  }
  load.stop();
  await running;
  // Failed deliveries are retried by the store's clock, which only this advances.
  let isSettled = false;
  for (let tries = 0; !isSettled && tries < 6; tries++) {
    const moved = await retryOnFailure(() =>
      under.seller.call('POST', '/v1/sandbox/clock', { advance: 'PT3H' }, { 'idempotency-key': `advance-${tries}` }),
    );
    isSettled = moved.status === 200 && moved.body.data.settled === true;
  }
  const left = await settle(system.databaseUrl, 180_000);
  const found = await violations(system.databaseUrl, system.simulator, {
    delivered,
    invitations: inviting.answered,
    promised: load.promised,
  });
  const { promised } = load;
  const restless = isSettled ? [] : ['the clock never settles: something is due for ever'];
  const all = [...restless, ...(left === null ? [] : [`never settled: ${left}`]), ...found];
  return { kills, orders: promised.orders.size, requests: promised.requests, retries: promised.retries, violations: all };
}

/** Sends SIGKILL to a process, or to a replica (`worker-2`); to Postgres with all its children, like a power failure. */
export function kill(system: System, name: string): void {
  signal(system, name, 'SIGKILL');
}

/** Suspends or resumes Postgres with all its children: a server that hangs, without closing connections. */
export function freeze(system: System, how: 'SIGSTOP' | 'SIGCONT'): void {
  signal(system, 'postgres', how);
}

/** Each child of Postgres has its own process group, so they are signalled one by one. */
function signal(system: System, name: string, how: NodeJS.Signals): void {
  const pid = system.processes().find((process) => process.name === name)?.pid;
  if (pid === undefined) return;
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    for (const one of [pid, ...children]) process.kill(one, how);
  } catch {
    // already gone
  }
}
