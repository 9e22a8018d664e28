/** Which runs the reconciler brings back: those that were lost, not those that wait for their turn. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { underTest, world } from '../kernel/world.ts';

const client = new Client({ connectionString: underTest.databaseUrl });
beforeAll(() => client.connect());
afterAll(() => client.end());

test('a run whose start is still in the outbox is the relay’s; a kind may be left out', async () => {
  const { storeId } = (await world()).store;
  await client.query('BEGIN');
  const values = [storeId, `webhook/${storeId}/waits`];
  await client.query(
    `INSERT INTO run (store_id, workflow_id, kind, run_id, wake_at, created_at)
     VALUES ($1, $2, 'webhookDelivery', 'waits', now() - interval '1 hour', now() - interval '1 hour')`,
    values,
  );
  await client.query(
    `INSERT INTO outbox (store_id, message, kind, workflow_id, run_id, created_at)
     VALUES ($1, 'start', 'webhookDelivery', $2, 'waits', now())`,
    values,
  );
  const overdue = async (leftOut: string) => {
    const { rows } = await client.query<{ run_id: string }>('SELECT run_id FROM lookup_overdue_runs(now(), 10000, $1)', [leftOut]);
    return rows.some((row) => row.run_id === 'waits');
  };
  expect(await overdue('')).toBe(false);
  await client.query('DELETE FROM outbox WHERE store_id = $1 AND workflow_id = $2', values);
  expect(await overdue('')).toBe(true);
  expect(await overdue('webhookDelivery')).toBe(false);
  await client.query('ROLLBACK');
});
