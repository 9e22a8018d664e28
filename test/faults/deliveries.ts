/**
 * `npm run deliveries -- [--events 10000] [--rate 50] [--kills 50]`: events of one store to ten receivers, three of them failing (one
 * refuses connections, one never responds, one responds 500), while processes are killed. Prints the time from commit to first byte at the
 * healthy receivers, and checks that no event is lost and none is sent again after its success was recorded.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { text } from 'node:stream/consumers';
import { run } from '../../bin/kernel/cli.ts';
import type { System } from '../../bin/dev/system.ts';
import { until } from '../../bin/dev/until.ts';
import { openOrm } from '../../db/orm.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { emit, type NewEvent } from '../../db/webhooks/events.ts';
import { type Bench, bench, kill, VICTIMS } from './harness.ts';
import { Client } from 'pg';
import { tenancy } from '../kernel/tenancy.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);
/** One receiver per type; the last three fail. */
const TYPES = [
  'ORDER.PAID',
  'ORDER.CONFIRMED',
  'ORDER.DISPATCHED',
  'ORDER.DELIVERED',
  'ORDER.PURCHASE_DECIDED',
  'ORDER.ADDRESS_CHANGE_REQUESTED',
  'PRODUCT.OUT_OF_STOCK',
  'INQUIRY.CREATED',
  'ORDER.FULFILLED',
  'REVIEW.CREATED',
] as const;
const HEALTHY = 7;

class Receivers {
  /** Arrival times by event id. */
  readonly came = new Map<string, number[]>();
  /** The first arrival by the event's number. */
  readonly firstCame = new Map<number, number>();
  isRevived = false;
  readonly #servers: Server[] = [];
  readonly urls: string[] = [];

  async open(): Promise<void> {
    for (let i = 0; i < TYPES.length; i++) {
      const server = createServer((request, response) => {
        const at = performance.now();
        void text(request).then(
          (body) => {
            const isDead = i >= HEALTHY && !this.isRevived;
            if (isDead && i > HEALTHY) response.writeHead(500).end();
            if (isDead) return;
            const id = String(request.headers['svc-event-id']);
            this.came.set(id, [...(this.came.get(id) ?? []), at]);
            const n = Number(/(?:orderId":"ord_|variantId":"v|inquiryId":"i|reviewId":"r)(\d+)/.exec(body)?.[1]);
            if (!this.firstCame.has(n)) this.firstCame.set(n, at);
            response.end('ok');
          },
          () => {},
        );
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      this.#servers.push(server);
      // The ninth refuses connections until it is revived.
      this.urls.push(`http://127.0.0.1:${i === HEALTHY + 1 ? 9 : (server.address() as AddressInfo).port}/`);
    }
  }
  portOf(i: number): string {
    return `http://127.0.0.1:${(this.#servers[i]!.address() as AddressInfo).port}/`;
  }
  close(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

function eventOf(n: number, at: number): NewEvent {
  const type = TYPES[n % TYPES.length]!;
  const order = { orderId: `ord_${n}`, status: 'PAID', testPayment: true } as const;
  if (type === 'PRODUCT.OUT_OF_STOCK') return { type, at, data: { productId: 'p', variantId: `v${n}` } };
  if (type === 'INQUIRY.CREATED') return { type, at, data: { productId: 'p', inquiryId: `i${n}` } };
  if (type === 'REVIEW.CREATED') return { type, at, data: { productId: 'p', reviewId: `r${n}`, rating: 5 } };
  if (type === 'ORDER.FULFILLED') return { type, at, data: { ...order, orderItemId: `oit_${n}` } };
  return { type, at, data: order };
}

/** Commits events at the rate; returns the time of each commit. A commit that a kill interrupted is repeated as a new event. */
async function produce(system: System, storeId: string, events: number, rate: number): Promise<Map<number, number>> {
  const orm = await openOrm(system.env['APP_DATABASE_URL']!, 8);
  const committed = new Map<number, number>();
  const began = performance.now();
  const pending: Promise<void>[] = [];
  for (let n = 0; n < events; n++) {
    const due = began + (n * 1000) / rate;
    if (due > performance.now()) await sleep(due - performance.now());
    pending.push(commit(n));
  }
  await Promise.all(pending);
  await orm.close();
  return committed;

  async function commit(n: number): Promise<void> {
    for (;;) {
      try {
        const now = Date.now();
        await inTenant(orm, tenancy(storeId), REQUEST, (tx) => emit(tx, [eventOf(n, now)]));
        return void committed.set(n, performance.now());
      } catch {
        await sleep(300);
      }
    }
  }
}

interface Truth {
  readonly events: ReadonlyMap<string, string>;
  readonly deliveries: readonly { event_id: string; event_type: string; status: string; attempt_count: number }[];
}
async function readTruth(system: System, storeId: string): Promise<Truth> {
  const client = new Client({ connectionString: system.databaseUrl });
  await client.connect();
  try {
    const events = await client.query<{ event_id: string; type: string }>('SELECT event_id, type FROM event WHERE store_id = $1', [
      storeId,
    ]);
    const deliveries = await client.query<Truth['deliveries'][number]>(
      'SELECT event_id, event_type, status, attempt_count FROM webhook_delivery WHERE store_id = $1',
      [storeId],
    );
    return { events: new Map(events.rows.map((row) => [row.event_id, row.type])), deliveries: deliveries.rows };
  } finally {
    await client.end();
  }
}

/** Advances the store's clock until all deliveries have ended. */
async function settle(under: Bench): Promise<void> {
  for (let rounds = 0; rounds < 200; rounds++) {
    const { deliveries } = await readTruth(under.system, under.store.storeId).catch(() => ({ deliveries: null }));
    if (deliveries?.every(({ status }) => status === 'SUCCESS' || status === 'FAILED')) return;
    await under.seller.call('POST', '/v1/sandbox/clock', { advance: 'PT30M' }).catch(() => {});
    await sleep(500);
  }
}

const percentile = (values: readonly number[], p: number) => values.toSorted((a, b) => a - b)[Math.floor(values.length * p)] ?? Number.NaN;

await run(async () => {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '10000' },
      rate: { type: 'string', default: '50' },
      kills: { type: 'string', default: '50' },
    },
  });
  const [events, rate, kills] = [Number(values.events), Number(values.rate), Number(values.kills)];
  const under = await bench();
  const { system, store, seller } = under;
  const receivers = new Receivers();
  await receivers.open();
  for (const { webhookId } of (await seller.call('GET', '/v1/webhooks')).body.data.items as { webhookId: string }[])
    await seller.call('DELETE', `/v1/webhooks/${webhookId}`);
  const webhooks: string[] = [];
  for (const [i, type] of TYPES.entries())
    webhooks.push(
      (await seller.call('POST', '/v1/webhooks', { url: receivers.urls[i], eventTypes: [type] })).body.data.webhookId as string,
    );

  /** What failed is tried again on the store's clock: nothing waits for that longer than `ms`. */
  const haveCome = (sent: ReadonlyMap<number, number>, ms: number) => {
    const healthy = [...sent.keys()].filter((n) => n % TYPES.length < HEALTHY);
    return until('at the healthy ones', async () => healthy.every((n) => receivers.firstCame.has(n)), ms).catch(() => {});
  };
  // Processes that have just begun are slower than they will be.
  await haveCome(await produce(system, store.storeId, 60, 10), 20_000);
  receivers.firstCame.clear();

  let killed = 0;
  const producing = produce(system, store.storeId, events, rate);
  const over = new AbortController();
  const killing = (async () => {
    const gap = (events / rate) * (1000 / Math.max(1, kills));
    while (killed < kills && !over.signal.aborted) {
      await sleep(gap);
      kill(system, VICTIMS[killed++ % VICTIMS.length]!);
    }
  })();
  const committed = await producing;
  over.abort();
  await killing;
  print(`${committed.size} events committed, ${killed} kills`);
  await haveCome(committed, kills > 0 ? 20_000 : 5000);
  const waits = [...committed].flatMap(([n, at]) => (receivers.firstCame.has(n) ? [receivers.firstCame.get(n)! - at] : []));
  const [p50, p95, max] = [percentile(waits, 0.5), percentile(waits, 0.95), Math.max(...waits)].map((ms) => ms.toFixed(0));
  print(`commit to first byte, healthy: p50 ${p50} ms, p95 ${p95} ms, max ${max} ms`);
  // The failing receivers recover.
  receivers.isRevived = true;
  await seller.call('PUT', `/v1/webhooks/${webhooks[HEALTHY + 1]}`, {
    url: receivers.portOf(HEALTHY + 1),
    eventTypes: [TYPES[HEALTHY + 1]],
  });
  await settle(under);
  const truth = await readTruth(system, store.storeId);
  const subscribed = [...truth.events].filter(([, type]) => (TYPES as readonly string[]).includes(type));
  const lost = subscribed.filter(([id]) => !receivers.came.has(id));
  const attempts = new Map(truth.deliveries.map(({ event_id: id, attempt_count: n }) => [id, n]));
  const doubled = [...receivers.came].filter(([, times]) => times.length > 1);
  // A second arrival is expected when the worker was killed before it recorded the first outcome.
  const unexplained = doubled.filter(([id, times]) => times.length > (attempts.get(id) ?? 0));
  print(`${subscribed.length} events in Postgres, ${receivers.came.size} received, ${lost.length} lost`);
  print(`${doubled.length} came twice (their first answer died with the worker), ${unexplained.length} of them without a lost attempt`);
  const statuses = [...Map.groupBy(truth.deliveries, ({ status }) => status)].map(([status, { length }]) => [status, length]);
  print(`statuses: ${JSON.stringify(Object.fromEntries(statuses))}`);
  receivers.close();
  await under.close();
  return lost.length + unexplained.length > 0 ? 1 : 0;
});
