/** `npm run bench [-- --orders 300]`: the buyer flow, confirm and webhooks, beside bare Postgres and bare Temporal in the same run. */
import { mkdirSync, mkdtempSync, chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { root } from '../bin/setup/paths.ts';
import { freePort } from '../bin/setup/ports.ts';
import { run } from '../bin/setup/say.ts';
import { makeStore } from '../bin/setup/stores.ts';
import { startSystem, type System } from '../bin/setup/system.ts';
import { Buyer, call, formOf, get, Seller } from '../test/kernel/http.ts';
import { barePostgres, bareTemporal } from './bare.ts';
import { type Figures, load, memoryMb, percentile, processorMs } from './measure.ts';

const print = (text: string) => process.stdout.write(`${text}\n`);

await run(async () => {
  const { values } = parseArgs({ options: { orders: { type: 'string', default: '300' } } });
  const orders = Number(values.orders);
  const dir = mkdtempSync(join(tmpdir(), 'sangjeom-bench-'));
  chmodSync(dir, 0o755);
  const system = await startSystem({
    dataDir: join(dir, 'data'),
    port: await freePort(3700),
    fresh: true,
    durable: true,
    env: { RATE_LIMIT_PER_MINUTE: '10000000', LOG_LEVEL: 'warn' },
  });
  try {
    const report = await measure(system, orders);
    table(report.figures);
    print(`\nwebhook, commit to first byte: p50 ${report.webhook.p50} ms, p95 ${report.webhook.p95} ms (${report.webhook.count} events)`);
    print(
      `memory: ${Object.entries(report.memoryMb)
        .map(([name, mb]) => `${name} ${mb} MB`)
        .join(', ')}`,
    );
    print('\nmachine time of one order, in ms of one core:');
    for (const [step, times] of Object.entries(report.machineMs))
      print(
        `  ${step.padEnd(28)} ${Object.entries(times)
          .map(([name, ms]) => `${name} ${ms}`)
          .join('  ')}`,
      );
    mkdirSync(join(root, '.data'), { recursive: true });
    writeFileSync(join(root, '.data/bench.json'), `${JSON.stringify(report, null, 2)}\n`);
  } finally {
    await system.stop();
    rmSync(dir, { recursive: true, force: true });
  }
  return 0;
});

function table(figures: readonly Figures[]): void {
  print(`\n${'what'.padEnd(56)} callers      /s     p50     p95     p99 ms`);
  for (const f of figures)
    print(`${f.name.padEnd(56)} ${[f.callers, f.perSecond, f.p50, f.p95, f.p99].map((n) => String(n).padStart(7)).join(' ')}`);
}

async function measure(system: System, orders: number) {
  const store = await makeStore(system.databaseUrl, { code: 'bench', name: 'bench', sandbox: true, withProduct: true });
  const seller = await Seller.login(system.api, store);
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  for (let i = 0; i < 10; i++) await buy(system, productId);
  const figures = [
    await barePostgres(system.databaseUrl, 1, 500),
    await barePostgres(system.databaseUrl, 16, 3000),
    ...(await bareTemporal(system.temporalAddress, [
      [1, 50],
      [16, 300],
    ])),
    await load('buyer flow: session, checkout, start, screen, pay', 1, Math.min(60, orders), () => buy(system, productId)),
    await load('buyer flow: session, checkout, start, screen, pay', 16, orders, () => buy(system, productId)),
  ];
  const items = (
    await Promise.all([1, 2, 3].map((page) => seller.call('GET', `/v1/order-items?size=100&page=${page}&status=PAID`)))
  ).flatMap(({ body }) => body.data.items as { orderItemId: string }[]);
  const confirm = (i: number) => seller.call('POST', `/v1/order-items/${items[i]!.orderItemId}/confirm`, {});
  const half = Math.min(60, Math.floor(items.length / 3));
  figures.push(await load('confirm', 1, half, confirm), await load('confirm', 16, items.length - half, (i) => confirm(i + half)));
  figures.push(...(await shopping(system, seller)));
  const memory = Object.fromEntries(system.processes().map(({ name, pid }) => [name, memoryMb(pid)]));
  const machineMs = await machineTime(system, productId);
  return {
    at: new Date().toISOString(),
    cpus: cpus().length,
    figures,
    webhook: await webhookDelay(system, seller, productId),
    memoryMb: memory,
    machineMs,
  };
}

/** What buyers do most: a page of 20 out of 200 products with their options, and lines put into carts. */
async function shopping(system: System, seller: Seller): Promise<Figures[]> {
  const { categoryId } = (await seller.call('POST', '/v1/categories', { name: 'bench' })).body.data as { categoryId: string };
  const optionGroups = [{ name: 'size', values: ['S', 'M', 'L'] }];
  const variants = optionGroups[0]!.values.map((value) => ({ optionValues: [value], stockQuantity: 1000 }));
  const made: { productId: string; optionId: string }[] = [];
  for (let i = 0; i < 200; i++) {
    const { body } = await seller.call('POST', '/v1/products', {
      name: `product ${i}`,
      salePrice: 10_000,
      categoryId,
      optionGroups,
      variants,
    });
    made.push({ productId: body.data.productId as string, optionId: body.data.variants[0].variantId as string });
  }
  const headers = { 'x-store-code': 'bench' };
  const list = (i: number) => call(system.api, 'GET', `/storefront/v1/products?size=20&page=${1 + (i % 10)}`, { headers });
  const buyers = await Promise.all(Array.from({ length: 16 }, () => Buyer.arrive(system.api, 'bench')));
  const add = (i: number) => buyers[i % 16]!.call('POST', '/storefront/v1/cart/items', { ...made[i % 20], quantity: 1 });
  return [
    await load('product list: 20 of 200 with options', 1, 200, list),
    await load('product list: 20 of 200 with options', 16, 2000, list),
    await load('cart: put an option into it', 1, 100, add),
    await load('cart: put an option into it', 16, 800, add),
  ];
}

async function buy({ api }: System, productId: string, mark: (step: string) => void = () => {}): Promise<void> {
  const buyer = await Buyer.arrive(api, 'bench');
  mark('guest session');
  const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
  mark('checkout');
  const { payUrl } = (await buyer.start(checkoutId)).body.data as { payUrl: string };
  mark('payment start');
  const form = formOf((await get(payUrl)).text, 'pay')!;
  mark('pay screen');
  const submit = new URL('/window/toss/submit', form.action);
  submit.search = String(new URLSearchParams({ ...form.fields, card: '4111111111110000', outcome: 'pay' }));
  const { location } = await get(submit.href);
  const end = await get(location!.href);
  mark('approve, order, item run');
  if (end.location?.searchParams.get('svcResult') !== 'COMPLETED') throw new Error(`not paid: ${end.location?.href ?? end.text}`);
}

/** What each step costs each process, over 20 orders one after another. Ticks are 10 ms, so only sums mean something. */
async function machineTime(system: System, productId: string) {
  const rounds = 20;
  const sums = new Map<string, Map<string, number>>();
  const read = () => new Map(system.processes().map(({ name, pid }) => [name, processorMs(pid)]));
  for (let i = 0; i < rounds; i++) {
    await sleep(150);
    let last = read();
    const mark = (step: string) => {
      const now = read();
      const row = sums.get(step) ?? new Map<string, number>();
      for (const [name, ms] of now) row.set(name, (row.get(name) ?? 0) + ms - (last.get(name) ?? 0));
      sums.set(step, row);
      last = now;
    };
    await buy(system, productId, mark);
    await sleep(150);
    mark('afterwards (runs settle)');
  }
  return Object.fromEntries(
    [...sums].map(([step, row]) => [step, Object.fromEntries([...row].map(([name, ms]) => [name, Math.round((ms / rounds) * 10) / 10]))]),
  );
}

/** From the commit of the event, as Postgres has it, to the first byte at the receiver. */
async function webhookDelay(system: System, seller: Seller, productId: string) {
  const arrived = new Map<string, number>();
  const server = createServer((request, response) => {
    arrived.set(String(request.headers['svc-event-id']), Date.now());
    request.resume();
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await seller.call('POST', '/v1/webhooks', {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    eventTypes: ['ORDER.PAID'],
  });
  for (let i = 0; i < 30; i++) await buy(system, productId);
  await sleep(1500);
  const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  const { rows } = await pool.query<{ event_id: string; created_at: Date }>(
    'SELECT event_id, created_at FROM event ORDER BY created_at DESC LIMIT 30',
  );
  await pool.end();
  server.closeAllConnections();
  server.close();
  const delays = rows.flatMap(({ event_id: id, created_at: at }) => (arrived.has(id) ? [arrived.get(id)! - at.getTime()] : []));
  return { count: delays.length, p50: percentile(delays, 0.5), p95: percentile(delays, 0.95) };
}
