/**
 * `npm run bench [-- --orders 300] [--growth] [--catalog] [--refusals]`: the buyer flow, confirm, lists and webhooks, compared with bare
 * Postgres and bare Temporal. `--growth`: again in a store with 100,000 orders and 20,000 open runs, after a comparison of its lists with
 * those of a store with 1,000 (only that: `--lists`). `--refusals` alone: the cost of refusing the worst bodies. `--flows` alone: the
 * flow engine, without a system. `--recovery
 * [--runs 100000]` alone: the time to recover lost runs, and the time of the reconciler's statements with 1,000,000 open runs (`--open`).
 * `--scale` alone: one, two and three API processes and workers. `--request-log` alone: requests with and without the log of management
 * requests. `--changes` alone: changes and their dry runs. `--claims` alone: returns, from their filing to their refund. `--providers`
 * alone: the buyer flow at each payment provider. `--points` alone: the point policy, previews and starts with points. `--sales
 * [--payments 1000000]` alone: reports over a year. `--customers 1000000` alone: the list of customers of a store with as many. `--peers`
 * alone: two other shop systems beside ours. `--neighbours [--way uploads]` alone: what a store is served while another one is hostile.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import { root } from '../bin/kernel/paths.ts';
import { run } from '../bin/kernel/cli.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import type { System } from '../bin/dev/system.ts';
import { temporarySystem } from '../bin/dev/temporary.ts';
import { Seller } from '../bin/dev/client.ts';
import { barePostgres, bareTemporal } from './bare.ts';
import { catalog } from './catalog.ts';
import { flowEngine } from './flowEngine.ts';
import { buy, everyday, fillProductPool } from './flows.ts';
import { grow, type Growth } from './growth.ts';
import { historyCosts } from './histories.ts';
import { identity, tokenCosts } from './identity.ts';
import { lists, type Sizes } from './lists.ts';
import { type Figures, memoryMb, percentile, processorMs } from './measure.ts';
import { openRuns } from './openRuns.ts';
import { recover } from './recovery.ts';
import { neighbours } from './neighbours/main.ts';
import { peers } from './peers/main.ts';
import { points } from './points.ts';
import { refusals } from './refusals.ts';
import { scale } from './scale/main.ts';
import { changes } from './changes.ts';
import { claims } from './claims.ts';
import { customers } from './customers.ts';
import { providers } from './providers.ts';
import { requestLog } from './requestLog.ts';
import { sales } from './sales.ts';

const firstPort = Number(process.env['PORT'] ?? 3700);
const print = (text: string) => process.stdout.write(`${text}\n`);

await run(async () => {
  const { values } = parseArgs({
    options: {
      orders: { type: 'string' },
      peers: { type: 'boolean', default: false },
      neighbours: { type: 'boolean', default: false },
      way: { type: 'string' },
      rounds: { type: 'string', default: '2' },
      scale: { type: 'boolean', default: false },
      callers: { type: 'string', default: '16' },
      growth: { type: 'boolean', default: false },
      catalog: { type: 'boolean', default: false },
      refusals: { type: 'boolean', default: false },
      flows: { type: 'boolean', default: false },
      past: { type: 'string', default: '100000' },
      runs: { type: 'string' },
      recovery: { type: 'boolean', default: false },
      lists: { type: 'boolean', default: false },
      'request-log': { type: 'boolean', default: false },
      changes: { type: 'boolean', default: false },
      claims: { type: 'boolean', default: false },
      providers: { type: 'boolean', default: false },
      sales: { type: 'boolean', default: false },
      points: { type: 'boolean', default: false },
      payments: { type: 'string', default: '1000000' },
      customers: { type: 'string' },
      open: { type: 'string', default: '1000000' },
    },
  });
  if (values.refusals) return refusals(print);
  if (values.flows) return flowEngine(print);
  if (values.peers) return peers(print, values, firstPort);
  if (values.scale) return scale(print, values, firstPort);
  const orders = Number(values.orders ?? 300);
  const growth = values.growth ? { past: Number(values.past), openRuns: Number(values.runs ?? 20_000) } : null;
  const system = await temporarySystem('bench', {
    firstPort,
    durable: true,
    env: { RATE_LIMIT_PER_MINUTE: '10000000', LOG_LEVEL: 'warn' },
  });
  try {
    if (await alone(system, values)) return 0;
    if (values.lists || growth) await compareLists(system, { few: 1000, many: Number(values.past) });
    if (values.lists) return 0;
    const shelves = values.catalog ? await catalog(system, [100, 1000, 10_000]) : [];
    if (shelves.length > 0) table(shelves);
    const report = await measure(system, orders, growth);
    printReport(report);
    mkdirSync(join(root, '.data'), { recursive: true });
    writeFileSync(join(root, '.data/bench.json'), `${JSON.stringify({ ...report, shelves }, null, 2)}\n`);
  } finally {
    await system.stop();
  }
  return 0;
});

/** What is measured on a system and nothing else with it; false: nothing of that was wanted. */
async function alone(
  system: System,
  values: {
    recovery: boolean;
    changes: boolean;
    claims: boolean;
    providers: boolean;
    sales: boolean;
    points: boolean;
    neighbours: boolean;
    way?: string | undefined;
    payments: string;
    customers?: string | undefined;
    'request-log': boolean;
    runs?: string | undefined;
    open: string;
    orders?: string | undefined;
  },
): Promise<boolean> {
  const counted = (max: number) => Number(values.orders ?? max);
  const benches = [
    [values.recovery, () => recovery(system, { runs: Number(values.runs ?? 10_000), open: Number(values.open) })],
    [values['request-log'], () => requestLog(system, counted(1000), print)],
    [values.changes, () => changes(system, counted(500), print)],
    [values.claims, () => claims(system, counted(100), print)],
    [values.providers, () => providers(system, counted(100), print)],
    [values.neighbours, () => neighbours(system, values.way, print)],
    [values.points, () => points(system, counted(200), print)],
    [values.customers !== undefined, () => customers(system, Number(values.customers), print)],
    [values.sales, () => sales(system, Number(values.payments), print)],
  ] as const;
  const chosen = benches.find(([isChosen]) => isChosen);
  await chosen?.[1]();
  return chosen !== undefined;
}

async function compareLists(system: System, sizes: Sizes): Promise<void> {
  print(`\nlists of a store with ${sizes.few} orders and of one with ${sizes.many}, medians of calls in turns, in ms:`);
  await lists(system, sizes, ({ path, few, many, ratio: times }) =>
    print(`  ${path.padEnd(64)} ${[few, many, times].map((n) => String(n).padStart(7)).join(' ')}`),
  );
}

async function recovery(system: System, { runs, open }: { runs: number; open: number }): Promise<void> {
  print(`\nwith ${open} open runs, in ms:`);
  for (const { what, ms } of await openRuns(system, open)) print(`  ${what.padEnd(72)} ${ms}`);
  const { seconds, noticedAfter, perSecond, barePerSecond, runs: brought } = await recover(system, runs);
  print(`\n${brought} open runs after the loss of Temporal's database: back after ${seconds} s, noticed after ${noticedAfter} s`);
  print(
    `  ${perSecond} runs per second; bare starts of trivial runs: ${barePerSecond} per second (${ratio(barePerSecond, perSecond)} : 1)`,
  );
}
function ratio(a: number, b: number): number {
  return Math.round((a / b) * 100) / 100;
}

function printReport(report: Awaited<ReturnType<typeof measure>>): void {
  table(report.figures);
  if (report.grown) {
    print(`\nthe same in a store with ${report.grown.past} orders, ${report.grown.openRuns} of them with an open run:`);
    table(report.grown.figures);
  }
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
  print('\nSQL statements and transactions of one operation, without the relay (held by test/system/db/statementBudget.test.ts):');
  for (const [operation, [statements, transactions]] of Object.entries(report.statements))
    print(`  ${operation.padEnd(30)} ${String(statements).padStart(3)} in ${transactions}`);
  print('\nwhat a run costs Temporal, medians:');
  for (const { workflowType, status, events, tasks, runs } of report.histories)
    print(`  ${`${workflowType} ${status}`.padEnd(30)} ${events} events, ${tasks} workflow tasks (${runs} runs)`);
  print('\nprocessor time of one call, at 16 callers:');
  for (const { name, ms, perCore } of report.tokenCosts) print(`  ${name.padEnd(28)} ${ms} ms, ${perCore} per second and core`);
}

function table(figures: readonly Figures[]): void {
  print(`\n${'what'.padEnd(56)} callers      /s     p50     p95     p99 ms`);
  for (const f of figures)
    print(`${f.name.padEnd(56)} ${[f.callers, f.perSecond, f.p50, f.p95, f.p99].map((n) => String(n).padStart(7)).join(' ')}`);
}

async function measure(system: System, orders: number, growth: Growth | null) {
  const store = await makeStore(
    system.databaseUrl,
    { code: 'bench', name: 'bench', sandbox: true, withProduct: true },
    system.env['SEALING_KEYS'],
  );
  const seller = await Seller.login(system.api, store);
  const pool = await fillProductPool(seller);
  for (let i = 0; i < 10; i++) await buy(system, pool.productId);
  const bare = [
    await barePostgres(system.databaseUrl, 1, 500),
    await barePostgres(system.databaseUrl, 16, 3000),
    ...(await bareTemporal(system.temporalAddress, [
      [1, 50],
      [16, 300],
    ])),
  ];
  const everydayFigures = await everyday(system, seller, pool, orders);
  const tokenFigures = await identity(system, store, seller);
  const memory = Object.fromEntries(system.processes().map(({ name, pid }) => [name, memoryMb(pid)]));
  const machineMs = await machineTime(system, pool.productId);
  const webhook = await webhookDelay(system, seller, pool.productId);
  const grown = growth && (await grow(system, seller, pool, growth));
  return {
    at: new Date().toISOString(),
    cpus: cpus().length,
    figures: [...bare, ...everydayFigures, ...tokenFigures],
    grown: grown && { ...growth, ...grown, figures: await everyday(system, seller, pool, orders) },
    webhook,
    memoryMb: memory,
    machineMs,
    statements: JSON.parse(readFileSync(join(root, 'bench/statements.json'), 'utf8')) as Record<string, readonly [number, number]>,
    histories: await historyCosts(system.temporalAddress),
    tokenCosts: await tokenCosts(system, store),
  };
}

/** Processor time of each step in each process, over 20 sequential orders. The clock's resolution is 10 ms: only sums are meaningful. */
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
  const whole = new Map<string, number>();
  for (const row of sums.values()) for (const [name, ms] of row) whole.set(name, (whole.get(name) ?? 0) + ms);
  sums.set(
    'the whole order',
    whole.set(
      'sum',
      [...whole.values()].reduce((sum, ms) => sum + ms, 0),
    ),
  );
  return Object.fromEntries(
    [...sums].map(([step, row]) => [step, Object.fromEntries([...row].map(([name, ms]) => [name, Math.round((ms / rounds) * 10) / 10]))]),
  );
}

/** From the event's commit timestamp in Postgres to the first byte at the receiver. */
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
