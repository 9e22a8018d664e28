/**
 * `npm run bench -- --scale [--orders 300] [--callers 16]`: buyers of one hot store and of fifty stores, with one, two and three API
 * processes and as many workers on one Postgres and one Temporal, which are new for each number.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { System } from '../../bin/dev/system.ts';
import { onInterrupt, printProgress } from '../../bin/kernel/cli.ts';
import { root } from '../../bin/kernel/paths.ts';
import { loadWithCost } from '../cost.ts';
import { buy } from '../flows.ts';
import { load } from '../measure.ts';
import { analyze } from '../peers/analyze.ts';
import { systemOfServers } from '../systemOfServers.ts';
import { makeOffers, type Offer } from './offers.ts';
import { printTable, type Row } from './table.ts';
import { sampleWaits } from './waits.ts';

interface Options {
  readonly orders?: string;
  readonly callers: string;
}
interface Load {
  readonly orders: number;
  readonly callers: number;
}
const REPLICAS = [1, 2, 3];
const STORES = 50;
/** Orders for each API process. */
const WARM_UP = 60;

export async function scale(print: (line: string) => void, options: Options, firstPort: number): Promise<number> {
  const wanted = { orders: Number(options.orders ?? 300), callers: Number(options.callers) };
  const report = { at: new Date().toISOString(), cpus: cpus().length, loadBefore: loadavg().map((load) => Math.round(load * 10) / 10) };
  let stop = async () => {};
  onInterrupt(() => stop());
  const rows: Row[] = [];
  for (const replicas of REPLICAS) {
    printProgress(`API and worker, ${replicas} of each …`);
    const system = await systemOfServers('scale', { firstPort, replicas, onStarting: (stops) => (stop = stops) });
    try {
      const offers = await makeOffers(system.databaseUrl, system.env['SEALING_KEYS']!, STORES);
      await analyze(system.databaseUrl);
      // What nobody measures: every process compiles its code and fills its pools.
      await load('', wanted.callers, WARM_UP * replicas, ordersOf(system, offers));
      for (const some of [offers.slice(0, 1), offers]) rows.push(await measured(system, some, wanted));
    } finally {
      await system.stop();
    }
  }
  printTable(print, rows, report.cpus);
  mkdirSync(join(root, '.data'), { recursive: true });
  writeFileSync(join(root, '.data/scale.json'), `${JSON.stringify({ ...report, ...wanted, rows }, null, 2)}\n`);
  return 0;
}

/** Stores and API processes in turn; each time through the stores they are paired anew, so that no process has stores of its own. */
function ordersOf({ apis }: System, offers: readonly Offer[]): (i: number) => Promise<void> {
  return (i) => {
    const { productId, code } = offers[(i + Math.floor(i / offers.length)) % offers.length]!;
    return buy({ api: apis[i % apis.length]! }, productId, undefined, code);
  };
}

async function measured(system: System, offers: readonly Offer[], { orders, callers }: Load): Promise<Row> {
  const stopSampling = await sampleWaits(system.databaseUrl);
  const driverBefore = process.cpuUsage();
  const name = `order: stores ${offers.length}`;
  const cost = await loadWithCost(system.processes, name, callers, orders, ordersOf(system, offers));
  const { user, system: kernel } = process.cpuUsage(driverBefore);
  const waits = await stopSampling();
  const driverMs = Math.round((user + kernel) / 100 / orders) / 10;
  return { ...cost, replicas: system.apis.length, stores: offers.length, orders, driverMs, waits };
}
