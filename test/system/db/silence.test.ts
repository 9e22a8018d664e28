/**
 * A process that vanishes takes its locks with it. Its connection is not closed: it falls silent, and TCP's keepalives are
 * still answered, so only what Postgres itself ends is ended.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client as Temporal, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { root } from '../../../bin/kernel/paths.ts';
import { realClock } from '../../../db/kernel/clock.ts';
import { createLog } from '../../../db/kernel/log.ts';
import { isOutage } from '../../../db/kernel/outage.ts';
import { migrate } from '../../../db/migrate.ts';
import { openOrm } from '../../../db/orm.ts';
import { inTenant, REQUEST } from '../../../db/kernel/tx.ts';
import { openRelayPool } from '../../../worker/pool.ts';
import { Attempts } from '../../../activities/kernel/attempts.ts';
import { Pressure } from '../../../worker/pressure.ts';
import { runRelay } from '../../../worker/relay.ts';
import { createDatabase, migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { type SilentProxy, silentProxy } from '../../kernel/proxy.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';
import { tenancy } from '../../kernel/tenancy.ts';

const log = createLog('test', 'fatal');
let proxy: SilentProxy;
beforeAll(async () => {
  proxy = await silentProxy(underTest.databaseUrl);
});
afterAll(() => proxy.close());

/** A connection through the network that will fall silent, with nothing set by itself. */
async function open(url: string): Promise<Client> {
  const client = new Client({ connectionString: proxy.through(url) });
  client.on('error', () => {});
  await client.connect();
  return client;
}

describe('a client that holds the locks of a store and falls silent', () => {
  let shop: World;
  beforeAll(async () => {
    shop = await world();
    await shop.order();
  });
  const FEED = `SELECT write_feed(current_setting('app.store_id'), now(), '{}', '{}', '[]', NULL, NULL)`;
  const HOLDING = [
    ['between two statements', 'SELECT 1'],
    ['while a statement runs', 'SELECT pg_sleep(60)'],
    ['while an answer is on its way that nobody takes', `SELECT repeat('x', 1000000) FROM generate_series(1, 100)`],
  ] as const;
  test.each(HOLDING)('%s: the store works again within ten seconds', async (_, statement) => {
    const client = await open(roleUrl(underTest.databaseUrl, 'sangjeom_app'));
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const holds = async (state: string) =>
      (await query('SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state = $2', [rows[0]!.pid, state])).length === 1;
    await client.query('BEGIN');
    await client.query(`SELECT set_config('app.store_id', $1, true)`, [shop.store.storeId]);
    await client.query('SELECT 1 FROM store FOR UPDATE');
    // The store's row in the feed: every change of an order waits for it.
    await client.query(FEED);
    const product = await query<{ product_id: string }>('SELECT product_id FROM product WHERE store_id = $1', [shop.store.storeId]);
    const waiting = new Client({ connectionString: roleUrl(underTest.databaseUrl, 'sangjeom_app') });
    await waiting.connect();
    await waiting.query(`SELECT set_config('app.store_id', $1, false)`, [shop.store.storeId]);
    await expect(waiting.query(`SET lock_timeout = 100; ${FEED}`)).rejects.toThrow('lock timeout');
    await waiting.end();
    client.query(statement).catch(() => {});
    if (statement === 'SELECT 1') await until('it idles', () => holds('idle in transaction'));
    else await until('it runs', () => holds('active'));
    proxy.silence();
    await until(
      'the store changes and sells',
      async () => {
        const changed = await shop.seller.call('PATCH', `/v1/products/${product[0]!.product_id}`, { name: `목도리 ${Date.now()}` });
        return changed.status === 200 && (await shop.seller.call('POST', '/v1/categories', { name: '새 분류' })).status === 201;
      },
      10_000,
    );
    expect((await shop.item((await shop.order({ productId: product[0]!.product_id })).orderItemId)).status).toBe('PAID');
  });
});

describe('a lock that belongs to a session', () => {
  test('is released when the worker or migration that holds it falls silent', async () => {
    const url = await migratedDatabase('silence');
    const reconciler = async () => {
      const [held, next] = [await open(roleUrl(url, 'sangjeom_relay')), new Client({ connectionString: roleUrl(url, 'sangjeom_relay') })];
      await next.connect();
      const take = async (client: Client) =>
        (await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock(7265002) AS mine')).rows[0]!.mine;
      expect([await take(held), await take(next)]).toEqual([true, false]);
      return async () => {
        await until('another worker has it', () => take(next), 40_000);
        await next.end();
      };
    };
    const migration = async () => {
      const empty = await createDatabase('silence');
      const watching = new Client({ connectionString: empty });
      await watching.connect();
      const child: ChildProcess = spawn(process.execPath, [join(root, 'bin/ops/migrate.ts')], {
        env: { ...process.env, ...underTest.env, DATABASE_URL: proxy.through(empty) },
        stdio: 'ignore',
      });
      await until('it migrates', async () => {
        const { rowCount } = await watching.query(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database
           WHERE datname = current_database())`,
        );
        return rowCount === 1;
      });
      return async () => {
        await migrate(empty);
        expect((await watching.query('SELECT 1 FROM mikro_orm_migrations')).rowCount).toBeGreaterThan(7);
        child.kill('SIGKILL');
        await watching.end();
      };
    };
    const others = [await reconciler(), await migration()];
    proxy.silence();
    await Promise.all(others.map((other) => other()));
  }, 90_000);
});

describe('a process whose connections fall silent', () => {
  test('works again on new ones, and reports an outage until then', async () => {
    const url = await migratedDatabase('silence');
    const relayUrl = proxy.through(roleUrl(url, 'sangjeom_relay'));
    const pool = openRelayPool(relayUrl, log);
    const orm = await openOrm(proxy.through(roleUrl(url, 'sangjeom_app')), 4);
    const temporal = new Temporal({ connection: await Connection.connect({ address: underTest.temporalAddress }) });
    const stopping = new AbortController();
    const deps = {
      pool,
      client: temporal,
      clock: realClock,
      log,
      signal: stopping.signal,
      pressure: new Pressure(),
      attempts: new Attempts(),
    };
    const relay = runRelay(deps);
    const ears = () =>
      query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND query IN ('LISTEN outbox', 'SELECT 1') ORDER BY backend_start DESC`,
        [new URL(url).pathname.slice(1)],
      );
    const before = (await until('it listens', async () => (await ears()).length > 0 && ears()))[0]!.pid;
    const request = () => inTenant(orm, tenancy('sto_none'), REQUEST, ({ sql }) => sql`SELECT 1 AS one`);
    await Promise.all([request(), request(), request(), request()]);
    proxy.silence();
    // Every connection of the pool is dead: each is found out once.
    const failures = (await Promise.allSettled([request(), request(), request(), request()])).flatMap((one) =>
      one.status === 'rejected' ? [one.reason] : [],
    );
    expect(failures.map(isOutage)).toEqual(failures.map(() => true));
    expect(await Promise.all([request(), request(), request(), request()])).toHaveLength(4);
    await until('it listens anew', async () => (await ears()).some(({ pid }) => pid !== before) && ears(), 30_000);

    await expect(
      inTenant(orm, tenancy('sto_none'), REQUEST, async ({ sql }) => {
        const [{ pid } = { pid: 0 }] = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`;
        await until(
          'it has idled too long',
          async () => (await query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).length === 0,
        );
        return sql`SELECT 1`;
      }).catch((error: unknown) => Promise.reject(new Error(isOutage(error) ? 'an outage' : String(error)))),
    ).rejects.toThrow('an outage');
    stopping.abort();
    await relay;
    await temporal.connection.close();
    await orm.close();
  }, 90_000);
});

test('what ends them is set on the roles in the database', async () => {
  for (const role of ['sangjeom_app', 'sangjeom_relay'] as const) {
    const client = new Client({ connectionString: roleUrl(underTest.databaseUrl, role) });
    await client.connect();
    const show = async (name: string) =>
      (await client.query<{ value: string }>('SELECT current_setting($1) AS value', [name])).rows[0]!.value;
    const seen = await Promise.all(
      [
        'idle_in_transaction_session_timeout',
        'tcp_keepalives_idle',
        'tcp_user_timeout',
        'client_connection_check_interval',
        'lock_timeout',
      ].map(show),
    );
    expect(seen).toEqual(['5s', '5', '5000', '1s', '2s']);
    expect(await show('statement_timeout')).not.toBe('0');
    await client.end();
  }
});
