/** A store with many orders: two real ones, copied under new ids, and a workflow for each copy whose run is open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import type { System } from '../bin/dev/system.ts';
import type { Seller } from '../bin/dev/client.ts';
import { copy, shipped } from './copies.ts';
import type { ProductPool } from './flows.ts';

export interface Growth {
  /** Orders in all. */
  readonly past: number;
  /** How many of these are dispatched and wait for their delivery deadline. */
  readonly openRuns: number;
}

/** Seeds the orders and waits until every open run is started and loaded. */
export async function grow(
  system: System,
  seller: Seller,
  { productId }: ProductPool,
  { past, openRuns }: Growth,
): Promise<{ seedSeconds: number; startSeconds: number }> {
  const decided = await shipped(system, seller, { productId, code: 'bench' });
  await seller.call('POST', '/v1/sandbox/clock', { advance: 'P30D' });
  const open = await shipped(system, seller, { productId, code: 'bench' });
  const pool = new Pool({ connectionString: system.databaseUrl, max: 1 });
  pool.on('error', () => {});
  const began = Date.now();
  const copies = [
    { orderId: decided, from: 1, to: past - openRuns },
    { orderId: open, from: past - openRuns + 1, to: past },
  ];
  await copy(
    pool,
    copies,
    `WITH unloaded AS (UPDATE run SET loaded_at = NULL WHERE store_id = (SELECT store_id FROM orders WHERE order_id = '${open}')
       AND done_at IS NULL AND entity_id ~ '[0-9]{12}$' RETURNING *)
     INSERT INTO outbox (store_id, message, workflow_type, workflow_id, entity_id, order_no, status, wake_at, created_at)
     SELECT store_id, 'start', workflow_type, workflow_id, entity_id, order_no, 'DISPATCHED', wake_at, created_at FROM unloaded`,
  );
  const seeded = Date.now();
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(
      'SELECT count(*)::int AS left FROM run WHERE done_at IS NULL AND loaded_at IS NULL',
    );
    if (rows[0]!.left === 0) break;
    process.stdout.write(`  ${rows[0]!.left} runs are still to start\n`);
    await sleep(15_000);
  }
  await pool.end();
  return { seedSeconds: Math.round((seeded - began) / 1000), startSeconds: Math.round((Date.now() - seeded) / 1000) };
}
