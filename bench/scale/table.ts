/** What was measured of each number of processes, and what ends its growth. */
import { kindOf } from '../../bin/dev/system.ts';
import type { Cost } from '../cost.ts';
import { WAITS, type Waits } from './waits.ts';

export interface Row extends Cost {
  /** API processes, and as many workers. */
  readonly replicas: number;
  readonly stores: number;
  readonly orders: number;
  /** Milliseconds of a core that the buyers themselves took for each order. */
  readonly driverMs: number;
  readonly waits: Waits;
}

const KINDS = ['api', 'worker', 'temporal', 'postgres', 'simulator'] as const;
/** From these shares on something counts as used up: of the cores, of one core by an API process, which has one thread for its requests. */
const BUSY = 0.9;

export function printTable(print: (line: string) => void, rows: readonly Row[], cores: number): void {
  const { callers } = rows[0]!;
  print(`\norders of ${callers} buyers on ${cores} cores; of each order: ms of a core by kind of process, ms of waiting in Postgres`);
  printCells(print, ['stores', 'processes', 'orders/s', 'ratio', 'p50 ms', ...KINDS, 'driver', 'in all', ...WAITS]);
  for (const row of rows) {
    const byKind = KINDS.map((kind) => sumOf(row.coreMs, kind));
    const sum = byKind.reduce((a, b) => a + b, row.driverMs);
    const each = [...byKind, row.driverMs, sum, ...WAITS.map((name) => row.waits[name] / row.orders)];
    printCells(print, [row.stores, processesOf(row), row.perSecond, ratioOf(row, rows), row.p50, ...each.map((ms) => ms.toFixed(1))]);
  }
  print('\nfrom the first request to the last answer, on average: share of the cores, waiting backends, and where the growth stops');
  printCells(print, ['stores', 'processes', 'ours %', 'all %', ...WAITS, 'limit']);
  for (const row of rows) {
    const { ours, machine } = sharesOf(row, cores);
    const percent = [ours, machine].map((share) => Math.round(share * 100));
    const waiting = WAITS.map((name) => meanOf(row)[name].toFixed(2));
    printCells(print, [row.stores, processesOf(row), ...percent, ...waiting], `     ${limitOf(row, cores)}`);
  }
}

/** API processes and workers. */
const processesOf = ({ replicas }: Row): string => `${replicas}+${replicas}`;
const printCells = (print: (line: string) => void, values: readonly (string | number)[], tail = '') =>
  print(values.map((value) => String(value).padStart(9)).join(' ') + tail);
const sumOf = (byProcess: Readonly<Record<string, number>>, kind: string): number =>
  Object.entries(byProcess).reduce((sum, [name, value]) => sum + (kindOf(name) === kind ? value : 0), 0);

/** Orders per second beside one API process and one worker with the same stores. */
function ratioOf(row: Row, rows: readonly Row[]): string {
  const single = rows.find(({ replicas, stores }) => replicas === 1 && stores === row.stores)!;
  return (row.perSecond / single.perSecond).toFixed(2);
}

/** Shares of the machine's cores: of our processes with the buyers, and of all programs. */
function sharesOf({ cores: { by, machine }, driverMs, perSecond }: Row, cores: number) {
  const ours = Object.values(by).reduce((a, b) => a + b, (driverMs * perSecond) / 1000);
  return { ours: ours / cores, machine: machine / cores };
}

/** Backends that wait at a time, on average. */
function meanOf({ waits: { feed, stock, locks, log }, seconds }: Row): Waits {
  const perMs = 1 / (seconds * 1000);
  return { feed: feed * perMs, stock: stock * perMs, locks: locks * perMs, log: log * perMs };
}

/** What is used up: the cores, without which everything else waits too, or what backends queue for: one or more of them on average. */
function limitOf(row: Row, cores: number): string {
  const { ours, machine } = sharesOf(row, cores);
  const { feed, stock, locks, log } = meanOf(row);
  const busiestApi = Math.max(...Object.entries(row.cores.by).flatMap(([name, used]) => (kindOf(name) === 'api' ? [used] : [])));
  if (ours >= BUSY) return 'the cores';
  if (machine >= BUSY) return "the cores, with others' programs";
  if (feed >= 1 || stock >= 1) return feed > stock ? "the feed's row" : "the product's stock";
  if (locks >= 1) return 'other locks';
  if (log >= 1) return 'the write-ahead log';
  if (busiestApi >= BUSY) return 'the API: a process has one core in use';
  return 'none of these: more buyers (`--callers`) would show it';
}
