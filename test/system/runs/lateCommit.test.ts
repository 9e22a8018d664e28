/**
 * "503: done already, or never": a command is not committed more than two seconds after its `notAfter`, whatever held it up, and
 * a request that ended in a 503 is not committed after its answer.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { recordRequest } from '../../../db/audit/commands.ts';
import { newId } from '../../../db/kernel/clock.ts';
import type { RunName } from '../../../workflows/kernel/start.ts';
import { ownApi } from '../../kernel/api.ts';
import { Seller } from '../../../bin/dev/client.ts';
import { type SilentProxy, silentProxy } from '../../kernel/proxy.ts';
import { query, underTest, until, world } from '../../kernel/world.ts';
import { type Host, host } from './hosted.ts';

/** As the driver writes it. */
const COMMIT = 'commit\0';
/** The statement before the commit of a change (`announceCommit`). */
const ANNOUNCED = 'transaction_timeout';
/** Longer than a client waits for its answer, shorter than an idle transaction may last. */
const HELD_MS = 4000;

let proxy: SilentProxy;
let under: Host;
beforeAll(async () => {
  proxy = await silentProxy(underTest.databaseUrl);
  under = await host({ server: 'dev', through: proxy.through });
}, 120_000);
afterAll(async () => {
  await under.close();
  proxy.close();
});

async function bought(): Promise<RunName> {
  const payment = await under.payment();
  await under.command(payment.run, 'pay', await under.authenticated(payment), { wait: 'idle' });
  return under.itemOf(payment.orderNo);
}
const statusOf = async (run: RunName) =>
  (await under.rows<{ status: string }>('SELECT status FROM order_item WHERE order_item_id = ?', [run.entityId]))[0]!.status;
/** Until no transaction is under way in a database or of a process: what has not been committed by then never will be. */
const quiet = (of: 'datname' | 'application_name', name: string) =>
  until('no transaction is under way', async () => {
    const text = `SELECT 1 FROM pg_stat_activity WHERE ${of} = $1 AND xact_start IS NOT NULL`;
    return (await query(text, [name])).length === 0;
  });
const quietHost = () => quiet('datname', new URL(under.databaseUrl).pathname.slice(1));
const never = { cause: { type: 'TEMPORARILY_UNAVAILABLE' } };

describe('a command', () => {
  test('that waits for one lock after the other until its time is over is not carried out', async () => {
    const run = await bought();
    const holds = [
      ['SELECT 1 FROM order_item WHERE order_item_id = $1 FOR UPDATE', run.entityId, 800],
      ['SELECT 1 FROM orders WHERE order_no = $1 FOR UPDATE', run.orderNo, 1600],
      ['SELECT 1 FROM feed WHERE store_id = $1 FOR UPDATE', under.storeId, 2400],
    ] as const;
    const clients = await Promise.all(
      holds.map(async ([text, value]) => {
        const client = new Client({ connectionString: under.databaseUrl });
        await client.connect();
        await client.query('BEGIN');
        await client.query(text, [value]);
        return client;
      }),
    );
    const releases = clients.map(async (client, i) => {
      await sleep(holds[i]![2]);
      await client.end();
    });
    await expect(under.command(run, 'confirm', {}, { notAfter: Date.now() + 300 })).rejects.toMatchObject(never);
    await Promise.all(releases);
    await quietHost();
    expect(await statusOf(run)).toBe('PAID');
    await under.command(run, 'confirm', {});
    expect(await statusOf(run)).toBe('CONFIRMED');
  });

  test('whose request was answered and recorded as out of time is never carried out: its record stays true', async () => {
    const run = await bought();
    const requestId = newId('req', Date.now());
    const actor = { type: 'USER', id: 'usr_x' } as const;
    const request = { action: 'orders.confirm', target: null, statusCode: 200, traceId: null, isPart: false };
    const refused = { outcome: 'FAILED', statusCode: 503, errorCode: 'TEMPORARILY_UNAVAILABLE', idempotencyKey: null } as const;
    await under.inTenant((tx) =>
      recordRequest(tx, { ...request, ...refused, requestId, actor: { ...actor, name: null }, approvalId: null, metadata: {} }),
    );
    const origin = { actor, requestId, approvalId: null, metadata: {}, request };
    await expect(under.command(run, 'confirm', {}, { requestId, origin })).rejects.toMatchObject(never);
    expect(await statusOf(run)).toBe('PAID');
    const again = newId('req', Date.now());
    await under.command(run, 'confirm', {}, { requestId: again, origin: { ...origin, requestId: again } });
    const records = await under.rows('SELECT outcome, status_code FROM audit_request WHERE request_id IN (?, ?) ORDER BY 1', [
      requestId,
      again,
    ]);
    expect([await statusOf(run), records]).toEqual([
      'CONFIRMED',
      [
        { outcome: 'FAILED', status_code: 503 },
        { outcome: 'SUCCEEDED', status_code: 200 },
      ],
    ]);
  });

  test('whose commit hangs in the network is never carried out', async () => {
    const run = await bought();
    const { held, release } = proxy.holdAt(COMMIT, ANNOUNCED);
    const command = under.command(run, 'confirm', {}, { notAfter: Date.now() + 1000 });
    command.catch(() => {});
    await held;
    await sleep(HELD_MS);
    release();
    await expect(command).rejects.toMatchObject(never);
    await quietHost();
    expect(await statusOf(run)).toBe('PAID');
  });
});

describe('a request of one transaction', () => {
  test('that was answered 503 for a commit that hung is carried out once under its key', async () => {
    const shop = await world();
    const PGAPPNAME = `late-${process.pid}`;
    const { api, stop } = await ownApi({ PGAPPNAME, APP_DATABASE_URL: proxy.through(underTest.env['APP_DATABASE_URL']!) });
    try {
      const seller = new Seller(api, shop.seller.bearer);
      const create = () => seller.call('POST', '/v1/categories', { name: '늦은 분류' }, { 'idempotency-key': 'late' });
      const found = () => query('SELECT 1 FROM category WHERE store_id = $1', [shop.store.storeId]);
      const { held, release } = proxy.holdAt(COMMIT, ANNOUNCED);
      const request = create();
      await held;
      expect(await query('SELECT 1 FROM pg_stat_activity WHERE application_name = $1', [PGAPPNAME])).not.toEqual([]);
      const answer = await request;
      expect([answer.status, await found()]).toEqual([503, []]);
      release();
      await quiet('application_name', PGAPPNAME);
      expect(await found()).toEqual([]);
      await until('carried out', async () => (await create()).status === 201);
      expect(await found()).toHaveLength(1);
    } finally {
      stop();
    }
  });
});
