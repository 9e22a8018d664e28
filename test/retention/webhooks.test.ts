/** Deleted webhooks that no run has taken, as versions of before left them, are swept (X26). */
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { makeStore } from '../../bin/setup/stores.ts';
import { realClock } from '../../db/kernel/clock.ts';
import { createLog } from '../../db/kernel/log.ts';
import { migrate } from '../../db/migrate.ts';
import { KINDS } from '../../db/retention/kinds.ts';
import { createStorage, type Storage } from '../../activities/providers/storage.ts';
import { sweepPortion } from '../../worker/sweeper.ts';
import { HOUR } from '../../workflows/kernel/time.ts';
import { createDatabase, roleUrl } from '../kernel/database.ts';

const NOW = Date.now();
const log = createLog('test', 'silent');
let owner: Client;
let relay: Client;
let storage: Storage;
let live = '';

beforeAll(async () => {
  const url = await createDatabase('webhooks');
  await migrate(url);
  ({ storeId: live } = await makeStore(url, { code: 'live', name: 'n', sandbox: false, withProduct: false }));
  [owner, relay] = [new Client({ connectionString: url }), new Client({ connectionString: roleUrl(url, 'sangjeom_relay') })];
  await Promise.all([owner.connect(), relay.connect()]);
  storage = await createStorage({ kind: 'files', folder: tmpdir() });
}, 60_000);
afterAll(() => Promise.all([owner.end(), relay.end()]));

test('a deleted webhook that no run has taken goes in portions, what waits ends with it, and nobody else’s deliveries are touched', async () => {
  const [gone, stays] = ['whk_gone', 'whk_stays'];
  for (const [id, deletedAt] of [
    [gone, new Date(NOW - 2 * HOUR)],
    [stays, null],
  ] as const) {
    await owner.query(
      `INSERT INTO webhook (store_id, webhook_id, url, event_types, status, secret_sealed, secret_prefix, created_at, deleted_at)
       VALUES ($1, $2, '', '{}', 'SUSPENDED', '', '', now(), $3)`,
      [live, id, deletedAt],
    );
    await owner.query(
      `INSERT INTO webhook_delivery (store_id, delivery_id, webhook_id, event_id, event_type, url, status, created_at)
       SELECT $1, $2 || n, $2, '', '', '', 'PENDING', now() FROM generate_series(1, 1200) n`,
      [live, id],
    );
    await owner.query(
      `INSERT INTO run (store_id, workflow_id, kind, run_id, created_at) SELECT $1, $2 || n, 'webhookDelivery', $2 || n, now() FROM generate_series(1, 1200) n`,
      [live, id],
    );
  }
  const kind = KINDS.find(({ name }) => name === 'webhooks')!;
  const swept: number[] = [];
  for (let n = 0; n < 4; n++) swept.push(await sweepPortion(relay, kind, NOW, { clock: realClock, log, storage }));
  expect(swept).toEqual([500, 500, 200, 0]);
  const { rows } = await owner.query(
    `SELECT count(*)::int AS runs, count(*) FILTER (WHERE done_at IS NULL)::int AS open FROM run WHERE run_id ~ '^whk_'`,
  );
  expect(rows).toEqual([{ runs: 2400, open: 1200 }]);
  expect((await owner.query(`SELECT webhook_id FROM webhook WHERE webhook_id ~ '^whk_'`)).rows).toEqual([{ webhook_id: stays }]);
});
