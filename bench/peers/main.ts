/**
 * `npm run bench -- --peers [--orders 100] [--rounds 2]`: our system, Vendure and Medusa, one after the other and again, each alone with a
 * new Postgres: the same order for 1 and for 16 buyers, and the list of products.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { root } from '../../bin/kernel/paths.ts';
import { onInterrupt, printProgress } from '../../bin/kernel/cli.ts';
import { type Cost, loadWithCost } from '../cost.ts';
import { load } from '../measure.ts';
import { medusa } from './medusa.ts';
import { startOwn } from './own.ts';
import { startProject } from './project.ts';
import type { Shop } from './shop.ts';
import { vendure } from './vendure.ts';

type Stop = () => Promise<void>;
interface Row extends Cost {
  readonly shop: string;
  readonly round: number;
}
interface Options {
  readonly orders?: string;
  readonly rounds: string;
}

const SHOPS: Readonly<Record<string, (firstPort: number, onStarting: (stop: Stop) => void) => Promise<Shop>>> = {
  sangjeom: startOwn,
  vendure: (...args) => startProject(vendure, ...args),
  medusa: (...args) => startProject(medusa, ...args),
};
const ORDER = 'order: cart, address, shipping, payment';
const round = (value: number): number => Math.round(value * 10) / 10;

export async function peers(print: (line: string) => void, options: Options, firstPort: number): Promise<number> {
  const { orders, rounds } = { orders: Number(options.orders ?? 100), rounds: Number(options.rounds) };
  let stop: Stop = async () => {};
  onInterrupt(() => stop());
  const rows: Row[] = [];
  for (let turn = 1; turn <= rounds; turn++)
    for (const [name, start] of Object.entries(SHOPS)) {
      const shop = await start(firstPort, (stops) => (stop = stops));
      try {
        printProgress(`Round ${turn}: ${name} …`);
        for (const figures of await visit(shop, orders)) rows.push({ shop: name, round: turn, ...figures });
      } finally {
        await shop.stop();
      }
    }
  printTable(print, rows);
  mkdirSync(join(root, '.data'), { recursive: true });
  const versions = { node: process.version, ...versionOf('vendure', '@vendure/core'), ...versionOf('medusa', '@medusajs/medusa') };
  const report = { at: new Date().toISOString(), cpus: cpus().length, versions, orders, rounds, rows };
  writeFileSync(join(root, '.data/peers.json'), `${JSON.stringify(report, null, 2)}\n`);
  return 0;
}

const versionOf = (name: string, main: string): Record<string, string> => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'bench/peers', name, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  return { [name]: dependencies[main]! };
};

/** First what nobody measures, so that the code is compiled and the pools are full. */
async function visit(shop: Shop, orders: number): Promise<Omit<Row, 'shop' | 'round'>[]> {
  await load('', 4, 30, shop.buy);
  const { processes } = shop;
  const rows = [
    await loadWithCost(processes, ORDER, 1, Math.min(60, orders), shop.buy),
    await loadWithCost(processes, ORDER, 16, orders, shop.buy),
  ];
  for (const [name, list] of Object.entries(shop.lists)) {
    await load('', 4, 30, list);
    for (const callers of [1, 16]) rows.push(await loadWithCost(processes, name, callers, 2 * orders, list));
  }
  return rows;
}

function printTable(print: (line: string) => void, rows: readonly Row[]): void {
  const cells = (values: readonly (string | number)[]) => values.map((value) => String(value).padStart(10)).join(' ');
  print(`\nmedians of the rounds; ms of a core: of all its processes for each order or call, from the least to the most of the rounds`);
  print(`${'what'.padEnd(42)} ${'shop'.padEnd(9)} ${cells(['callers', 'p50 ms', '/s', 'core ms', 'least', 'most', 'Postgres'])}`);
  const alike = Object.groupBy(rows, ({ name, callers, shop }) => JSON.stringify([name, callers, shop]));
  const byWork = Object.values(alike).toSorted((a, b) => rankOf(rows, a![0]!) - rankOf(rows, b![0]!));
  for (const group of byWork) {
    const { name, shop, callers } = group![0]!;
    const totals = group!.map(({ coreMs }) => round(Object.values(coreMs).reduce((a, b) => a + b, 0)));
    const values = [
      median(group!.map(({ p50 }) => p50)),
      median(group!.map(({ perSecond }) => perSecond)),
      median(totals),
      Math.min(...totals),
      Math.max(...totals),
      median(group!.map(({ coreMs }) => coreMs['postgres'] ?? 0)),
    ];
    print(`${name.padEnd(42)} ${shop.padEnd(9)} ${cells([callers, ...values])}`);
  }
}
/** The same work of all shops stands together. */
const rankOf = (rows: readonly Row[], { name, callers }: Row): number =>
  rows.findIndex((row) => row.name === name && row.callers === callers);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return round((sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2);
}
