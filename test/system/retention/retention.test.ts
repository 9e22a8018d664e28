/** Everything that ends goes, in portions, when its time has come and not before; what somebody may still need stays. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { createStorage, type Storage } from '../../../activities/providers/storage.ts';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { newId, realClock } from '../../../db/kernel/clock.ts';
import { createLog } from '../../../db/kernel/log.ts';
import { KINDS } from '../../../db/retention/kinds.ts';
import { overdueRows, Sweeper, sweepFiles, sweepPortion } from '../../../worker/sweeper.ts';
import { DAY, HOUR } from '../../../domain/kernel/time.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';

const NOW = Date.now();
const AHEAD_MS = 40 * DAY;
const log = createLog('test', 'silent');
const folder = mkdtempSync(join(tmpdir(), 'sangjeom-retention-'));
let owner: Client;
let relay: Client;
let storage: Storage;
/** A live store, and a sandbox whose clock is forty days ahead. */
let live = '';
let ahead = '';

beforeAll(async () => {
  const url = await migratedDatabase('retention');
  ({ storeId: live } = await makeStore(url, { code: 'live', name: 'n', sandbox: false, withProduct: false }));
  ({ storeId: ahead } = await makeStore(url, { code: 'ahead', name: 'n', sandbox: true, withProduct: false }));
  [owner, relay] = [new Client({ connectionString: url }), new Client({ connectionString: roleUrl(url, 'sangjeom_relay') })];
  await Promise.all([owner.connect(), relay.connect()]);
  await owner.query('UPDATE store SET clock_offset_ms = $2 WHERE store_id = $1', [ahead, AHEAD_MS]);
  await owner.query(`INSERT INTO user_account (user_id, email, created_at) VALUES ('u', 'u@example.com', now())`);
  storage = await createStorage({ kind: 'files', folder });
}, 60_000);
afterAll(async () => {
  await Promise.all([owner.end(), relay.end()]);
  rmSync(folder, { recursive: true });
});

type Insert = (id: string, endedAt: number, storeId: string) => Promise<unknown>;
const add =
  (text: string, values: (id: string, at: Date, storeId: string) => unknown[]): Insert =>
  (id, endedAt, storeId) =>
    owner.query(text, values(id, new Date(endedAt), storeId));
const login: Insert = (id) =>
  owner.query(
    `INSERT INTO login (login_id, client_id, user_id, scopes, authenticated_at, created_at) VALUES ($1, 'c', 'u', '{}', now(), now())`,
    [id],
  );
const checkout = (id: string, status: string, expiresAt: Date, storeId: string) =>
  owner.query(
    `INSERT INTO checkout (store_id, checkout_id, session_id, status, lines, expires_at, created_at)
     VALUES ($1, $2, 'gst_x', $3, '[]', $4, $4)`,
    [storeId, id, status, expiresAt],
  );
interface Paying {
  readonly id: string;
  readonly storeId: string;
  readonly status: string;
  readonly orderId: string | null;
  readonly createdAt: number;
  readonly startedAt: number;
}
async function payment({ id, storeId, status, orderId, createdAt, startedAt }: Paying): Promise<void> {
  await checkout(`chk_${id}`, orderId ? 'COMPLETED' : 'OPEN', new Date(createdAt), storeId);
  await owner.query(
    `INSERT INTO payment (store_id, payment_id, checkout_id, order_no, status, result, lines, amounts, delivery, total_won, return_url,
     buyer,
       current_attempt_id, attempt_count, test_payment, expires_at, created_at, started_at, order_id, completed_at)
     VALUES ($1, $2, 'chk_' || $2, $2, $3, '', '[]', '{}', '{}', 1, '', '{}', '', 1, true, $4, $4, $5, $6,
       CASE WHEN $3 = 'completed' THEN $5::timestamptz END)`,
    [storeId, id, status, new Date(createdAt), new Date(startedAt), orderId],
  );
  await owner.query(
    `INSERT INTO payment_attempt (store_id, attempt_id, payment_id, seq, pg, method, pg_order_id, amount_won, return_url, status,
     started_at)
     VALUES ($1, 'att_' || $2, $2, 1, 't', 'CARD', $2, 1, '', $3, $4)`,
    [storeId, id, orderId ? 'APPROVED' : 'DECLINED', new Date(createdAt)],
  );
}

/** How a row of a kind gets there, ended at a time of the kind's clock. */
const ROWS: Readonly<Record<string, { readonly table: string; readonly key: string; readonly insert: Insert }>> = {
  operations: {
    table: 'operation',
    key: 'key',
    insert: add(
      `INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, created_at, expires_at)
       VALUES ($3, 'p', $1, 'o', 'f', $2, $2)`,
      (...row) => row,
    ),
  },
  runs: {
    table: 'run',
    key: 'entity_id',
    insert: add(
      `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, created_at, done_at) VALUES ($3, $1, 'payment', $1, $2, $2)`,
      (...row) => row,
    ),
  },
  login_requests: {
    table: 'login_request',
    key: 'request_id',
    insert: add(
      `INSERT INTO login_request (request_id, client_id, redirect_uri, scopes, state, code_challenge, verifier_sealed, nonce,
       browser_hash, expires_at)
       VALUES ($1, '', '', '{}', '', '', '', '', '', $2)`,
      (id, at) => [id, at],
    ),
  },
  consent_requests: {
    table: 'consent_request',
    key: 'consent_id',
    insert: add(
      `INSERT INTO consent_request (consent_id, client_id, user_id, redirect_uri, scopes, state, code_challenge, authenticated_at,
       browser_hash, expires_at)
       VALUES ($1, '', 'u', '', '{}', '', '', now(), '', $2)`,
      (id, at) => [id, at],
    ),
  },
  auth_codes: {
    table: 'auth_code',
    key: `convert_from(code_hash, 'UTF8')`,
    async insert(id, at, storeId) {
      await login(id, at, storeId);
      await owner.query(
        `INSERT INTO auth_code (code_hash, login_id, redirect_uri, code_challenge, expires_at) VALUES ($1::text::bytea, $1, '', '', $2)`,
        [id, new Date(at)],
      );
    },
  },
  refresh_tokens: {
    table: 'refresh_token',
    key: `convert_from(token_hash, 'UTF8')`,
    async insert(id, at, storeId) {
      await login(id, at, storeId);
      await owner.query(`INSERT INTO refresh_token (token_hash, login_id, expires_at, created_at) VALUES ($1::text::bytea, $1, $2, $2)`, [
        id,
        new Date(at),
      ]);
    },
  },
  logins: {
    table: 'login',
    key: 'login_id',
    async insert(id, at, storeId) {
      await login(id, at, storeId);
      await owner.query(
        `INSERT INTO refresh_token (token_hash, login_id, expires_at, created_at) VALUES ($1::text::bytea, $1, $2, now())`,
        [id, new Date(NOW + 20 * DAY)],
      );
      await owner.query('UPDATE login SET revoked_at = $2 WHERE login_id = $1', [id, new Date(at)]);
    },
  },
  guest_sessions: {
    table: 'guest_session',
    key: 'session_id',
    insert: add(
      `INSERT INTO guest_session (store_id, session_id, token_hash, created_at, expires_at, used_at)
       VALUES ($3, $1, $1::text::bytea, $2, $2, $2)`,
      (...row) => row,
    ),
  },
  checkouts: { table: 'checkout', key: 'checkout_id', insert: (id, at, storeId) => checkout(id, 'OPEN', new Date(at), storeId) },
  payments: {
    table: 'payment',
    key: 'payment_id',
    insert: (id, at, storeId) =>
      payment({ id, storeId, status: 'expired', orderId: null, createdAt: storeId === ahead ? at + AHEAD_MS : at, startedAt: at }),
  },
  texts: {
    table: 'command_text',
    key: 'text_id',
    insert: add(`INSERT INTO command_text (store_id, text_id, text, created_at) VALUES ($3, $1, '', $2)`, (...row) => row),
  },
  rate_limits: {
    table: 'rate_limit',
    key: `convert_from(key, 'UTF8')`,
    insert: add(`INSERT INTO rate_limit (key, used_at, expires_at) VALUES ($1::text::bytea, '{}', $2)`, (id, at) => [id, at]),
  },
  invitation_sends: {
    table: 'invitation_send',
    key: 'sender',
    insert: add(`INSERT INTO invitation_send (store, sender, recipient, at) VALUES ('', $1, '', $2)`, (id, at) => [id, at]),
  },
  approvals: {
    table: 'approval_request',
    key: 'approval_id',
    insert: add(
      `INSERT INTO approval_request (store_id, approval_id, status, operation_id, reason, principal, token_ref, actor_type, actor_id,
         method, path, params, querystring, headers, fingerprint, preview, required_scopes, approver_role, created_at, expires_at, attempts)
       VALUES ($3, $1, 'REJECTED', '', '', '', '{}', 'AGENT', '', 'POST', '', '{}', '', '{}', '', '{}', '{}', 'ADMIN', $2, $2, 0)`,
      (...row) => row,
    ),
  },
  visit_members: {
    table: 'visit_member',
    key: 'key',
    insert: add(
      `INSERT INTO visit_member (store_id, list, key, medium, who, day, n, created_at)
       VALUES ($3, 'SOURCE_VISITOR', $1, '', visit_key($1), '2026-01-01', 1, $2)`,
      (...row) => row,
    ),
  },
  visit_sessions: {
    table: 'visit_session',
    key: 'source',
    insert: add(
      `INSERT INTO visit_session (store_id, session, first_at, batch_id, position, source, medium)
       VALUES ($3, visit_key($1), $2, '', 0, $1, '')`,
      (...row) => row,
    ),
  },
  visit_uses: {
    table: 'visit_use',
    key: 'key',
    insert: add(`INSERT INTO visit_use (store_id, day, key, events, created_at) VALUES ($3, '2026-01-01', $1, 1, $2)`, (...row) => row),
  },
  order_inputs: {
    table: 'upload',
    key: 'upload_id',
    insert: add(
      `INSERT INTO upload (store_id, upload_id, purpose, principal, content_type, size, sha256, created_at)
       VALUES ($3, $1, 'order-input', '', 'image/png', 1, '', $2)`,
      (...row) => row,
    ),
  },
};

describe('each kind goes when its time has come by its own clock', () => {
  for (const kind of KINDS)
    test(kind.name, async () => {
      const { table, key, insert } = ROWS[kind.name]!;
      const ids: string[] = [];
      for (const [store, storeId] of Object.entries({ live, ahead })) {
        const now = NOW + (kind.clock === 'store' && storeId === ahead ? AHEAD_MS : 0);
        await insert(`gst_due_${kind.name}_${store}`, now - kind.retentionMs - 60_000, storeId);
        await insert(`gst_young_${kind.name}_${store}`, now - kind.retentionMs + 60_000, storeId);
        ids.push(`gst_young_${kind.name}_${store}`);
      }
      const deps = { clock: realClock, log, storage };
      expect((await overdueRows(relay, NOW + 2 * HOUR)).get(kind.name)).toBe(4);
      expect(await sweepPortion(relay, kind, NOW, deps)).toBe(2);
      expect(await sweepPortion(relay, kind, NOW, deps)).toBe(0);
      expect((await overdueRows(relay, NOW + HOUR)).get(kind.name)).toBe(0);
      const { rows } = await owner.query<{ id: string }>(
        `SELECT ${key} AS id FROM ${table} WHERE ${key} LIKE 'gst%' || $1 || '%' ORDER BY 1`,
        [kind.name],
      );
      expect(rows.map((row) => row.id)).toEqual(ids.toSorted());
    });
});

test('of payments only those that failed go', async () => {
  const old = NOW - 200 * DAY;
  const rows = { storeId: live, createdAt: old, startedAt: old };
  await payment({ ...rows, id: 'failed', status: 'failed', orderId: null });
  await payment({ ...rows, id: 'completed', status: 'completed', orderId: 'o' });
  await payment({ ...rows, id: 'processing', status: 'processing', orderId: null });
  await payment({ ...rows, id: 'asked', status: 'expired', orderId: null });
  await owner.query(`UPDATE payment SET call = '{"kind":"read"}' WHERE payment_id = 'asked'`);
  await sweepPortion(
    relay,
    KINDS.find(({ name }) => name === 'payments')!,
    NOW,
    { clock: realClock, log, storage },
  );
  const left = async (table: string, column: string) =>
    (
      await owner.query(`SELECT ${column} AS id FROM ${table} WHERE ${column} ~ '(failed|completed|processing|asked)$' ORDER BY 1`)
    ).rows.map((row) => row.id as string);
  expect(await left('payment', 'payment_id')).toEqual(['asked', 'completed', 'processing']);
  expect(await left('payment_attempt', 'attempt_id')).toEqual(['att_asked', 'att_completed', 'att_processing']);
  expect(await left('checkout', 'checkout_id')).toEqual(['chk_asked', 'chk_completed', 'chk_processing']);
});

test('a session or login goes with all that belongs to it', async () => {
  const deps = { clock: realClock, log, storage };
  const kind = (wanted: string) => KINDS.find(({ name }) => name === wanted)!;
  await login('living', NOW, live);
  for (const [hash, expires] of [
    ['used up', NOW - 3 * DAY],
    ['alive', NOW + DAY],
  ] as const)
    await owner.query(
      `INSERT INTO refresh_token (token_hash, login_id, expires_at, created_at) VALUES ($1::text::bytea, 'living', $2, now())`,
      [hash, new Date(expires)],
    );
  await sweepPortion(relay, kind('refresh_tokens'), NOW, deps);
  expect((await owner.query(`SELECT convert_from(token_hash, 'UTF8') AS t FROM refresh_token WHERE login_id = 'living'`)).rows).toEqual([
    { t: 'alive' },
  ]);
  const { rows } = await owner.query(`SELECT login_id FROM login WHERE login_id LIKE 'gst_due%' OR login_id = 'living'`);
  expect(rows).toEqual([{ login_id: 'living' }]);
  expect((await owner.query(`SELECT 1 FROM refresh_token t LEFT JOIN login l USING (login_id) WHERE l.login_id IS NULL`)).rows).toEqual([]);
});

test('portions read what they delete, however much has not ended', async () => {
  await owner.query(
    `INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, created_at, expires_at)
     SELECT $1, 'many', n, 'o', 'f', now(), now() + CASE WHEN n <= 1200 THEN '-1 hour'::interval ELSE '1 hour' END
       FROM generate_series(1, 50000) n`,
    [live],
  );
  await owner.query('ANALYZE operation');
  const sweeper = new Sweeper({ clock: { now: () => NOW }, log, storage });
  const many = async () => Number((await owner.query(`SELECT count(*) AS n FROM operation WHERE principal = 'many'`)).rows[0].n);
  const counts: number[] = [];
  await relay.query('BEGIN');
  await sweeper.step(relay);
  const { rows } = await relay.query(
    `SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_xact_user_tables WHERE relname = 'operation'`,
  );
  await relay.query('COMMIT');
  expect(Number(rows[0].read)).toBeLessThan(3000);
  counts.push(await many());
  let hasMore = true;
  for (let steps = 0; hasMore && steps < 100; steps++) {
    hasMore = await sweeper.step(relay);
    const left = await many();
    if (left !== counts.at(-1)) counts.push(left);
  }
  expect(hasMore).toBe(false);
  expect(counts).toEqual([49_500, 49_000, 48_800]);
});

test('only the sweeper deletes, and only what has ended', async () => {
  await owner.query('BEGIN');
  await owner.query('SET LOCAL ROLE sangjeom_sweeper');
  for (const table of ['run', 'payment', 'checkout', 'upload']) await owner.query(`DELETE FROM ${table}`);
  await owner.query('SAVEPOINT before');
  for (const table of ['orders', 'order_item', 'refund', 'customer', 'product', 'store', 'event', 'outbox']) {
    await expect(owner.query(`DELETE FROM ${table}`)).rejects.toThrow(/permission denied/);
    await owner.query('ROLLBACK TO before');
  }
  await owner.query('RESET ROLE');
  const remaining = await owner.query(`SELECT payment_id FROM payment WHERE payment_id IN ('completed', 'processing') ORDER BY 1`);
  expect(remaining.rows.map((row) => row.payment_id as string)).toEqual(['completed', 'processing']);
  await owner.query('ROLLBACK');
  await expect(relay.query('DELETE FROM payment')).rejects.toThrow(/permission denied/);
  await owner.query('SET ROLE sangjeom_app');
  await expect(owner.query('SELECT sweep_payments(now(), 1)')).rejects.toThrow(/permission denied/);
  await owner.query('RESET ROLE');
});

test('an order input goes with its file, also after a crash', async () => {
  const bytes = new Uint8Array([1]);
  const put = async (key: string) => {
    const path = await storage.temporary();
    writeFileSync(path, bytes);
    await storage.putFile(key, path, 'image/png');
  };
  const file = async (uploadId: string, row: string | null, isNamed = false) => {
    const key = `uploads/${live}/${uploadId}.png`;
    await put(key);
    if (row)
      await owner.query(
        `INSERT INTO upload (store_id, upload_id, purpose, principal, content_type, size, sha256, created_at, is_named)
         VALUES ($1, $2, $3, '', 'image/png', 1, '', $4, $5)`,
        [live, uploadId, row, new Date(NOW - 2 * DAY), isNamed],
      );
    utimesSync(join(folder, key), new Date(NOW - 2 * DAY), new Date(NOW - 2 * DAY));
    return key;
  };
  const deps = { clock: realClock, log, storage };
  const [input, named, image, stray] = [
    await file(newId('upl', NOW), 'order-input'),
    await file(newId('upl', NOW), 'order-input', true),
    await file(newId('upl', NOW), 'product-image'),
    await file(newId('upl', NOW), null),
  ];
  const fresh = `uploads/${live}/${newId('upl', NOW)}.png`;
  await put(fresh);
  // The process dies between row and file: the storage cannot be reached.
  const dead: Storage = { ...storage, remove: () => Promise.reject(new Error('gone')) };
  const kind = KINDS.find(({ name }) => name === 'order_inputs')!;
  await expect(sweepPortion(relay, kind, NOW, { ...deps, storage: dead })).rejects.toThrow('gone');
  expect(await storage.get(input)).not.toBeNull();
  for (let position = await sweepFiles(relay, null, NOW, deps); position !== null;) position = await sweepFiles(relay, position, NOW, deps);
  const left = await Promise.all([input, named, image, stray, fresh].map((key) => storage.get(key)));
  expect(left.map((one) => one !== null)).toEqual([false, true, true, false, true]);
  await storage.remove(input);
});
