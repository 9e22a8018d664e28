/** What the log of management requests costs a request: two API processes on one system, with the log and without it, in turns. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Seller } from '../bin/dev/client.ts';
import { freePort } from '../bin/dev/ports.ts';
import type { System } from '../bin/dev/system.ts';
import { memory } from '../bin/kernel/memory.ts';
import { root } from '../bin/kernel/paths.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import type { CreatedStore } from '../db/identity/createStore.ts';
import { load, percentile, processorMs } from './measure.ts';

/** Requests of each kind, from the cheapest to an everyday one. */
const PATHS = ['/v1/carriers', '/v1/orders'] as const;
const ROUNDS = 4;
const CALLERS = [1, 16] as const;
/** The last batches are written by then. */
const SETTLE_MS = 1500;

interface Side {
  readonly pid: number;
  readonly seller: Seller;
  readonly stop: () => void;
}
interface Sums {
  /** Of the API's process and of Postgres, in ms. */
  api: number;
  postgres: number;
  readonly p50: number[];
}

/**
 * `count`: requests of one turn. Each side has a turn in each round, and goes first in every other one. Prints milliseconds of a core for
 * each request, and the ratio of their sums.
 */
export async function requestLog(system: System, count: number, print: (text: string) => void): Promise<void> {
  const store = await makeStore(
    system.databaseUrl,
    { code: 'request-log', name: 'bench', sandbox: true, withProduct: true },
    system.env['SEALING_KEYS'],
  );
  const postgres = system.processes().find(({ name }) => name === 'postgres')!.pid;
  const sides = [await start(system, store, []), await start(system, store, ['--without'])] as const;
  print(`\nwith and without the log of management requests, ${ROUNDS} turns of ${count} requests each, in ms of a core:`);
  for (const [callers, path] of CALLERS.flatMap((callers) => PATHS.map((path) => [callers, path] as const))) {
    const [logged, bare] = [nothing(), nothing()];
    for (let round = 0; round <= ROUNDS; round++)
      for (const { side, sums } of turns(round, { side: sides[0], sums: logged }, { side: sides[1], sums: bare })) {
        const before = [processorMs(side.pid), processorMs(postgres)] as const;
        const { p50 } = await load(path, callers, count, () => side.seller.call('GET', path));
        await sleep(SETTLE_MS);
        // The first round warms up.
        if (round === 0) continue;
        sums.api += processorMs(side.pid) - before[0];
        sums.postgres += processorMs(postgres) - before[1];
        sums.p50.push(p50);
      }
    const title = `${path}, ${callers} at a time`.padEnd(28);
    for (const [name, { api, postgres: server, p50 }] of Object.entries({ with: logged, without: bare })) {
      const [own, theirs] = [api, server].map((spent) => ms(spent / (ROUNDS * count)));
      print(`  ${title} ${name.padEnd(8)} API ${own}, Postgres ${theirs}, p50 ${percentile(p50, 0.5)} ms`);
    }
    print(`  ${title} ${ms((logged.api + logged.postgres) / (bare.api + bare.postgres))} : 1`);
  }
  for (const { stop } of sides) stop();
}
const nothing = (): Sums => ({ api: 0, postgres: 0, p50: [] });
const turns = <T>(round: number, one: T, other: T): readonly T[] => (round % 2 === 0 ? [one, other] : [other, one]);
const ms = (value: number): number => Math.round(value * 1000) / 1000;

async function start(system: System, store: CreatedStore, args: readonly string[]): Promise<Side> {
  const port = await freePort(3800);
  const child = fork(join(root, 'bench/requestLogApi.ts'), [...args], {
    execArgv: [...memory.flags],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...system.env, PORT: String(port) },
  });
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the API ended with ${code}`)));
  });
  return { pid: child.pid!, seller: await Seller.login(`http://127.0.0.1:${port}`, store), stop: () => void child.kill() };
}
