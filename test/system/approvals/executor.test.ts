/** The run of an approval request under skipped time, and the executor itself: one answer, whoever asks for it and how often. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { withdrawCustomer } from '../../../db/customers/withdrawal.ts';
import { findApproval } from '../../../db/approvals/queries.ts';
import { viewApproval } from '../../../db/approvals/views.ts';
import { SEARCH_MS, RETRY_MS } from '../../../domain/approvals/rules.ts';
import { DAY, korean, MINUTE, SECOND } from '../../../domain/kernel/time.ts';
import { startOptions, type RunName } from '../../../workflows/kernel/start.ts';
import { until } from '../../kernel/world.ts';
import { type Host, host } from '../runs/hosted.ts';

let under: Host;
beforeAll(async () => {
  under = await host({ server: 'time-skipping' });
}, 240_000);
afterAll(() => under.close());

/** The owner decides. */
const decider = async () => {
  const [owner] = await under.rows<{ user_id: string }>('SELECT user_id FROM member');
  return { userId: owner!.user_id, role: 'OWNER', scopes: ['category:rw'], via: 'CONSOLE' };
};
let names = 0;
/** A request for a category of that name. */
async function requested(): Promise<{ run: RunName<'approval'>; name: string; execution: Parameters<Host['executor']['execute']>[0] }> {
  const name = `category ${names++}`;
  const run = await under.approval({ id: 'categories.create', body: { name } });
  return { run, name, execution: { storeId: under.storeId, approvalId: run.entityId, at: await under.now() } };
}
const statusOf = async ({ entityId }: RunName) =>
  (await under.rows<{ status: string }>('SELECT status FROM approval_request WHERE approval_id = ?', [entityId]))[0]!.status;
const viewer = { consoleUrl: 'https://console.example', keyring: null };
const made = async (name: string) => (await under.rows('SELECT 1 FROM category WHERE name = ?', [name])).length;
/** As its run would be, when the executor is called by hand. */
const approved = async (run: RunName) =>
  under.rows(
    `UPDATE approval_request SET decision = 'APPROVE', status = 'EXECUTING', approver_scopes = '{category:rw,promotion:rw}',
       executing_since = ?, approver_user_id = (SELECT user_id FROM member) WHERE approval_id = ?`,
    [new Date(await under.now()), run.entityId],
  );

test('a request that nobody decides expires after 24 hours, and its run with it', async () => {
  const { run } = await requested();
  const before = await under.now();
  await under.client.workflow.start(run.workflowType, startOptions(run));
  const handle = under.client.workflow.getHandle(run.workflowId);
  await handle.result();
  const ended = (await handle.describe()).closeTime!.getTime();
  expect(Math.round((ended - before) / 3_600_000)).toBe(24);
  expect(await statusOf(run)).toBe('EXPIRED');
  expect(await under.rows('SELECT 1 FROM run WHERE entity_id = ? AND done_at IS NULL', [run.entityId])).toEqual([]);
  await expect(under.command(run, 'approve', await decider())).rejects.toMatchObject({ cause: { type: 'APPROVAL_EXPIRED' } });
});

test('an approved one is carried out by its run', async () => {
  const { run, name } = await requested();
  await under.command(run, 'approve', await decider(), { wait: 'idle' });
  await until('carried out', async () => (await statusOf(run)) === 'SUCCEEDED');
  expect(await made(name)).toBe(1);
});

test('twenty executions at once change one thing and have one answer', async () => {
  const { run, name, execution } = await requested();
  await approved(run);
  const answers = await Promise.all(Array.from({ length: 20 }, () => under.executor.execute(execution)));
  expect(new Set(answers.filter((one) => one !== null).map(({ status }) => status))).toEqual(new Set([201]));
  expect(await under.executor.execute(execution)).toMatchObject({ status: 201, code: 'OK' });
  expect(await under.executor.find(execution)).toMatchObject({ status: 201, code: 'OK' });
  expect(await made(name)).toBe(1);
});

/** As if it had been approved so many milliseconds earlier or later. */
async function approvedAt({ entityId }: RunName, ms: number) {
  const at = new Date((await under.now()) + ms);
  await under.rows('UPDATE approval_request SET executing_since = ?, executing_real = ? WHERE approval_id = ?', [at, at, entityId]);
}

test('a minute after its approval nothing carries it out any more', async () => {
  const { run, name, execution } = await requested();
  await approved(run);
  await approvedAt(run, -2 * RETRY_MS);
  expect(await under.executor.execute(execution)).toBeNull();
  expect(await under.executor.find(execution)).toBeNull();
  expect(await made(name)).toBe(0);
});

test('executions and look-ups at once: a look-up changes nothing, and finds the answer or none', async () => {
  for (let round = 0; round < 20; round++) {
    const { run, name, execution } = await requested();
    await approved(run);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => (i % 2 === round % 2 ? under.executor.execute(execution) : under.executor.find(execution))),
    );
    expect(new Set(answers.filter((one) => one !== null).map(({ status }) => status))).toEqual(new Set([201]));
    expect([await under.executor.find(execution), await made(name)]).toMatchObject([{ status: 201, code: 'OK' }, 1]);
  }
});

test('without an answer it is UNKNOWN after a minute, and what a late one says is found', async () => {
  const [lost, late] = [await requested(), await requested()];
  const owned = async (statement: string) => {
    const owner = new Client({ connectionString: under.databaseUrl });
    await owner.connect();
    await owner.query(statement);
    await owner.end();
  };
  const began = await under.now();
  await owned('REVOKE INSERT ON category FROM sangjeom_app');
  for (const { run } of [lost, late]) await under.command(run, 'approve', await decider());
  await until('UNKNOWN', async () => {
    await under.skip(10 * SECOND);
    return (await statusOf(lost.run)) === 'UNKNOWN' && (await statusOf(late.run)) === 'UNKNOWN';
  });
  expect((await under.now()) - began).toBeGreaterThanOrEqual(RETRY_MS);
  await owned('GRANT INSERT ON category TO sangjeom_app');
  expect(await under.executor.execute({ ...lost.execution, at: await under.now() })).toBeNull();
  // One of its tries had begun in time, and ends now.
  await approvedAt(late.run, 0);
  expect(await under.executor.execute({ ...late.execution, at: await under.now() })).toMatchObject({ status: 201, code: 'OK' });
  await until('found', async () => {
    await under.skip(MINUTE);
    return (await statusOf(late.run)) === 'SUCCEEDED';
  });
  const handle = under.client.workflow.getHandle(lost.run.workflowId);
  await handle.result();
  expect((await handle.describe()).closeTime!.getTime() - began).toBeGreaterThanOrEqual(SEARCH_MS);
  expect([await statusOf(lost.run), await made(lost.name), await made(late.name)]).toEqual(['UNKNOWN', 0, 1]);
  const record = await under.inTenant(async (tx) => viewApproval(tx, await findApproval(tx, lost.run.entityId), viewer));
  expect(record.result).toEqual({ statusCode: 0, code: 'UNKNOWN', requestId: null, data: null, error: null });
});

test('an answer that is recorded after the member has withdrawn keeps nothing of them', async () => {
  const customerId = `cus_${'0'.repeat(22)}`;
  const insert = `INSERT INTO customer (store_id, customer_id, email, created_at) VALUES (?, ?, 'leaving@x.example', now())`;
  await under.rows(insert, [under.storeId, customerId]);
  // By then the server has skipped years.
  const body = { amount: 55, reason: '카나리아사유', expiresAt: korean((await under.now()) + 30 * DAY) };
  const run = await under.approval({ id: 'points.adjust', params: { customerId }, body });
  const execution = { storeId: under.storeId, approvalId: run.entityId, at: await under.now() };
  await approved(run);
  const written = async () => {
    const columns = 'body, result_data AS data, result_error AS error, result_request_id IS NOT NULL AS "isAnswered"';
    const [row] = await under.rows<object>(`SELECT ${columns} FROM approval_request WHERE approval_id = ?`, [run.entityId]);
    return row;
  };
  await under.executor.execute(execution);
  expect(await written()).toMatchObject({ body, error: null, data: { memo: '카나리아사유', balance: 55 }, isAnswered: true });
  await under.inTenant((tx) => withdrawCustomer(tx, customerId, null));
  const cleared = { body: { ...body, reason: null }, data: null, error: null, isAnswered: true };
  expect(await written()).toEqual(cleared);
  expect(await under.executor.find({ ...execution, at: await under.now() })).toMatchObject({ status: 201, code: 'OK' });
  expect(await written()).toEqual(cleared);
});

test('no key that its agent may have sent stands in its way', async () => {
  const { run, name, execution } = await requested();
  await approved(run);
  await under.rows(
    `INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, status, body, created_at, expires_at)
     SELECT store_id, principal, 'approval/' || approval_id || '/1', operation_id, fingerprint, 202, '{}', now(), now() + interval '1 day'
     FROM approval_request WHERE approval_id = ?`,
    [run.entityId],
  );
  expect(await under.executor.execute(execution)).toMatchObject({ status: 201, code: 'OK' });
  expect(await made(name)).toBe(1);
});

test('what nobody approved is not carried out', async () => {
  const { name, execution } = await requested();
  await expect(under.executor.execute(execution)).rejects.toThrow('was not approved');
  expect(await made(name)).toBe(0);
});
