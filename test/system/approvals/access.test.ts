/** Who sees and decides approval requests, and how a repeated request of an agent finds its own. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { approvalAnswer } from '../../../api/pipeline/approvalAnswer.ts';
import { call, type Headers_ } from '../../../bin/dev/client.ts';
import { replayApproval } from '../../../db/approvals/commands.ts';
import { readConfig } from '../../../db/kernel/config.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { type Agent, Desk, newApproval, type Wanted } from '../../kernel/approvals.ts';
import { exchange, loginAs } from '../../kernel/login.ts';
import { query, underTest, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
let rival: Desk;
beforeAll(async () => {
  [desk, rival] = await Promise.all([Desk.open(await world()), Desk.open(await world())]);
  agent = await desk.agent();
});
afterAll(() => Promise.all([desk.close(), rival.close()]));

let names = 0;
const category = (changes: Partial<Wanted> = {}): Wanted => ({
  id: 'categories.create',
  body: { name: `category ${names++}` },
  ...changes,
});
const send = async (method: string, path: string, headers: Headers_, body?: unknown) => {
  const reply = await call(underTest.api, method, `/v1/approval-requests${path}`, { body, headers });
  return reply.body.error ? `${reply.status} ${reply.body.error.code}` : reply.body.data;
};

describe('who', () => {
  test('an agent reads its own without a scope, and no other; it neither lists nor decides', async () => {
    const approvalId = await desk.created(agent, category());
    const other = await desk.agent(['category:rw', 'product:rw', 'order:rw', 'webhook:rw']);
    await query(`UPDATE api_token SET scopes = '{}' WHERE token_id = $1`, [agent.tokenId]);
    expect(await send('GET', `/${approvalId}`, agent.headers)).toMatchObject({ approvalId, status: 'PENDING' });
    await query(`UPDATE api_token SET scopes = '{category:rw,product:rw}' WHERE token_id = $1`, [agent.tokenId]);
    expect(await send('GET', `/${approvalId}`, other.headers)).toBe('404 APPROVAL_NOT_FOUND');
    for (const headers of [agent.headers, other.headers, { ...(await desk.person('owner')), 'x-svc-agent': 'robot/1' }])
      expect([
        await send('GET', '', headers),
        await send('POST', `/${approvalId}/approve`, headers, {}),
        await send('POST', `/${approvalId}/reject`, headers, {}),
      ]).toEqual(Array.from({ length: 3 }, () => '403 AGENT_OPERATION_DENIED'));
    expect(await send('GET', `/${approvalId}`, agent.headers)).toMatchObject({ status: 'PENDING' });
  });
  test('servers and STAFF have the wrong role, another store has none', async () => {
    const approvalId = await desk.created(agent, category());
    const server = { authorization: `Bearer ${desk.shop.seller.bearer}` };
    for (const headers of [server, await desk.person('staff')])
      for (const [method, path] of [
        ['GET', ''],
        ['GET', `/${approvalId}`],
        ['POST', `/${approvalId}/approve`],
        ['POST', `/${approvalId}/reject`],
      ] as const)
        expect([method, path, await send(method, path, headers)]).toEqual([method, path, '403 INSUFFICIENT_ROLE']);
    const stranger = await rival.agent();
    for (const headers of [stranger.headers, await rival.person('owner')])
      expect(await send('GET', `/${approvalId}`, headers)).toBe('404 APPROVAL_NOT_FOUND');
    for (const decision of ['approve', 'reject'])
      expect(await send('POST', `/${approvalId}/${decision}`, await rival.person('owner'), {})).toBe('404 APPROVAL_NOT_FOUND');
    expect((await desk.read('apr_none')).body.error?.code).toBe('APPROVAL_NOT_FOUND');
    expect(await send('GET', '', await rival.person('owner'))).toMatchObject({ total: 0 });
    expect(await send('GET', `/${approvalId}`, await desk.person('admin'))).toMatchObject({ status: 'PENDING' });
  });
  test('approving needs the scopes and the role of the operation, rejecting neither', async () => {
    const approvalId = await desk.created(agent, category());
    const { user } = await loginAs(desk.email('owner'));
    const { access_token: token } = (await exchange(user.access_token, desk.shop.store.storeId, { scope: 'order:rw' })).body;
    const narrow = { authorization: `Bearer ${token}` };
    expect(await send('POST', `/${approvalId}/approve`, narrow, {})).toBe('403 INSUFFICIENT_SCOPE');
    expect(await send('GET', `/${approvalId}`, narrow)).toMatchObject({ status: 'PENDING' });
    expect(await send('POST', `/${approvalId}/reject`, narrow, { note: 'no' })).toMatchObject({
      status: 'REJECTED',
      decisionNote: 'no',
      result: null,
    });
    const forOwner = await desk.created(agent, category({ changes: { approverRole: 'OWNER' } }));
    expect(await send('POST', `/${forOwner}/approve`, await desk.person('admin'), {})).toBe('403 INSUFFICIENT_ROLE');
    expect(await send('POST', `/${forOwner}/approve`, await desk.person('owner'), {})).toMatchObject({
      status: 'SUCCEEDED',
      approverRole: 'OWNER',
    });
    expect(await send('POST', `/${forOwner}/reject`, await desk.person('owner'), { note: 'x'.repeat(501) })).toBe('400 VALIDATION_FAILED');
  });
  test('a repeated decision under its key gets the same record; without one it is told the status', async () => {
    const approvalId = await desk.created(agent, category());
    const key = { 'idempotency-key': approvalId };
    const [first, second] = [
      await desk.decide(approvalId, 'approve', 'owner', {}, key),
      await desk.decide(approvalId, 'approve', 'owner', {}, key),
    ];
    expect([first.body.data.status, second.headers.get('idempotent-replayed')]).toEqual(['SUCCEEDED', 'true']);
    expect(second.body.data).toEqual(first.body.data);
    expect((await desk.decide(approvalId, 'approve')).body.error).toMatchObject({
      code: 'APPROVAL_NOT_PENDING',
      details: { status: 'SUCCEEDED' },
    });
  });
  test('a dry run decides nothing', async () => {
    const wanted = category();
    const approvalId = await desk.created(agent, wanted);
    for (const decision of ['approve', 'reject'] as const) {
      const { status, body } = await desk.decide(approvalId, decision, 'owner', {}, { 'x-svc-dry-run': '1' });
      expect([status, body.data]).toMatchObject([200, { dryRun: true, preview: { target: { type: 'APPROVAL', id: approvalId } } }]);
    }
    expect((await desk.read(approvalId)).body.data.status).toBe('PENDING');
  });
});

describe('the list', () => {
  test('is newest first, by status as it is now and by operation', async () => {
    const mine = await Desk.open(await world());
    const robot = await mine.agent();
    const ids: string[] = [];
    for (const id of ['categories.create', 'products.remove', 'categories.create'])
      ids.push(
        await mine.created(robot, {
          id,
          params: { productId: 'prd_x' },
          body: id === 'products.remove' ? null : { name: `${ids.length}` },
        }),
      );
    const owner = await mine.person('owner');
    const listed = async (search: string) =>
      ((await send('GET', search, owner)) as { items: { approvalId: string; request?: object }[] }).items.map(
        ({ approvalId }) => approvalId,
      );
    expect(await listed('')).toEqual(ids.toReversed());
    expect(await listed('?operationId=products.remove')).toEqual([ids[1]]);
    expect(await listed('?size=1&page=2')).toEqual([ids[1]]);
    await mine.decide(ids[0]!, 'reject');
    expect(await listed('?status=REJECTED')).toEqual([ids[0]]);
    expect(await listed('?status=PENDING,REJECTED')).toEqual(ids.toReversed());
    await query('UPDATE approval_request SET expires_at = created_at WHERE approval_id = $1', [ids[1]]);
    expect([await listed('?status=EXPIRED'), await listed('?status=PENDING')]).toEqual([[ids[1]], [ids[2]]]);
    expect(((await send('GET', '', owner)) as { items: object[] }).items[0]).not.toHaveProperty('request');
    for (const status of ['', 'NONE', 'PENDING,', 'pending'])
      expect(await send('GET', `?status=${status}`, owner)).toBe('400 INVALID_PARAMETER');
    await mine.close();
  });
});

describe('keys', () => {
  const keyring = createKeyring(readConfig(underTest.env).sealingKeys);
  const config = readConfig(underTest.env);
  const replayed = (wanted: Wanted) =>
    desk.inTenant(async (tx) => {
      const approval = await replayApproval(tx, newApproval(agent, wanted).operation);
      return approval && approvalAnswer(tx, { approval, isReplay: true }, { config, keyring });
    });

  test('a repeat finds its request: 202 while it waits, the whole record later', async () => {
    const wanted = category({ key: 'key-1' });
    expect(await replayed(wanted)).toBeNull();
    const approvalId = await desk.created(agent, wanted);
    expect(await desk.create(agent, wanted)).toMatchObject({ isReplay: true, approval: { approvalId } });
    const waiting = await replayed(wanted);
    expect(waiting).toMatchObject({ status: 202, code: 'APPROVAL_REQUIRED', headers: { 'Idempotent-Replayed': 'true' } });
    expect(waiting!.headers['Location']).toBe(`/v1/approval-requests/${approvalId}`);
    expect(waiting!.body).toEqual({
      approvalId,
      status: 'PENDING',
      operationId: 'categories.create',
      reason: 'HIGH_RISK_OPERATION',
      expiresAt: expect.any(String),
      approvalUrl: new URL(`/approvals/${approvalId}`, config.mail.consoleUrl).href,
    });
    await desk.decide(approvalId, 'approve');
    const decided = await replayed(wanted);
    expect(decided).toMatchObject({ status: 200, code: 'APPROVAL_ALREADY_DECIDED', body: { approvalId, status: 'SUCCEEDED' } });
    expect(decided!.body).toEqual((await desk.read(approvalId, agent.headers)).body.data);
    const [row] = await query<{ days: number }>(
      `SELECT extract(day FROM expires_at - created_at)::int AS days FROM operation
       WHERE body ->> 'approvalId' = $1 AND operation_id = 'categories.create'`,
      [approvalId],
    );
    expect(row).toEqual({ days: 365 });
  });
  test('another body, path or If-Match is another request', async () => {
    const wanted = category({ key: 'key-2' });
    await desk.created(agent, wanted);
    for (const changed of [{ body: { name: 'other' } }, { params: { x: 'y' } }, { headers: { 'if-match': '"2"' } }])
      await expect(desk.create(agent, { ...wanted, ...changed })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });
  test('parallel duplicates make one; without a key each makes its own; keys are the principal’s own', async () => {
    const wanted = category({ key: 'key-3' });
    const requested = await Promise.all(Array.from({ length: 10 }, () => desk.created(agent, wanted)));
    expect(new Set(requested).size).toBe(1);
    const other = await desk.agent();
    expect(await desk.created(other, wanted)).not.toBe(requested[0]);
    const keyless = category();
    expect(await desk.created(agent, keyless)).not.toBe(await desk.created(agent, keyless));
    const runs = await query('SELECT 1 FROM run WHERE store_id = $1 AND entity_id = $2', [desk.shop.store.storeId, requested[0]]);
    expect(runs).toHaveLength(1);
  });
});
