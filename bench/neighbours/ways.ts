/**
 * The ways in which one store may be hostile to its neighbours (issue 33): each prepares what it needs, then loads the system until told to
 * stop.
 */
import { createServer, request as send } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Buyer, call, pay, type Reply, type Seller } from '../../bin/dev/client.ts';
import { type FlowShape, costlyLoop, notifying, simpleLoop } from './graphs.ts';

/** The hostile store. */
export interface Hostile {
  readonly api: string;
  readonly storeCode: string;
  readonly seller: Seller;
  readonly productId: string;
  readonly categoryId: string;
  readonly signal: AbortSignal;
}
/** Returns what loads the system until the store's signal is aborted; null: the system refuses what it needs. */
export type Way = (store: Hostile) => Promise<(() => Promise<unknown>) | null>;

/** Products, drafts and items are prepared for so long at most: the rest of a slow machine's are left out. */
const PREPARING_MS = 25_000;

export const WAYS = {
  simulate: async (store) => {
    const flowId = await draft(store, 'costly', costlyLoop());
    if (flowId === null) return null;
    const steps = [{ event: { type: 'start' } }, { advance: 'P1D' }];
    return () => clients(store, 4, () => store.seller.call('POST', `/v1/commerce-flows/${flowId}/draft/simulate`, { steps }));
  },
  loop: async (store) => {
    if (!(await runs(store, simpleLoop(), 30))) return null;
    return () => stopped(store).then(() => finishAll(store));
  },
  lists: async (store) => {
    await largestProducts(store, 99);
    return () => clients(store, 10, () => shop(store, 'GET', '/storefront/v1/products?size=100'));
  },
  writes: async (store) => {
    const { productId, variantIds } = await rooms(store);
    const write = (n: number) =>
      store.seller.call('PUT', `/v1/products/${productId}/calendar`, { variantIds, ...YEAR, stock: 1 + (n % 9), price: 1000 + n });
    return () => clients(store, 10, write);
  },
  unread: async (store) => {
    const { productId, variantIds } = await rooms(store);
    await checked(store.seller.call('PUT', `/v1/products/${productId}/calendar`, { variantIds, ...YEAR, stock: 3, price: 1000 }));
    return () =>
      clients(store, 50, () => unread(store, `/storefront/v1/products/${productId}/calendar?from=${YEAR.from}&to=${LAST_SHOWN}`));
  },
  uploads: async (store) => () => clients(store, 60, () => slowUpload(store)),
  events: async (store) => {
    const path = `/${'x'.repeat(1900)}`;
    const report = (n: number) => {
      const events = Array.from({ length: 20 }, (_, i) => ({ type: 'PAGE_VIEW', path: `${path}${n}-${i}` }));
      return shop(store, 'POST', '/storefront/v1/events', { events }, { 'x-svc-visitor': `v${n}`, 'x-svc-session': `s${n}` });
    };
    return () => clients(store, 10, report);
  },
  webhooks: async (store) => {
    const receiver = createServer((request, response) => {
      request.resume();
      response.end('ok');
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    for (let n = 0; n < 10; n++)
      await checked(
        store.seller.call('POST', '/v1/webhooks', { url: `${url}${n}`, eventTypes: ['ORDER.FLOW_NOTIFICATION', 'ORDER.PAID'] }),
      );
    const productId = await product(store, notifying(20));
    if (productId === null) return null;
    // 210 deliveries a second, more than a machine makes; orders are not what is hostile about it.
    const buying = () => clients(store, 1, () => Promise.all([buyMany(store, productId, 1), sleep(1000)]));
    return () =>
      buying().finally(() => {
        receiver.closeAllConnections();
        receiver.close();
      });
  },
  audit: async (store) => {
    const states = Array.from({ length: 60 }, (_, n) => ({ ...waiting(`s${n}`), message: '가'.repeat(500) }));
    const graph = { ...simpleLoop(), states: [...simpleLoop().states, ...states] };
    const flowId = await draft(store, 'large', graph);
    if (flowId === null) return null;
    await until(100, async (n) => {
      const changed = { ...graph, states: graph.states.map((one, i) => (i === 0 ? { ...one, label: `${n}` } : one)) };
      await store.seller.call('PUT', `/v1/commerce-flows/${flowId}/draft`, { graph: changed });
    });
    return () => clients(store, 12, () => store.seller.call('GET', '/v1/audit-logs?limit=100'));
  },
} as const satisfies Readonly<Record<string, Way>>;
export type WayName = keyof typeof WAYS;

const waiting = (id: string) => ({ id, type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: id }) as const;

async function checked(reply: Promise<Reply>): Promise<Reply['body']['data']> {
  const { status, body } = await reply;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body.error)}`);
  return body.data;
}
const shop = ({ api, storeCode }: Hostile, method: string, path: string, body?: object, headers = {}) =>
  call(api, method, path, { ...(body && { body }), headers: { 'x-store-code': storeCode, ...headers } });

/** So many clients, each with its next request when the last one has ended; who was refused comes again after a second. */
async function clients({ signal }: Hostile, count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let n = 0;
  const client = async () => {
    while (!signal.aborted) {
      const began = performance.now();
      const answer = (await work(n++).catch(() => null)) as { readonly status?: number } | null;
      const min = (answer?.status ?? 200) < 400 ? 20 : 1000;
      await sleep(Math.max(0, min - (performance.now() - began)));
    }
  };
  await Promise.all(Array.from({ length: count }, client));
}
const stopped = ({ signal }: Hostile) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** Prepares `count`, one after the other, as many as there is time for. */
async function until(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  const end = performance.now() + PREPARING_MS;
  for (let n = 0; n < count && performance.now() < end; n++) await work(n);
}

/** The id of a flow with this draft; null: it is refused. */
async function draft({ seller }: Hostile, key: string, graph: FlowShape): Promise<string | null> {
  const { status, body } = await seller.call('POST', '/v1/commerce-flows', { key, name: key, graph });
  return status === 201 ? (body.data.flowId as string) : null;
}
/** The id of a product whose items run by this graph; null: it is not published. */
async function product(store: Hostile, graph: FlowShape): Promise<string | null> {
  const { seller, categoryId } = store;
  const flowId = await draft(store, 'hostile', graph);
  if (flowId === null || (await seller.call('POST', `/v1/commerce-flows/${flowId}/draft/publish`)).status !== 201) return null;
  const wanted = { name: 'hostile', salePrice: 1000, categoryId, stockQuantity: 100_000, flowId };
  return (await checked(seller.call('POST', '/v1/products', wanted)))['productId'] as string;
}
async function buyMany({ api, storeCode }: Hostile, productId: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const buyer = await Buyer.arrive(api, storeCode);
    const { checkoutId } = await checked(buyer.checkout(productId));
    const { payUrl } = await checked(buyer.start(checkoutId as string));
    await pay(payUrl as string);
  }
}
/** Buys items that run by this graph; false: it is not published. */
async function runs(store: Hostile, graph: FlowShape, items: number): Promise<boolean> {
  const productId = await product(store, graph);
  if (productId === null) return false;
  await until(items, () => buyMany(store, productId, 1));
  return true;
}

/** Ends what still runs: the next way is measured without it. */
async function finishAll({ seller }: Hostile): Promise<void> {
  const { items } = (await checked(seller.call('GET', '/v1/order-items?size=100&status=PAID'))) as { items: { orderItemId: string }[] };
  await Promise.all(items.map(({ orderItemId }) => seller.call('POST', `/v1/order-items/${orderItemId}/actions/finish`, {})));
}

/** Products with as many variants and as much text as there may be. */
async function largestProducts({ seller, categoryId }: Hostile, count: number): Promise<void> {
  const values = (prefix: string, n: number) => Array.from({ length: n }, (_, i) => `${prefix}${i}`);
  const optionGroups = [
    { name: '색', values: values('색', 100) },
    { name: '길이', values: values('길', 5) },
  ];
  const wanted = { salePrice: 1000, categoryId, description: '가'.repeat(10_000), optionGroups };
  await until(count, (n) => checked(seller.call('POST', '/v1/products', { ...wanted, name: `largest ${n}` })));
}

const YEAR = { from: '2027-01-01', to: '2027-12-31' };
/** A buyer sees 120 days. */
const LAST_SHOWN = '2027-04-30';
/** A product of 27 rooms, of which a year has as many nights as one request may write or read. */
async function rooms({ seller, categoryId }: Hostile): Promise<{ readonly productId: string; readonly variantIds: readonly string[] }> {
  const optionGroups = [{ name: 'room', values: Array.from({ length: 27 }, (_, n) => `${n}`) }];
  const wanted = { name: 'rooms', salePrice: 1000, categoryId, inventoryMode: 'DATED', fulfillment: { type: 'MANUAL' }, optionGroups };
  const made = (await checked(seller.call('POST', '/v1/products', wanted))) as unknown as {
    productId: string;
    variants: { variantId: string }[];
  };
  return { productId: made.productId, variantIds: made.variants.map(({ variantId }) => variantId) };
}

/** Asks ten times on one connection and reads nothing; ends when it is closed, or after ten seconds. */
function unread({ api, storeCode, signal }: Hostile, path: string): Promise<void> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(api);
    const socket = connect(Number(port), hostname);
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve();
    };
    const timer = setTimeout(end, 10_000);
    signal.addEventListener('abort', end, { once: true });
    socket.on('error', end).on('close', end).pause();
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-store-code: ${storeCode}\r\n\r\n`.repeat(10));
  });
}

const FIRST_BYTES = Buffer.alloc(4_000_000);
/** Holds an upload of 5 MB open, a kilobyte a second; ends when it is answered or the bench is over. The status of the answer, if any. */
function slowUpload({ api, seller, signal }: Hostile): Promise<{ readonly status: number | undefined }> {
  return new Promise((resolve) => {
    let status: number | undefined;
    const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n';
    const headers = {
      authorization: `Bearer ${seller.bearer}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': 5_000_000,
    };
    const upload = send(`${api}/v1/uploads`, { method: 'POST', headers, agent: false, signal });
    const drip = setInterval(() => upload.write(Buffer.alloc(1024)), 1000);
    upload.write(head);
    upload.write(FIRST_BYTES);
    upload.on('response', (response) => {
      status = response.statusCode;
      response.resume();
    });
    upload.on('error', () => {});
    upload.on('close', () => {
      clearInterval(drip);
      resolve({ status });
    });
  });
}
