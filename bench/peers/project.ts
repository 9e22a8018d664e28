/** Another system as a child process, on a Postgres of its own that is made, set and started like ours. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../bin/dev/ports.ts';
import { removePostgresData } from '../../bin/dev/postgresPaths.ts';
import { Supervisor } from '../../bin/dev/supervise.ts';
import { startEmbeddedPostgres } from '../../bin/dev/system.ts';
import { UserError, withProgress } from '../../bin/kernel/cli.ts';
import { analyze } from './analyze.ts';
import { execute, install, logOf } from './install.ts';
import type { Shop, Visits } from './shop.ts';

interface Address {
  readonly databaseUrl: string;
  readonly port: string;
  /** Where seeding writes what the client has to know. */
  readonly seeded: string;
}
export interface Project {
  readonly name: string;
  readonly env: (address: Address) => Readonly<Record<string, string>>;
  /** Arguments of Node, in the project's folder: its schema and its products, in this order. */
  readonly seed: (address: Address) => readonly (readonly string[])[];
  readonly serve: (address: Address) => readonly string[];
  /** `seeded` is the content of the file. */
  readonly visits: (base: string, seeded: unknown) => Visits;
}

export async function startProject(project: Project, firstPort: number, onStarting: (stop: () => Promise<void>) => void): Promise<Shop> {
  const { name } = project;
  const folder = await install(name);
  const dir = mkdtempSync(join(tmpdir(), `sangjeom-${name}-`));
  // When we are root, Postgres runs as another user, who needs access to the folder.
  chmodSync(dir, 0o755);
  const supervisor = new Supervisor(() => {});
  const stop = async () => {
    await supervisor.stop();
    removePostgresData(dir);
    rmSync(dir, { recursive: true, force: true });
  };
  onStarting(stop);
  try {
    const port = await freePort(firstPort);
    const databaseUrl = await startEmbeddedPostgres(supervisor, { dataDir: dir, durable: true }, await freePort(port + 1));
    const address: Address = { databaseUrl, port: String(port), seeded: join(dir, 'seeded.json') };
    // Nothing of this shell's environment changes how it runs.
    const options = { cwd: folder, env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...project.env(address) } };
    const fill = async () => {
      for (const args of project.seed(address)) await execute(name, process.execPath, args, options);
    };
    await withProgress(`Filling ${name}`, fill());
    await analyze(databaseUrl);
    const base = `http://127.0.0.1:${port}`;
    await supervisor.supervise({
      name,
      stopSignal: 'SIGTERM',
      isServer: false,
      async start(spawned) {
        const log = openSync(logOf(name), 'a');
        const child = spawn(process.execPath, project.serve(address), { ...options, stdio: ['ignore', log, log], detached: true });
        spawned(child);
        const died = once(child, 'exit').then(([code]) => new UserError(`${name} ended with code ${code}: see ${logOf(name)}.`));
        const failure = await Promise.race([answers(`${base}/health`), died]);
        if (failure) throw failure;
      },
    });
    return { ...project.visits(base, JSON.parse(readFileSync(address.seeded, 'utf8'))), processes: () => supervisor.processes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function answers(url: string): Promise<UserError | null> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(200)) {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => null);
    if (response?.ok) return null;
  }
  return new UserError(`${url} does not answer.`);
}
