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
import { choosePorts, isFree, type Ports } from './ports.ts';
import { postgresData, postgresPaths, removePostgresData } from './postgresPaths.ts';
import { databaseUrl as embeddedUrl, initialisePostgres, postgresAnswers, spawnPostgres } from './postgres.ts';
import { UserError, printProgress } from '../kernel/cli.ts';
import { developmentLogins } from './secrets.ts';
import { type Service, Supervisor } from './supervise.ts';
import { devServerArguments, temporalCli, temporalDatabase } from './temporal.ts';

export interface SystemOptions extends Wanted {
  readonly fresh: boolean;
  readonly durable: boolean;
  readonly onChange?: (system: System) => void;
  /** Called with the function that stops everything, before anything is started. */
  readonly onStarting?: (stop: () => Promise<void>) => void;
}
export interface System extends DevelopmentSystem {
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
    const databaseUrl = await startPostgres(supervisor, options, ports);
    const logins = developmentLogins(dataDir, databaseUrl);
    await migrate(databaseUrl, logins);
    const temporal = await startTemporal(supervisor, options, ports);
    const started = systemOf(options, { ports, databaseUrl, logins, temporal });
    await supervisor.supervise(ours('simulator', 'simulator/main.ts', started));
    await Promise.all([
      supervisor.supervise(ours('worker', 'worker/main.ts', started)),
      supervisor.supervise(ours('api', 'api/main.ts', started)),
    ]);
    system = { ...started, processes: () => supervisor.processes, stop: () => supervisor.stop() };
    return system;
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
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

/** One of our own processes: it logs to a file, and stops when this process stops. */
function ours(name: string, entry: string, { dataDir, env }: DevelopmentSystem): Service {
  return {
    name,
    stopSignal: 'SIGTERM',
    isServer: false,
    start: (spawned) =>
      new Promise((resolve, reject) => {
        const log = openSync(join(dataDir, `${name}.log`), 'a');
        // No process of ours runs as the database's owner.
        const { DATABASE_URL: _, ...own } = process.env;
        const child = fork(join(root, entry), [], {
          stdio: ['ignore', log, log, 'ipc'],
          execArgv: [...memory.flags],
          env: {
            ...own,
            ...env,
            ...(name === 'worker' && memory.workerEnvironment),
            ...(name === 'api' && { RELAY_DATABASE_URL: undefined }),
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
    const isOurs = line.includes(dataDir) || line.includes(postgresData(dataDir)) || line.includes(join(root, `${name}/main.ts`));
    if (!isOurs) continue;
    printProgress(`Stopping ${name} of an earlier start.`);
    process.kill(pid, name === 'postgres' ? 'SIGINT' : 'SIGTERM');
    for (let i = 0; i < 100 && commandLine(pid) !== ''; i++) await sleep(50);
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
