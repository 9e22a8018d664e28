/** Which runs the reconciler brings back: those that were lost, not those that wait for their turn; however many are open. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Pool, type PoolClient } from 'pg';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { realClock } from '../../../db/kernel/clock.ts';
import { createLog } from '../../../db/kernel/log.ts';
import { Pressure } from '../../../worker/pressure.ts';
import { Recovery } from '../../../worker/recovery.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { temporalClient, underTest, world } from '../../kernel/world.ts';

test('a run whose start is still in the outbox is left to the relay', async () => {
  const client = new Client({ connectionString: underTest.databaseUrl });
  await client.connect();
  const { storeId } = (await world()).store;
  await client.query('BEGIN');
  const values = [storeId, `webhook/${storeId}/waits`];
  await client.query(
    `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, wake_at, created_at)
     VALUES ($1, $2, 'webhookDelivery', 'waits', now() - interval '1 hour', now() - interval '1 hour')`,
    values,
  );
  await client.query(
    `INSERT INTO outbox (store_id, message, workflow_type, workflow_id, entity_id, created_at)
     VALUES ($1, 'start', 'webhookDelivery', $2, 'waits', now())`,
    values,
  );
  const overdue = async (leftOut: string) => {
    const { rows } = await client.query<{ entity_id: string }>('SELECT entity_id FROM lookup_overdue_runs(now(), 10000, $1)', [leftOut]);
    return rows.some((row) => row.entity_id === 'waits');
  };
  expect(await overdue('')).toBe(false);
  await client.query('DELETE FROM outbox WHERE store_id = $1 AND workflow_id = $2', values);
  expect(await overdue('')).toBe(true);
  expect(await overdue('webhookDelivery')).toBe(false);
  await client.query('ROLLBACK');
  await client.end();
});

const OPEN = Number(process.env['OPEN_RUNS'] ?? 50_000);

describe(`with ${OPEN} open runs and as many that are done`, () => {
  let owner: Client;
  let pool: Pool;
  let tx: PoolClient;
  let storeId = '';
  let aheadId = '';
  beforeAll(async () => {
    const url = await migratedDatabase('overdue');
    ({ storeId } = await makeStore(url, { code: 'many', name: 'n', sandbox: false, withProduct: false }));
    ({ storeId: aheadId } = await makeStore(url, { code: 'ahead', name: 'n', sandbox: true, withProduct: false }));
    owner = new Client({ connectionString: url });
    await owner.connect();
    await owner.query(`UPDATE store SET clock_offset_ms = 86400000 WHERE store_id = $1`, [aheadId]);
    await owner.query(
      `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, wake_at, loaded_at, done_at, created_at)
       SELECT $1, 'order-item/' || $1 || '/' || n, 'orderItem', n, now() + interval '3 days' + n * interval '1 second',
         now() - interval '2 days', CASE WHEN n > $2 THEN now() END, now() - interval '2 days' FROM generate_series(1, 2 * $2::int) n`,
      [storeId, OPEN],
    );
    await owner.query('ANALYZE');
    pool = new Pool({ connectionString: roleUrl(url, 'sangjeom_relay'), max: 1 });
    tx = await pool.connect();
  }, 150_000);
  afterAll(async () => {
    tx.release(true);
    await pool.end();
    await owner.end();
  });

  /** Rows of `run` that a piece of work reads, whether by index or by scanning the table. */
  async function rowsRead(work: () => Promise<unknown>): Promise<number> {
    await tx.query('BEGIN');
    await work();
    const { rows } = await tx.query<{ read: string }>(
      `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_xact_user_tables WHERE relname = 'run'`,
    );
    await tx.query('COMMIT');
    return Number(rows[0]!.read);
  }
  const overdue = async () =>
    (await tx.query<{ entity_id: string }>(`SELECT entity_id FROM lookup_overdue_runs(now(), 200, '')`)).rows.map((row) => row.entity_id);

  test('the lookup reads what it finds, not what is open', async () => {
    const read = await rowsRead(async () => expect(await overdue()).toEqual([]));
    expect(read).toBeLessThan(100);
    await owner.query(`UPDATE run SET wake_at = now() - interval '2 minutes' WHERE entity_id = '7'`);
    await owner.query(`UPDATE run SET loaded_at = NULL WHERE entity_id = '8'`);
    await owner.query(
      `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, wake_at, loaded_at, created_at)
       VALUES ($1, 'a', 'orderItem', 'ahead', now() + interval '23 hours', now(), now()),
         ($1, 'b', 'orderItem', 'in time', now() + interval '25 hours', now(), now())`,
      [aheadId],
    );
    expect(await rowsRead(async () => expect((await overdue()).toSorted()).toEqual(['7', '8', 'ahead']))).toBeLessThan(100);
  });
  test('runs that were woken are not read again within their gap', async () => {
    await owner.query(
      `UPDATE run SET wake_at = now() - interval '1 hour', woken_at = now(), wakes = 3, grace_from = now() + interval '210 seconds'
       WHERE done_at IS NULL`,
    );
    await owner.query('VACUUM ANALYZE run');
    expect(await rowsRead(async () => expect(await overdue()).toEqual([]))).toBeLessThan(100);
    await owner.query(
      `UPDATE run SET woken_at = now() - interval '1 hour', grace_from = now() - interval '30 minutes' WHERE done_at IS NULL`,
    );
    await owner.query('VACUUM ANALYZE run');
    expect(await rowsRead(async () => expect(await overdue()).toHaveLength(200))).toBeLessThan(1000);
  });

  test('a new Temporal database has the runs marked a portion at a time', async () => {
    const { marked, recovery } = await recovering();
    expect(await rowsRead(() => recovery.step(tx))).toBeLessThan(2000);
    const first = await marked();
    expect(first).toBe(400);
    // Nobody has loaded them: no more is marked.
    for (let i = 0; i < 3; i++) expect(await recovery.step(tx)).toBe(true);
    expect(await marked()).toBe(first);
    await owner.query(`UPDATE run SET loaded_at = now() WHERE loaded_at IS NULL AND done_at IS NULL`);
    await recovery.step(tx);
    expect(await marked()).toBe(400);
  });
  test('a crash between portions marks no run twice', async () => {
    const { marked, recovery, cursor, anotherDatabase } = await recovering();
    await recovery.step(tx);
    const after = await cursor();
    const next = (await recovering(false)).recovery;
    await next.step(tx);
    expect(await marked()).toBe(800);
    expect((await cursor())! > after!).toBe(true);
    await anotherDatabase();
    await owner.query(`UPDATE run SET loaded_at = now() WHERE done_at IS NULL`);
    await next.step(tx);
    expect(await cursor()).toBe(after);
    // The rest by leaps, as if most of them had been marked.
    const { rows } = await owner.query<{ store_id: string; workflow_id: string }>(
      'SELECT store_id, workflow_id FROM run WHERE done_at IS NULL ORDER BY store_id DESC, workflow_id DESC OFFSET 100 LIMIT 1',
    );
    await owner.query('UPDATE temporal_namespace SET recovery_store = $1, recovery_run = $2', [rows[0]!.store_id, rows[0]!.workflow_id]);
    await owner.query(`UPDATE run SET loaded_at = now() WHERE done_at IS NULL`);
    expect(await next.step(tx)).toBe(true);
    expect(await marked()).toBe(100);
    await owner.query(`UPDATE run SET loaded_at = now() WHERE done_at IS NULL`);
    expect(await next.step(tx)).toBe(false);
    expect(await cursor()).toBe(null);
    expect(await next.step(tx)).toBe(false);
    expect(await marked()).toBe(0);
  });

  async function recovering(isNew = true) {
    const client = await temporalClient();
    const recovery = new Recovery({
      client,
      namespace: 'default',
      clock: realClock,
      log: createLog('test', 'silent'),
      pressure: new Pressure(),
    });
    const anotherDatabase = () => owner.query(`UPDATE temporal_namespace SET namespace_id = 'of a database that is gone'`);
    if (isNew) {
      await owner.query(`INSERT INTO temporal_namespace VALUES ('default', 'x') ON CONFLICT DO NOTHING`);
      await anotherDatabase();
      await owner.query(`UPDATE run SET loaded_at = now() WHERE done_at IS NULL`);
      await owner.query('VACUUM ANALYZE run');
    }
    const marked = async () =>
      Number((await owner.query(`SELECT count(*) AS n FROM run WHERE loaded_at IS NULL AND done_at IS NULL`)).rows[0].n);
    const cursor = async () =>
      (await owner.query<{ recovery_run: string | null }>('SELECT recovery_run FROM temporal_namespace')).rows[0]!.recovery_run;
    return { recovery, marked, cursor, anotherDatabase };
  }
});
