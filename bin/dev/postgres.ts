/** The embedded Postgres: initialised once, then run as a child process that can be killed and restarted. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { PostgresPaths } from './postgresPaths.ts';
import { UserError, withProgress } from '../kernel/cli.ts';

const USER = 'postgres';
const PASSWORD = 'sangjeom-development';

export const databaseUrl = (port: number, database = 'postgres'): string => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`;

/** Creates the cluster's files if there are none. An incomplete folder of a killed first start is replaced. */
export async function initialisePostgres(paths: PostgresPaths): Promise<void> {
  const { data, programs, user } = paths;
  if (existsSync(join(data, 'PG_VERSION')) && existsSync(join(data, '.complete'))) return;
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { recursive: true });
  // A file, because process arguments are visible to other users; its name is unpredictable.
  const secret = `${data}-${randomBytes(8).toString('hex')}`;
  writeFileSync(secret, PASSWORD, { mode: 0o600, flag: 'wx' });
  if (user) for (const path of [data, secret]) chownSync(path, user.uid, user.gid);
  const flags = ['--auth=password', `--username=${USER}`, `--pwfile=${secret}`, '--encoding=UTF8', '--locale=C.UTF-8', '--lc-messages=C'];
  const making = promisify(execFile)(executable(programs, 'initdb'), ['-D', data, ...flags], { ...user, cwd: '/' });
  await withProgress('Creating the Postgres data folder', making).finally(() => rmSync(secret, { force: true }));
  mkdirSync(join(data, '.complete'));
}

/** Starts the server process. */
export function spawnPostgres({ data, programs, user }: PostgresPaths, port: number, options: { durable: boolean }): ChildProcess {
  const settings = [
    'max_connections=200',
    'shared_buffers=256MB',
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'log_min_messages=fatal',
    ...(options.durable ? [] : ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']),
  ].flatMap((setting) => ['-c', setting]);
  return spawn(executable(programs, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
    ...user,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'ignore'],
    detached: true,
  });
}

/** Makes a program executable: some package installers lose the mode. */
function executable(programs: string, name: string): string {
  const path = join(programs, name);
  if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755);
  return path;
}

/** Resolves once the server answers; throws a UserError after `timeoutMs`. */
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
        throw new UserError(`Postgres at ${new URL(url).host} does not answer (${String(error)}): start it, or correct DATABASE_URL.`);
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
