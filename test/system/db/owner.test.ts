/** A database whose owner is no superuser, as hosted Postgres gives one: row security is forced on the owner too. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { root } from '../../../bin/kernel/paths.ts';
import { freePort } from '../../../bin/dev/ports.ts';
import { postgresPaths } from '../../../bin/dev/postgresPaths.ts';
import { databaseUrl, initialisePostgres, postgresAnswers, spawnPostgres } from '../../../bin/dev/postgres.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { underTest } from '../../kernel/world.ts';

const dir = mkdtempSync(join(tmpdir(), 'sangjeom-owner-'));
chmodSync(dir, 0o755);
const SEALING_KEYS = ['fresh', 'old'].map((kid) => `${kid}:${randomBytes(32).toString('base64')}`).join();
let server: ChildProcess;
let superuser: string;
let urls: Readonly<Record<'DATABASE_URL' | 'APP_DATABASE_URL' | 'RELAY_DATABASE_URL', string>>;

beforeAll(async () => {
  const port = await freePort(24_500);
  const places = await postgresPaths(dir);
  await initialisePostgres(places);
  server = spawnPostgres(places, port, { durable: false });
  superuser = databaseUrl(port);
  await postgresAnswers(superuser);
  const client = new Client({ connectionString: superuser });
  await client.connect();
  await client.query(`CREATE ROLE plain LOGIN CREATEROLE PASSWORD 'plain'`);
  await client.query('CREATE DATABASE shop OWNER plain');
  await client.end();
  const url = (user: string, password: string) => `postgres://${user}:${password}@127.0.0.1:${port}/shop`;
  urls = {
    DATABASE_URL: url('plain', 'plain'),
    APP_DATABASE_URL: url('sangjeom_app', 'app-secret'),
    RELAY_DATABASE_URL: url('sangjeom_relay', 'relay-secret'),
  };
}, 60_000);
afterAll(async () => {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGINT');
  await ended;
  rmSync(dir, { recursive: true, force: true });
});

const command = async (file: string, ...args: readonly string[]): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(root, 'bin/ops', file), ...args], {
    env: { ...process.env, ...urls, SEALING_KEYS, TEMPORAL_ADDRESS: underTest.temporalAddress, DATA_DIR: dir },
  }).catch((error: unknown) => error as { stdout: string; stderr: string });
  return stdout + stderr;
};
const as = async <Row extends object>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row & Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
};

test('migrates it, and reads no store’s rows', async () => {
  for (let times = 0; times < 2; times++) expect(await command('migrate.ts')).toContain('The database is up to date.');
  expect(JSON.parse(await command('store.ts', 'create', '--code', 'acme', '--owner', 'owner@acme.example'))).toMatchObject({
    storeCode: 'acme',
  });
  expect(await command('store.ts', 'fill', '--code', 'acme', '--products', '3', '--variants', '2')).toContain('3 of 3 products');
  for (const url of [urls.APP_DATABASE_URL, urls.RELAY_DATABASE_URL]) expect(await as(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(await as(superuser, `SELECT rolname FROM pg_roles WHERE rolname LIKE 'sangjeom%' AND (rolsuper OR rolbypassrls)`)).toEqual([]);
  expect(await as(urls.DATABASE_URL, 'SELECT 1 FROM product')).toEqual([]);
  urls = { ...urls, APP_DATABASE_URL: urls.APP_DATABASE_URL.replace('app-secret', 'other-secret') };
  expect(await command('migrate.ts')).toContain('up to date');
  expect(await as(urls.APP_DATABASE_URL, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
}, 60_000);

test('its triggers write the audit log for the app, in its own store', async () => {
  const [{ store_id: storeId }] = (await as<{ store_id: string }>(urls.DATABASE_URL, `SELECT store_id FROM lookup_store('acme')`)) as [
    { store_id: string },
  ];
  const app = new Client({ connectionString: urls.APP_DATABASE_URL });
  await app.connect();
  try {
    const origin = (name: string | null) => JSON.stringify({ at: 1_800_000_000_000, actor: { type: 'APP', id: 'cli_x', name } });
    await app.query(`SELECT set_config('app.store_id', $1, false), set_config('app.origin', $2, false)`, [storeId, origin(null)]);
    await app.query(`UPDATE member SET role = 'ADMIN'`);
    await app.query(`SELECT set_config('app.origin', '', false)`);
    await app.query(`UPDATE member SET role = 'OWNER'`);
    const { rows } = await app.query(
      'SELECT store_id, action, actor_name, created_at > to_timestamp(1799999999) AS given FROM audit_domain',
    );
    const record = { store_id: storeId, action: 'MEMBER_ROLE_CHANGED' };
    expect(rows).toEqual([
      { ...record, actor_name: 'cli_x', given: true },
      { ...record, actor_name: 'SYSTEM', given: false },
    ]);
  } finally {
    await app.end();
  }
}, 60_000);

test('support works in every store without reading buyers', async () => {
  const [{ store_id: storeId }] = (await as<{ store_id: string }>(urls.DATABASE_URL, `SELECT store_id FROM lookup_store('acme')`)) as [
    { store_id: string },
  ];
  const client = new Client({ connectionString: superuser.replace(/\/[^/]*$/, '/shop') });
  await client.connect();
  await client.query(`SET session_replication_role = replica`);
  await client.query(
    `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, order_no, created_at)
     VALUES ($1, $2, 'payment', 'pay_1', '20261122000001', now())`,
    [storeId, `payment/${storeId}/pay_1`],
  );
  await client.query(
    `INSERT INTO payment (store_id, payment_id, checkout_id, order_no, status, result, lines, amounts, delivery, total_won, return_url,
     buyer,
       current_attempt_id, attempt_count, test_payment, expires_at, created_at, started_at)
     VALUES ($1, 'pay_1', 'c', '20261122000001', 'completed', 'COMPLETED', '[]', '{}', '{}', 1000, '', '{}', '', 1, true, now(), now(),
       now())`,
    [storeId],
  );
  await client.query(
    `INSERT INTO refund (store_id, refund_id, payment_id, order_id, order_item_id, amount_won, cause, status, failure_code, created_at)
     VALUES ($1, 'rfd_1', 'pay_1', 'o', 'i', 1000, 'CANCEL', 'FAILED', 'X', now())`,
    [storeId],
  );
  await client.end();
  expect(JSON.parse(await command('support.ts', 'find', '20261122000001', '--json'))).toMatchObject([
    { store_code: 'acme', entity_id: 'pay_1' },
  ]);
  const explained = await command('support.ts', 'explain', 'rfd_1');
  expect(explained).toContain('The payment of 1000 won is completed (COMPLETED).');
  expect(explained).toContain('Refund rfd_1 of 1000 won was refused by the provider (X)');
  expect(await command('support.ts', 'refunds')).toContain('rfd_1  1000 won  FAILED');
  expect(await command('support.ts', 'retry', 'rfd_1')).toContain('is asked for again, under a new key');
  const operator = `${urls.DATABASE_URL}?options=-c%20role%3Dsangjeom_operator`;
  for (const secret of [
    'SELECT buyer FROM orders',
    'SELECT buyer FROM payment',
    'SELECT * FROM customer',
    'UPDATE refund SET status = $$DONE$$',
  ])
    await expect(as(operator, secret)).rejects.toThrow('permission denied');
}, 60_000);

test('rotates keys in every store', async () => {
  expect(await command('keys.ts', 'signing')).toContain('is published as the next key');
  const [{ store_id: storeId }] = (await as<{ store_id: string }>(urls.DATABASE_URL, `SELECT store_id FROM lookup_store('acme')`)) as [
    { store_id: string },
  ];
  const location = { store: storeId, table: 'webhook', row: 'w', column: 'secret' };
  const old = createKeyring(SEALING_KEYS.split(',')[1]!);
  await as(
    superuser.replace(/\/[^/]*$/, '/shop'),
    `INSERT INTO webhook (store_id, webhook_id, url, event_types, status, secret_sealed, secret_prefix, created_at)
     VALUES ($1, 'w', 'https://x', '{}', 'ACTIVE', $2, 'whsec_x', now())`,
    [storeId, old.seal('the secret', location)],
  );
  expect(await command('keys.ts', 'sealing')).toContain('webhook.secret_sealed: 1 sealed anew');
  expect(await command('keys.ts', 'sealing')).toContain('webhook.secret_sealed: 0 sealed anew');
}, 60_000);
