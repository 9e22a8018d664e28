/**
 * `npm run demo`: a shop's day, told against the running system, or one that it starts for the purpose. Every step says what it saw
 * and where to look in Temporal UI; exit code 0 means that every step was seen to hold.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { CreatedStore } from '../db/stores/create.ts';
import { Buyer, OPTION, pay, Seller, THREAD_EVENTS } from '../test/kernel/http.ts';
import { dataDir } from './setup/paths.ts';
import { freePort } from './setup/ports.ts';
import { resetRun, workflowTasks } from './setup/reset.ts';
import { run, say } from './setup/say.ts';
import { makeStore } from './setup/stores.ts';
import { startSystem } from './setup/system.ts';

interface Place {
  readonly api: string;
  readonly temporalUi: string | null;
  readonly temporalAddress: string;
  readonly store: CreatedStore;
  readonly close: () => Promise<void>;
}

const print = (text: string) => process.stdout.write(`${text}\n`);
/** A step that does not hold ends the demo with exit code 1. */
function hold(what: string, holds: boolean, seen: unknown): void {
  if (!holds) throw new Error(`${what}: did not hold; seen ${JSON.stringify(seen)}`);
  print(`  ✓ ${what}`);
}
async function until<T>(what: string, look: () => Promise<T | null | false | undefined>): Promise<T> {
  for (let tries = 0; tries < 100; tries++) {
    const seen = await look();
    if (seen) return seen;
    await sleep(200);
  }
  throw new Error(`${what}: never seen`);
}

await run(async () => {
  const place = await findOrStart();
  try {
    await tell(place);
    print('\nEvery step was seen to hold.');
  } finally {
    await place.close();
  }
  return 0;
});

async function findOrStart(): Promise<Place> {
  const file = join(dataDir(), 'dev.json');
  if (existsSync(file)) {
    const dev = JSON.parse(readFileSync(file, 'utf8')) as {
      api: string;
      temporalUi: string | null;
      temporal: { address: string };
      databaseUrl: string;
    };
    const answers = await fetch(`${dev.api}/health/ready`).catch(() => null);
    if (answers?.ok) return { ...dev, temporalAddress: dev.temporal.address, store: await shopOf(dev.databaseUrl), close: async () => {} };
  }
  say('No system runs here: starting one for the demo.');
  const dir = mkdtempSync(join(tmpdir(), 'sangjeom-demo-'));
  chmodSync(dir, 0o755);
  const system = await startSystem({ dataDir: join(dir, 'data'), port: await freePort(3400), fresh: true, durable: false });
  const store = await shopOf(system.databaseUrl);
  const close = async () => {
    await system.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  return { api: system.api, temporalUi: system.temporalUi, temporalAddress: system.temporalAddress, store, close };
}

/** Each demo has a shop of its own, so that it can be told any number of times. */
function shopOf(databaseUrl: string): Promise<CreatedStore> {
  return makeStore(databaseUrl, { code: `day-${Date.now().toString(36)}`, name: '어느 상점의 하루', sandbox: true, withProduct: false });
}

async function tell({ api, temporalUi, temporalAddress, store }: Place): Promise<void> {
  const link = (workflowId: string) =>
    print(`    ${temporalUi ?? temporalAddress}/namespaces/default/workflows/${encodeURIComponent(workflowId)}`);
  const seller = await Seller.login(api, store);
  const sell = async (method: string, path: string, body?: unknown) => {
    const reply = await seller.call(method, path, body);
    if (reply.body.error) throw new Error(`${method} ${path}: ${reply.body.error.code}`);
    return reply.body.data;
  };
  const act = (item: string, action: string, body: object = {}) => sell('POST', `/v1/order-items/${item}/${action}`, body);

  print('\n1. The shop opens: a product with two colours, and a webhook whose receiver is down');
  let down = true;
  const heard: string[] = [];
  const receiver = createServer((request, response) => {
    if (!down) heard.push(String(request.headers['svc-event-type']));
    response.writeHead(down ? 503 : 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const { categoryId } = await sell('POST', '/v1/categories', { name: `겨울 ${Date.now()}` });
    const product = await sell('POST', '/v1/products', {
      name: '양모 머플러',
      salePrice: 10_000,
      categoryId,
      optionGroups: [{ name: '색상', values: ['회색', '남색'] }],
      variants: [{ optionValues: ['회색'], stockQuantity: 10 }],
    });
    const optionId = product.variants[0].variantId as string;
    const stock = async () => (await sell('GET', `/v1/products/${product.productId}`)).variants[0].stockQuantity as number;
    hold('product with 2 variants, 10 in stock', product.variants.length === 2 && (await stock()) === 10, product);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const hook = await sell('POST', '/v1/webhooks', { url, eventTypes: [...THREAD_EVENTS, 'ORDER.CANCELED'] });

    print('\n2. A buyer pays for three; the card is declined, the second try goes through');
    const buyer = await Buyer.arrive(api, store.storeCode);
    const checkout = await buyer.call('POST', '/storefront/v1/checkout', {
      items: [{ productId: product.productId, optionId, quantity: 3 }],
    });
    const started = await buyer.start(checkout.body.data.checkoutId as string);
    const { paymentId, payUrl } = started.body.data as { paymentId: string; payUrl: string };
    link(`payment/${store.storeId}/${paymentId}`);
    await pay(payUrl, '4111111111110001');
    const declined = (await buyer.status(paymentId)).body.data;
    hold(
      `declined: ${declined.lastFailure?.message}`,
      declined.result === 'FAILED' && declined.status === 'pending' && (await stock()) === 10,
      declined,
    );
    const attempt = await buyer.call('POST', `/storefront/v1/payments/${paymentId}/attempts`, { option: OPTION });
    await pay(attempt.body.data.payUrl as string);
    const { result, orderId, orderNo } = (await buyer.status(paymentId)).body.data as Record<string, string>;
    hold(`paid: order ${orderNo}, 7 left in stock`, result === 'COMPLETED' && (await stock()) === 7, result);
    const item = (await sell('GET', `/v1/orders/${orderId}`)).items[0].orderItemId as string;
    const itemRun = `order-item/${store.storeId}/${orderNo}01`;
    link(itemRun);

    print('\n3. One of the three is damaged: canceled in part, paid back by the payment’s own workflow');
    const canceled = await act(item, 'cancel', { reason: 'OUT_OF_STOCK', quantity: 1 });
    hold(`${canceled.refundAmount} won owed, stock back to 8`, canceled.refundAmount === 10_000 && (await stock()) === 8, canceled);
    const refund = await until('the refund', async () => {
      const [found] = (await sell('GET', `/v1/payments/${paymentId}`)).refunds as { refundId: string; status: string }[];
      return found?.status === 'DONE' && found;
    });
    hold(`refund ${refund.refundId} is DONE at the provider`, true, refund);

    print('\n4. The webhook’s receiver comes back: what it missed arrives with the next attempt');
    const failures = await until('a failed attempt', async () => {
      const { items } = (await sell('GET', `/v1/webhooks/${hook.webhookId}/deliveries`)) as {
        items: { status: string; deliveryId: string }[];
      };
      return items.length >= 2 && items.every(({ status }) => status === 'PENDING_RETRY') && items;
    });
    link(`webhook/${store.storeId}/${failures[0]!.deliveryId}`);
    down = false;
    await sell('POST', '/v1/sandbox/clock', { advance: 'PT2M' });
    hold(
      `${failures.length} deliveries wait for the retry, and arrive a minute later`,
      heard.includes('ORDER.PAID') && heard.includes('ORDER.CANCELED'),
      heard,
    );

    print('\n5. Shipped; its workflow hangs and is reset; the clock delivers and decides');
    await act(item, 'confirm');
    await act(item, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '123456789012' });
    const temporal = new Client({ connection: await Connection.connect({ address: temporalAddress }) });
    const runId = await resetRun(temporal, itemRun, (await workflowTasks(temporal, itemRun))[0]!, 'demo');
    await temporal.connection.close();
    const after = await sell('GET', `/v1/order-items/${item}`);
    hold(
      `reset to its first task as run ${runId}: still DISPATCHED, nothing repeated`,
      after.status === 'DISPATCHED' && after.canceledQuantity === 1,
      after,
    );
    link(itemRun);
    const clock = await sell('POST', '/v1/sandbox/clock', { advance: 'P20D' });
    const decided = await sell('GET', `/v1/order-items/${item}`);
    hold(
      `delivered after 7 days and decided after 14 (now ${clock.now})`,
      clock.settled === true && decided.status === 'PURCHASE_DECIDED',
      decided,
    );
    const told = await until('all events', async () => THREAD_EVENTS.every((type) => heard.includes(type)) && heard);
    hold(`the shop’s own system heard of everything: ${told.join(', ')}`, told.filter((type) => type === 'ORDER.PAID').length === 1, told);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}
