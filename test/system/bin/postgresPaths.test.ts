/** A clone below a folder that only its owner may enter: root's home is the commonest first try, and Postgres does not run as root. */
import { afterEach, expect, test } from '@jest/globals';
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { type PostgresPaths, postgresPaths, removePostgresData } from '../../../bin/dev/postgresPaths.ts';
import { freePort } from '../../../bin/dev/ports.ts';
import { databaseUrl, initialisePostgres, postgresAnswers, spawnPostgres } from '../../../bin/dev/postgres.ts';

const isRoot = process.getuid?.() === 0;
const folders: string[] = [];
/** A folder in a parent of this mode. */
function folder(mode: number): string {
  const parent = mkdtempSync(join(tmpdir(), 'sangjeom-paths-'));
  folders.push(parent);
  const dir = join(parent, 'data');
  mkdirSync(dir);
  chmodSync(parent, mode);
  return dir;
}
afterEach(() => {
  for (const parent of folders.splice(0)) {
    removePostgresData(join(parent, 'data'));
    rmSync(parent, { recursive: true, force: true });
  }
});

async function running<T>(paths: PostgresPaths, work: (client: Client) => Promise<T>): Promise<T> {
  await initialisePostgres(paths);
  const port = await freePort(26_500);
  const server = spawnPostgres(paths, port, { durable: false });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  await postgresAnswers(databaseUrl(port));
  const client = new Client({ connectionString: databaseUrl(port) });
  await client.connect();
  const result = await work(client);
  await client.end();
  server.kill('SIGINT');
  await ended;
  return result;
}

test('Postgres runs in a closed folder until a fresh start', async () => {
  const dir = folder(0o700);
  const paths = await postgresPaths(dir);
  await running(paths, (client) => client.query('CREATE TABLE kept AS SELECT 1 AS one'));
  const again = await postgresPaths(dir);
  expect(again).toEqual(paths);
  expect(await running(again, async (client) => (await client.query('SELECT one FROM kept')).rows)).toEqual([{ one: 1 }]);
  // Nobody but Postgres reads the data, wherever it is; no password is left lying about.
  expect(statSync(paths.data).mode & 0o777).toBe(0o700);
  expect(lstatSync(join(dir, 'postgres')).isSymbolicLink()).toBe(isRoot);
  removePostgresData(dir);
  expect([existsSync(paths.data), existsSync(join(dir, 'postgres'))]).toEqual([false, false]);
  expect(
    await running(await postgresPaths(dir), async (client) => (await client.query(`SELECT to_regclass('kept') AS name`)).rows),
  ).toEqual([{ name: null }]);
}, 60_000);

test('the data of a folder that is closed later comes along', async () => {
  const dir = folder(0o755);
  const paths = await postgresPaths(dir);
  expect(paths.data).toBe(join(dir, 'postgres'));
  await running(paths, (client) => client.query('CREATE TABLE kept AS SELECT 1 AS one'));
  chmodSync(dirname(dir), 0o700);
  const closed = await postgresPaths(dir);
  expect(closed.data === paths.data).toBe(!isRoot);
  expect(await running(closed, async (client) => (await client.query('SELECT one FROM kept')).rows)).toEqual([{ one: 1 }]);
}, 60_000);

test('programs that Postgres’ user cannot reach are run from a copy that only root may change', async () => {
  const packaged = (await postgresPaths(folder(0o755))).programs;
  const native = join(folder(0o700), 'native');
  cpSync(join(packaged, '..'), native, { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(native, '../package.json'), JSON.stringify({ name: 'x', version: `test-${process.pid}` }));
  const paths = await postgresPaths(folder(0o755), join(native, 'bin'));
  expect(paths.programs === join(native, 'bin')).toBe(!isRoot);
  expect(await running(paths, async (client) => (await client.query('SELECT 1 AS one')).rows)).toEqual([{ one: 1 }]);
  if (!isRoot) return;
  const copy = dirname(paths.programs);
  for (const path of [copy, paths.programs, join(paths.programs, 'postgres'), dirname(copy)])
    expect([path, statSync(path).uid, statSync(path).mode & 0o022]).toEqual([path, 0, 0]);
  rmSync(copy, { recursive: true });
}, 60_000);
