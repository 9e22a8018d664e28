/** The database itself holds the audit log: no change without its record, and no record changed. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { newId } from '../../../db/kernel/clock.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';

let owner: Client;
let app: Client;
let storeId: string;
beforeAll(async () => {
  const url = await migratedDatabase('audit');
  ({ storeId } = await makeStore(url, { code: 'audit', name: 'n', sandbox: false, withProduct: false }));
  [owner, app] = [new Client({ connectionString: url }), new Client({ connectionString: roleUrl(url, 'sangjeom_app') })];
  await Promise.all([owner.connect(), app.connect()]);
  for (const client of [owner, app]) await client.query(`SELECT set_config('app.store_id', $1, false)`, [storeId]);
  await owner.query('SET session_replication_role = replica');
  const insert = (table: string, row: Readonly<Record<string, unknown>>) =>
    owner.query(
      `INSERT INTO ${table} (store_id, ${Object.keys(row).join(', ')}) VALUES ($1, ${Object.keys(row)
        .map((_, i) => `$${i + 2}`)
        .join(', ')})`,
      [storeId, ...Object.values(row)],
    );
  const refund = { payment_id: 'pay', order_id: 'ord', order_item_id: 'oit', amount_won: 1000, cause: 'SELLER_CANCEL' };
  const now = new Date();
  await insert('payment', {
    payment_id: 'pay',
    checkout_id: 'chk',
    order_no: '1',
    status: 'completed',
    result: 'COMPLETED',
    lines: '[]',
    amounts: '{}',
    delivery: '{}',
    total_won: 2000,
    return_url: '',
    buyer: '{}',
    current_attempt_id: '',
    attempt_count: 1,
    test_payment: true,
    expires_at: now,
    created_at: now,
    started_at: now,
  });
  await insert('order_item', {
    order_item_id: 'oit',
    order_item_no: '101',
    order_id: 'ord',
    position: 1,
    product_id: 'p',
    variant_id: 'v',
    product_name: 'n',
    unit_price_won: 1000,
    quantity: 9,
    total_price_won: 9000,
    status: 'PAID',
    bundle_no: 1,
    fulfillment_snapshot: '{}',
    flow_key: 'k',
    flow_version: 1,
    flow_state: '{}',
    last_changed_at: now,
  });
  await insert('refund', { ...refund, refund_id: 'rfd_held', status: 'HELD', created_at: now });
  await insert('claim', {
    claim_id: 'clm',
    claim_no: 'C1',
    type: 'CANCEL',
    status: 'REQUESTED',
    order_id: 'ord',
    order_no: '1',
    order_item_id: 'oit',
    variant_id: 'v',
    quantity: 1,
    reason: 'OTHER',
    images: '{}',
    is_shipped: true,
    delivery_fee_won: 0,
    test_payment: true,
    requested_at: now,
    last_changed_at: now,
  });
  await owner.query('SET session_replication_role = origin');
  await owner.query(`INSERT INTO user_account (user_id, email, created_at) VALUES ('usr', 'u@example.com', now())`);
  await insert('member', { user_id: 'usr', role: 'STAFF', created_at: now });
  await insert('customer', { customer_id: 'cus', email: 'c@example.com', created_at: now });
  await insert('approval_request', {
    approval_id: 'apr',
    status: 'PENDING',
    operation_id: 'products.remove',
    reason: 'HIGH_RISK_OPERATION',
    principal: 'tok',
    token_ref: '{}',
    actor_type: 'AGENT',
    actor_id: 'tok',
    method: 'DELETE',
    path: '/v1/products/p',
    params: '{}',
    querystring: '',
    headers: '{}',
    fingerprint: '',
    preview: '{}',
    required_scopes: '{}',
    approver_role: 'ADMIN',
    created_at: now,
    expires_at: now,
    attempts: 0,
  });
  for (const id of ['inv_resent', 'inv_canceled', 'inv_accepted']) await owner.query(invitation(id));
}, 60_000);
afterAll(() => Promise.all([owner.end(), app.end()]));

const invitation = (id: string) =>
  `INSERT INTO invitation (store_id, invitation_id, email, role, status, invited_by, token_hash, token_sealed, send_no, send_attempts,
     expires_at, created_at)
   VALUES ('${storeId}', '${id}', '${id}', 'STAFF', 'PENDING', 'usr', '${id}'::bytea, '', 1, 0, now(), now())`;
let seq = 0;
const cancel = (facts: object = {}) =>
  `INSERT INTO flow_step (store_id, order_item_id, seq, event, at, trace, effects) VALUES ('${storeId}', 'oit', ${++seq}, '${JSON.stringify(
    {
      type: 'reduced',
      cause: 'SELLER_CANCEL',
      quantity: 1,
      reason: 'OTHER',
      refundAmount: 0,
      pointRefundAmount: 0,
      refundId: null,
      ...facts,
    },
  )}', now(), '[]', '[]')`;
const refund = (id: string, won: number) =>
  `INSERT INTO refund (store_id, refund_id, payment_id, order_id, order_item_id, amount_won, cause, status, created_at)
   VALUES ('${storeId}', '${id}', 'pay', 'ord', 'oit', ${won}, 'SELLER_CANCEL', 'PENDING', now())`;
const update = (status: string) => `UPDATE invitation SET status = '${status}' WHERE invitation_id = 'inv_${status.toLowerCase()}'`;

/** A change per trigger that leaves records, in an order in which all can be made. */
const CHANGES: Readonly<Record<string, readonly [change: () => string, target: string]>> = {
  audit_order_item_canceled: [cancel, 'oit'],
  audit_flow_refunded: [
    () => `INSERT INTO flow_step (store_id, order_item_id, seq, event, at, trace, effects) VALUES ('${storeId}', 'oit', ${++seq},
      '{"type": "elapsed", "flowRefund": {"refundAmount": 0, "pointRefundAmount": 0, "refundId": null}}', now(), '[]', '[]')`,
    'oit',
  ],
  audit_refund_processed: [() => `UPDATE refund SET status = 'PENDING' WHERE refund_id = 'rfd_held'`, 'rfd_held'],
  audit_member_invited: [() => invitation('inv_new'), 'inv_new'],
  audit_member_invitation_resent: [() => `UPDATE invitation SET send_no = 2 WHERE invitation_id = 'inv_resent'`, 'inv_resent'],
  audit_member_invitation_canceled: [() => update('CANCELED'), 'inv_canceled'],
  audit_member_invitation_accepted: [() => update('ACCEPTED'), 'inv_accepted'],
  audit_member_role_changed: [() => `UPDATE member SET role = 'ADMIN' WHERE user_id = 'usr'`, 'usr'],
  audit_approval_decided: [
    () => `UPDATE approval_request SET decision = 'REJECT', decided_via = 'CONSOLE' WHERE approval_id = 'apr'`,
    'apr',
  ],
  audit_claim_refunded: [
    () => `INSERT INTO claim_step (store_id, claim_id, seq, name, by, at, detail)
      VALUES ('${storeId}', 'clm', 1, 'approve', 'SELLER', now(), '{"refundAmount": 0, "pointRefundAmount": 0, "refundId": null}')`,
    'clm',
  ],
  audit_point_adjusted: [
    () => `INSERT INTO point_history (store_id, history_id, customer_id, seq, type, amount_won, balance_won, created_at)
      VALUES ('${storeId}', 'pth', 'cus', 1, 'ADJUST', 5, 5, now())`,
    'cus',
  ],
  audit_customer_withdrawn: [
    () => `INSERT INTO customer_withdrawal (store_id, customer_id, withdrawn_at, reason) VALUES ('${storeId}', 'cus_gone', now(), 'r')`,
    'cus_gone',
  ],
  audit_member_removed: [() => `DELETE FROM member WHERE user_id = 'usr'`, 'usr'],
};
const actions = async (target: string) =>
  (await owner.query<{ action: string }>('SELECT action FROM audit_domain WHERE target_id = $1', [target])).rows.map((row) => row.action);
async function commit(client: Client, ...statements: readonly string[]): Promise<void> {
  await client.query('BEGIN');
  try {
    for (const statement of statements) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

test('every trigger that leaves records is tested', async () => {
  const { rows } = await owner.query<{ tgname: string }>(`SELECT tgname FROM pg_trigger WHERE tgname LIKE 'audit\\_%' AND NOT tgisinternal
    AND tgname NOT LIKE '%\\_immutable' ORDER BY 1`);
  expect(rows.map((row) => row.tgname)).toEqual(Object.keys(CHANGES).toSorted());
});

describe.each(Object.entries(CHANGES))('%s', (trigger, [change, target]) => {
  const action = trigger.replace('audit_', '').toUpperCase();
  test('without it its change cannot be committed', async () => {
    const table = (await owner.query<{ t: string }>('SELECT tgrelid::regclass::text AS t FROM pg_trigger WHERE tgname = $1', [trigger]))
      .rows[0]!.t;
    const disabled = `ALTER TABLE ${table} DISABLE TRIGGER ${trigger}`;
    await expect(commit(owner, disabled, change())).rejects.toThrow(`${action} of ${target} has no audit record`);
    expect(await actions(target)).not.toContain(action);
  });
  test('with it the change by hand has its record, by SYSTEM at the store’s time', async () => {
    await commit(app, change());
    expect(await actions(target)).toContain(action);
    const { rows } = await owner.query(
      `SELECT actor_type, request_id, abs(extract(epoch FROM created_at - now())) < 60 AS recent FROM audit_domain WHERE target_id = $1
         AND action = $2`,
      [target, action],
    );
    expect(rows).toEqual([{ actor_type: 'SYSTEM', request_id: null, recent: true }]);
  });
});

describe('a refund', () => {
  test('without a record cannot be committed', async () => {
    for (const client of [owner, app])
      await expect(commit(client, refund('rfd_1', 100))).rejects.toThrow('refund rfd_1 has no audit record of 100 won');
  });
  test('has the amount of its record, and one record', async () => {
    const facts = { refundAmount: 100, refundId: 'rfd_2' };
    await expect(commit(app, cancel({ ...facts, refundAmount: 99 }), refund('rfd_2', 100))).rejects.toThrow('no audit record of 100 won');
    await commit(app, cancel(facts), refund('rfd_2', 100));
    await commit(app, refund('rfd_3', 100), cancel({ ...facts, refundId: 'rfd_3' }));
    await expect(commit(app, cancel(facts))).rejects.toThrow('audit_domain_refund');
  });
  test('with those before it is at most what was paid', async () => {
    const facts = { refundAmount: 1001, refundId: 'rfd_over' };
    await expect(commit(app, cancel(facts), refund('rfd_over', 1001))).rejects.toThrow('refunds of pay exceed what was paid');
  });
  test('that a record names is there, and a record that names an amount names its refund', async () => {
    await expect(commit(app, cancel({ refundAmount: 100, refundId: 'rfd_none' }))).rejects.toThrow('foreign key');
    await expect(commit(app, cancel({ refundAmount: 100 }))).rejects.toThrow('check constraint');
  });
  test('is refused in a savepoint too, and recorded in one', async () => {
    const saved = ['SAVEPOINT s', cancel({ refundAmount: 7, refundId: 'rfd_4' }), refund('rfd_4', 7), 'RELEASE s'];
    await commit(app, ...saved, 'SET CONSTRAINTS ALL IMMEDIATE');
    await expect(commit(app, 'SAVEPOINT s', refund('rfd_5', 7), 'RELEASE s', 'SET CONSTRAINTS ALL IMMEDIATE')).rejects.toThrow('rfd_5');
    expect(
      (
        await owner.query(`SELECT refund_id FROM refund r WHERE NOT EXISTS (SELECT 1 FROM audit_domain d WHERE d.store_id = r.store_id
      AND d.refund_id = r.refund_id) AND refund_id <> 'rfd_held'`)
      ).rows,
    ).toEqual([]);
  });
});

describe('a record', () => {
  test('is neither changed nor deleted, by the owner of the tables neither', async () => {
    const made = `INSERT INTO audit_request (store_id, audit_id, created_at, actor_type, actor_id, actor_name, action, outcome, status_code,
      request_id, metadata) VALUES ($1, $2, now(), 'USER', 'u', 'u', 'a.b', 'SUCCEEDED', 200, 'req_x', '{"changes": [1]}')`;
    await app.query(made, [storeId, newId('aud', Date.now())]);
    await owner.query(`SELECT set_config('app.store_id', $1, false)`, [storeId]);
    // What the parts of a bulk did is added, never taken away.
    const shrunk = `UPDATE audit_request SET metadata = '{"changes": []}' WHERE request_id = 'req_x'`;
    await expect(owner.query(shrunk)).rejects.toThrow('neither changed nor deleted');
    for (const table of ['audit_domain', 'audit_request'])
      for (const statement of [`UPDATE ${table} SET actor_id = 'x'`, `DELETE FROM ${table}`, `TRUNCATE ${table}`]) {
        await expect(owner.query(statement)).rejects.toThrow('neither changed nor deleted');
        await expect(app.query(statement)).rejects.toThrow('permission denied');
      }
  });
  test('of a change is written by nobody but the triggers', async () => {
    const row = `INSERT INTO audit_domain (store_id, audit_id, created_at, actor_type, actor_id, actor_name, action, target_type, target_id,
      transaction_id, metadata) VALUES ('${storeId}', 'aud_x', now(), 'USER', 'u', 'u', 'MEMBER_REMOVED', 'MEMBER', 'u', 1, '{}')`;
    await expect(app.query(row)).rejects.toThrow('permission denied');
    await expect(app.query(`SELECT record_domain('${storeId}', 'MEMBER_REMOVED', 'MEMBER', 'u', '{}', NULL)`)).rejects.toThrow(
      'permission denied',
    );
    await expect(app.query('SELECT audit_member_removed()')).rejects.toThrow(/permission denied|can only be called as trigger/);
  });
  test('of a request goes into its own store only', async () => {
    const row = `INSERT INTO audit_request (store_id, audit_id, created_at, actor_type, actor_id, actor_name, action, outcome, status_code,
      request_id, metadata) VALUES ($1, $2, now(), 'USER', 'u', 'u', 'a.b', 'SUCCEEDED', 200, 'req_x', '{}')`;
    await app.query(row, [storeId, newId('aud', Date.now())]);
    await expect(app.query(row, ['sto_other', newId('aud', Date.now())])).rejects.toThrow('row-level security');
  });
});
