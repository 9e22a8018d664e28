/**
 * Tables by day, the audit log's requests by month: a look-up by id reads one partition, and what is over 30 days old, of the request log
 * and visits 7 and of the audit log thirteen months, goes with its partition.
 */
import { expect, test } from '@jest/globals';
import { Client } from 'pg';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { newId } from '../../../db/kernel/clock.ts';
import { maintainPartitions } from '../../../db/kernel/partitions.ts';
import { migrate } from '../../../db/migrate.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';

const NOW = Date.now();

test('are maintained by the relay’s role from a week ahead to a day after the thirty', async () => {
  const url = await migratedDatabase('partitions');
  const { storeId } = await makeStore(url, { code: 'parts', name: 'n', sandbox: false, withProduct: false });
  const relay = new Client({ connectionString: roleUrl(url, 'sangjeom_relay') });
  const app = new Client({ connectionString: roleUrl(url, 'sangjeom_app') });
  await Promise.all([relay.connect(), app.connect()]);
  await app.query(`SELECT set_config('app.store_id', $1, false)`, [storeId]);
  const add = async (at: number) => {
    const eventId = newId('evt', at);
    await app.query(`INSERT INTO event (store_id, event_id, event_no, type, body, created_at) VALUES ($1, $2, 1, 'ORDER.PAID', '{}', $3)`, [
      storeId,
      eventId,
      new Date(at),
    ]);
    return eventId;
  };
  const partOf = async (eventId: string) =>
    (await app.query<{ part: string }>('SELECT tableoid::regclass::text AS part FROM event WHERE event_id = $1', [eventId])).rows[0]?.part;
  const day = (at: number) => `event_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`;
  // Forty days of life, a day at a time.
  const made: { at: number; eventId: string }[] = [];
  for (let n = 0; n <= 40; n++) {
    const at = NOW + n * DAY;
    await maintainPartitions(relay, at);
    made.push({ at, eventId: await add(at) });
  }
  const after = NOW + 40 * DAY;
  expect(await maintainPartitions(relay, after)).toEqual({ made: [], dropped: [], failed: [] });
  // A day goes when all of it is over 31 days old.
  const isRetained = (at: number) => (Math.floor(at / DAY) + 1) * DAY > after - 31 * DAY;
  for (const { at, eventId } of made.slice(1)) expect(await partOf(eventId)).toBe(isRetained(at) ? day(at) : undefined);
  const { rows } = await relay.query<{ table: string; parts: number; forced: boolean }>(
    `SELECT i.inhparent::regclass::text AS table, count(*)::int AS parts, bool_and(c.relforcerowsecurity) AS forced
     FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE c.relkind = 'r' AND i.inhparent <> 'audit_request'::regclass
     GROUP BY 1 ORDER BY 1`,
  );
  // 31 or 7 days and today, seven ahead, and the one for what fits nowhere.
  const parts = { api_request_log: 16, event: 40, visit_event: 16, webhook_delivery: 40 };
  expect(rows).toEqual(Object.entries(parts).map(([table, parts]) => ({ table, parts, forced: true })));
  const plan = await app.query<{ 'QUERY PLAN': string }>(
    `EXPLAIN SELECT body FROM event WHERE store_id = '${storeId}' AND event_id = '${made[40]!.eventId}'`,
  );
  const scanned = plan.rows.map((row) => row['QUERY PLAN']).filter((line) => /Scan .*on event_/.test(line));
  expect(scanned).toHaveLength(1);
  // Nobody reads a partition past its table's row security.
  await expect(app.query(`SELECT * FROM ${day(after)}`)).rejects.toThrow(/permission denied/);
  await expect(relay.query(`SELECT add_partition('orders', 'x', 'a', 'b')`)).rejects.toThrow('not a partitioned table');
  await expect(relay.query(`SELECT drop_partition('event', 'orders')`)).rejects.toThrow('not a partition');
  await expect(app.query(`SELECT drop_partition('event', '${day(after)}')`)).rejects.toThrow(/permission denied/);
  await Promise.all([relay.end(), app.end()]);
}, 60_000);

test('records of requests are in partitions by month, two months ahead, for thirteen months', async () => {
  const url = await migratedDatabase('months');
  const { storeId } = await makeStore(url, { code: 'parts', name: 'n', sandbox: false, withProduct: false });
  const relay = new Client({ connectionString: roleUrl(url, 'sangjeom_relay') });
  const app = new Client({ connectionString: roleUrl(url, 'sangjeom_app') });
  await Promise.all([relay.connect(), app.connect()]);
  await app.query(`SELECT set_config('app.store_id', $1, false)`, [storeId]);
  const monthOf = (n: number) => Date.UTC(new Date(NOW).getUTCFullYear(), new Date(NOW).getUTCMonth() + n, 15);
  const name = (n: number) => `audit_request_${new Date(monthOf(n)).toISOString().slice(0, 7).replace('-', '')}`;
  const add = async (at: number) => {
    const auditId = newId('aud', at);
    await app.query(
      `INSERT INTO audit_request (store_id, audit_id, created_at, actor_type, actor_id, actor_name, action, outcome, status_code,
         request_id, metadata) VALUES ($1, $2, $3, 'USER', 'u', 'u', 'a.b', 'SUCCEEDED', 200, 'r', '{}')`,
      [storeId, auditId, new Date(at)],
    );
    return auditId;
  };
  const partOf = async (auditId: string) =>
    (await app.query<{ part: string }>('SELECT tableoid::regclass::text AS part FROM audit_request WHERE audit_id = $1', [auditId])).rows[0]
      ?.part;
  // The reconciler did not run for a while: the row waits in the default partition, and moves.
  const late = await add(monthOf(4));
  expect(await partOf(late)).toBe('audit_request_rest');
  const made: string[] = [];
  for (let n = 0; n <= 20; n++) {
    expect((await maintainPartitions(relay, monthOf(n))).failed).toEqual([]);
    made.push(await add(monthOf(n)));
  }
  expect(await partOf(late)).toBeUndefined();
  // Dropped when all of a month is over thirteen months old.
  for (const [n, auditId] of made.entries()) expect([n, await partOf(auditId)]).toEqual([n, n < 7 ? undefined : name(n)]);
  const { rows } = await relay.query(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'audit_request'::regclass
       AND c.relrowsecurity AND c.relforcerowsecurity ORDER BY 1`,
  );
  const expected = [...Array.from({ length: 16 }, (_, i) => name(i + 7)), 'audit_request_rest'];
  expect(rows.map((row) => row.name as string)).toEqual(expected.toSorted());
  await Promise.all([relay.end(), app.end()]);
}, 60_000);

test('a row in the default partition moves to its day’s', async () => {
  const url = await migratedDatabase('rest');
  const { storeId } = await makeStore(url, { code: 'parts', name: 'n', sandbox: false, withProduct: false });
  const owner = new Client({ connectionString: url });
  const relay = new Client({ connectionString: roleUrl(url, 'sangjeom_relay') });
  await Promise.all([owner.connect(), relay.connect()]);
  const later = [9, 10, 12].map((days) => NOW + days * DAY);
  await owner.query(
    `INSERT INTO webhook (store_id, webhook_id, url, event_types, status, secret_sealed, secret_prefix, created_at)
     VALUES ($1, 'w', '', '{}', 'ACTIVE', '', '', now())`,
    [storeId],
  );
  await owner.query(`SELECT set_config('app.store_id', $1, false)`, [storeId]);
  const ids = [];
  for (const at of later) {
    const [eventId, deliveryId] = [newId('evt', at), newId('dlv', at)];
    await owner.query(`INSERT INTO event (store_id, event_id, event_no, type, body, created_at) VALUES ($1, $2, 1, 'T', '{}', $3)`, [
      storeId,
      eventId,
      new Date(at),
    ]);
    await owner.query(
      `INSERT INTO webhook_delivery (store_id, delivery_id, webhook_id, event_id, event_type, url, status, created_at)
       VALUES ($1, $2, 'w', '', '', '', 'PENDING', $3)`,
      [storeId, deliveryId, new Date(at)],
    );
    ids.push(eventId, deliveryId);
  }
  const places = async () =>
    (
      await owner.query<{ part: string }>(
        `SELECT tableoid::regclass::text AS part FROM event UNION ALL SELECT tableoid::regclass::text FROM webhook_delivery ORDER BY 1`,
      )
    ).rows.map(({ part }) => part);
  expect([...new Set(await places())]).toEqual(['event_rest', 'webhook_delivery_rest']);
  const maintained = await maintainPartitions(relay, NOW + 4 * DAY);
  expect(maintained.failed).toEqual([]);
  const day = (at: number) => new Date(at).toISOString().slice(0, 10).replaceAll('-', '');
  const expected = ['event', 'webhook_delivery'].flatMap((table) => [
    `${table}_${day(later[0]!)}`,
    `${table}_${day(later[1]!)}`,
    `${table}_rest`,
  ]);
  expect(await places()).toEqual(expected.toSorted());
  await migrate(url);
  const { rows } = await owner.query(
    `SELECT relname FROM pg_class WHERE relname ~ '^(event|webhook_delivery|api_request_log|visit_event)_' AND relkind = 'r'
      AND NOT (relrowsecurity
     AND relforcerowsecurity)`,
  );
  expect(rows).toEqual([]);
  // What a table has that is made as a partition: keys, indexes, the webhook's deletion.
  await owner.query(`DELETE FROM webhook WHERE webhook_id = 'w'`);
  expect((await places()).some((part) => part.startsWith('webhook_delivery'))).toBe(false);
  await Promise.all([owner.end(), relay.end()]);
}, 60_000);
