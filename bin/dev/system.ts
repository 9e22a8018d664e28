/** The whole system as child processes: used by `npm start`, tests and benchmarks. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { migrate } from '../../db/migrate.ts';
import { memory } from '../kernel/memory.ts';
import { root } from '../kernel/paths.ts';
import { type DevelopmentSystem, unannounce, systemOf, temporalNamespace, type Wanted } from './developmentSystem.ts';
import { choosePorts, freePort, isFree, type Ports } from './ports.ts';
import { postgresData, postgresPaths, removePostgresData } from './postgresPaths.ts';
import { databaseUrl as embeddedUrl, initialisePostgres, postgresAnswers, spawnPostgres } from './postgres.ts';
import { UserError, printProgress } from '../kernel/cli.ts';
import { developmentLogins } from './secrets.ts';
import { type Service, Supervisor } from './supervise.ts';
import { devServerArguments, temporalCli, temporalDatabase } from './temporal.ts';

export interface SystemOptions extends Wanted {
  readonly fresh: boolean;
  readonly durable: boolean;
  /** API processes, and as many workers; one of each by default. */
  readonly replicas?: number;
  readonly onChange?: (system: System) => void;
  /** Called with the function that stops everything, before anything is started. */
  readonly onStarting?: (stop: () => Promise<void>) => void;
  /** What has to be done before our own processes start; it is waited for while the servers start. */
  readonly beforeProcesses?: Promise<unknown>;
}
export interface System extends DevelopmentSystem {
  /** The addresses of all API processes: `api` and those of its replicas. */
  readonly apis: readonly string[];
  readonly processes: () => { name: string; pid: number }[];
  readonly stop: () => Promise<void>;
}

export async function startSystem(options: SystemOptions): Promise<System> {
  const { dataDir, port } = options;
  await stopOrphans(dataDir);
  unannounce(dataDir);
  if (options.fresh) {
    removePostgresData(dataDir);
    rmSync(dataDir, { recursive: true, force: true });
  }
  mkdirSync(dataDir, { recursive: true });
  if (!(await isFree(port))) throw new UserError(`Port ${port} is in use: stop what uses it, or set PORT to another.`);
  const ports = await choosePorts(dataDir, port);
  let system: System | undefined;
  const supervisor = new Supervisor(() => {
    // Written at every change: after a start that was killed the next one finds all its servers.
    writeFileSync(join(dataDir, 'supervisor.json'), JSON.stringify({ supervisor: process.pid, processes: supervisor.processes }));
    if (system) options.onChange?.(system);
  });
  options.onStarting?.(() => supervisor.stop());
  try {
    const [database, temporal] = await allSettled([
      startDatabase(supervisor, options, ports),
      startTemporal(supervisor, options, ports),
      options.beforeProcesses,
    ]);
    const replicas = (await replicaPorts(options, ports)).map(({ port, ...own }) =>
      systemOf({ ...options, port }, { ports: { ...ports, ...own }, ...database, temporal }),
    );
    const started = replicas[0]!;
    await allSettled([
      supervisor.supervise(ours('simulator', started)),
      ...replicas.flatMap((replica, i) => (['worker', 'api'] as const).map((kind) => supervisor.supervise(ours(kind, replica, i + 1)))),
    ]);
    system = { ...started, apis: replicas.map(({ api }) => api), processes: () => supervisor.processes, stop: () => supervisor.stop() };
    return system;
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
}

/** Like `Promise.all`, but a failure is thrown when everything has ended: nothing starts any more while it is stopped. */
async function allSettled<T extends readonly unknown[]>(started: T): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(started);
  return Promise.all(started);
}

async function startDatabase(supervisor: Supervisor, options: SystemOptions, ports: Ports) {
  const databaseUrl = await startPostgres(supervisor, options, ports);
  const logins = developmentLogins(options.dataDir, databaseUrl);
  await migrate(databaseUrl, logins);
  return { databaseUrl, logins };
}

async function startPostgres(supervisor: Supervisor, { dataDir, durable }: SystemOptions, { postgres: port }: Ports): Promise<string> {
  const external = process.env['DATABASE_URL'];
  if (external) {
    await postgresAnswers(external);
    return external;
  }
  return startEmbeddedPostgres(supervisor, { dataDir, durable }, port);
}

export async function startEmbeddedPostgres(
  supervisor: Supervisor,
  { dataDir, durable }: Pick<SystemOptions, 'dataDir' | 'durable'>,
  port: number,
): Promise<string> {
  const places = await postgresPaths(dataDir);
  await initialisePostgres(places);
  const url = embeddedUrl(port);
  await supervisor.supervise({
    name: 'postgres',
    stopSignal: 'SIGINT',
    isServer: true,
    async start(spawned) {
      const child = spawnPostgres(places, port, { durable });
      spawned(child);
      await Promise.race([postgresAnswers(url), died(child, 'Postgres')]);
    },
  });
  return url;
}

async function startTemporal(
  supervisor: Supervisor,
  { dataDir }: SystemOptions,
  ports: Ports,
): Promise<{ address: string; ui: string | null }> {
  const external = process.env['TEMPORAL_ADDRESS'];
  if (external) {
    await temporalAnswers(external);
    return { address: external, ui: null };
  }
  const cli = await temporalCli();
  const address = `127.0.0.1:${ports.temporal}`;
  await supervisor.supervise({
    name: 'temporal',
    stopSignal: 'SIGTERM',
    isServer: true,
    async start(spawned) {
      const log = openSync(join(dataDir, 'temporal.log'), 'a');
      const child = spawn(cli, devServerArguments({ db: temporalDatabase(dataDir), port: ports.temporal, uiPort: ports.temporalUi }), {
        stdio: ['ignore', log, log],
        detached: true,
        env: { ...process.env, GOGC: '400' },
      });
      spawned(child);
      await Promise.race([temporalAnswers(address), died(child, `Temporal (see ${join(dataDir, 'temporal.log')})`)]);
    },
  });
  return { address, ui: `http://127.0.0.1:${ports.temporalUi}` };
}

/** Resolves once the server accepts calls for its namespace. */
async function temporalAnswers(address: string): Promise<void> {
  const end = Date.now() + 30_000;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1000 });
      await connection.workflowService.describeNamespace({ namespace: temporalNamespace() });
      await connection.close();
      return;
    } catch (error) {
      if (Date.now() > end)
        throw new UserError(`Temporal at ${address} does not answer (${String(error)}): start it, or correct TEMPORAL_ADDRESS.`);
      await sleep(100);
    }
  }
}

const died = (child: ChildProcess, what: string): Promise<never> =>
  new Promise((_, reject) => child.once('exit', (code) => reject(new UserError(`${what} stopped with code ${code} while it started.`))));

/** The ports of the first API and worker, and of their replicas. */
async function replicaPorts({ port, replicas = 1 }: SystemOptions, { metrics, apiMetrics }: Ports) {
  const all = [{ port, metrics, apiMetrics }];
  while (all.length < replicas) {
    const port = await freePort(all.at(-1)!.apiMetrics + 1);
    const metrics = await freePort(port + 1);
    all.push({ port, metrics, apiMetrics: await freePort(metrics + 1) });
  }
  return all;
}

/** One of our own processes, by its kind and number: it logs to a file, and stops when this process stops. */
function ours(kind: 'simulator' | 'worker' | 'api', { dataDir, env }: DevelopmentSystem, no = 1): Service {
  const name = no === 1 ? kind : `${kind}-${no}`;
  return {
    name,
    stopSignal: 'SIGTERM',
    isServer: false,
    start: (spawned) =>
      new Promise((resolve, reject) => {
        const log = openSync(join(dataDir, `${name}.log`), 'a');
        // No process of ours runs as the database's owner.
        const { DATABASE_URL: _, ...own } = process.env;
        const child = fork(join(root, `${kind}/main.ts`), [], {
          stdio: ['ignore', log, log, 'ipc'],
          execArgv: [...memory.flags],
          env: {
            ...own,
            ...env,
            ...(kind === 'worker' && memory.workerEnvironment),
            ...(kind === 'api' && { RELAY_DATABASE_URL: undefined }),
          },
          detached: true,
        });
        spawned(child);
        child.once('message', () => resolve());
        child.once('exit', (code) =>
          reject(new UserError(`${name} stopped with code ${code} while it started: see ${join(dataDir, `${name}.log`)}.`)),
        );
      }),
  };
}

/** Servers survive when `npm start` is killed: stops them. Throws a UserError when their system still runs. */
async function stopOrphans(dataDir: string): Promise<void> {
  const file = join(dataDir, 'supervisor.json');
  if (!existsSync(file)) return;
  const { supervisor, processes } = JSON.parse(readFileSync(file, 'utf8')) as {
    supervisor?: number;
    processes?: { name: string; pid: number }[];
  };
  if (supervisor !== undefined && supervisor !== process.pid && commandLine(supervisor).includes('bin/start.ts'))
    throw new UserError(
      `The system in ${dataDir} is running already (process ${supervisor}): stop it, or set DATA_DIR and PORT to other places.`,
    );
  for (const { name, pid } of processes ?? []) {
    const line = commandLine(pid);
    const isOurs = line.includes(dataDir) || line.includes(postgresData(dataDir)) || line.includes(join(root, `${kindOf(name)}/main.ts`));
    if (!isOurs) continue;
    printProgress(`Stopping ${name} of an earlier start.`);
    process.kill(pid, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
    for (let i = 0; i < 100 && commandLine(pid) !== ''; i++) await sleep(50);
  }
}

/** Of a process or a replica by its name: `api` of `api-2`. */
export const kindOf = (name: string): string => name.replace(/-\d+$/, '');

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
