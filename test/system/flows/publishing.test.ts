/** Who publishes, at the same time as whom, and that a version never changes (docs/contract.md#authoring). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { call, type Headers_ } from '../../../bin/dev/client.ts';
import { roleUrl } from '../../kernel/database.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, underTest, world } from '../../kernel/world.ts';
import { Author, end, state, twoSteps } from './fixtures.ts';

let author: Author;
let desk: Desk;
beforeAll(async () => {
  author = new Author(await world());
  desk = await Desk.open(author.shop);
});
afterAll(() => desk.close());
const blocked = { schema: 1, start: 'paid', states: [state('paid'), end()], actions: [], edges: [] } as const;

describe('at the same time', () => {
  test('of publishes of one draft one makes a version, the others are told that nothing changed', async () => {
    const flowId = await author.create('racing');
    for (let version = 1; version <= 3; version++) {
      if (version > 1) await author.saveDraft(flowId, twoSteps());
      const codes = await Promise.all(Array.from({ length: 6 }, () => author.code('POST', `/v1/commerce-flows/${flowId}/draft/publish`)));
      expect(codes.toSorted()).toEqual(['201', ...Array.from({ length: 5 }, () => 'FLOW_UNCHANGED')]);
      expect((await author.get(`/v1/commerce-flows/${flowId}`)).latestVersion).toBe(version);
    }
  });
  test('of creations with one key one makes a flow', async () => {
    const codes = await Promise.all(
      Array.from({ length: 6 }, () => author.code('POST', '/v1/commerce-flows', { key: 'wanted', name: 'x', graph: twoSteps() })),
    );
    expect(codes.toSorted()).toEqual(['201', ...Array.from({ length: 5 }, () => 'FLOW_KEY_TAKEN')]);
  });
  test('a publish publishes a draft that was saved, and what is saved after it is the next draft', async () => {
    const flowId = await author.create('mixed');
    const drafts = Array.from({ length: 5 }, (_, i) => twoSteps({ label: `draft ${i}` }));
    await Promise.all([...drafts.map((graph) => author.saveDraft(flowId, graph)), author.publish(flowId)]);
    const { draft, latestVersion } = await author.get(`/v1/commerce-flows/${flowId}`);
    expect(latestVersion).toBe(1);
    const { graph } = await author.get(`/v1/commerce-flows/${flowId}/versions/1`);
    expect([twoSteps(), ...drafts]).toContainEqual(graph);
    if (draft) expect([draft.version, drafts]).toEqual([2, expect.arrayContaining([draft.graph])]);
  });
  test('a repeated creation and a repeated publish answer what the first did', async () => {
    const key = { 'idempotency-key': 'once' };
    const create = () => author.send('POST', '/v1/commerce-flows', { key: 'once', name: 'x', graph: twoSteps() }, key);
    const [first, second] = [await create(), await create()];
    expect([second.status, second.body.data]).toEqual([201, first.body.data]);
    const publish = () => author.send('POST', `/v1/commerce-flows/${first.body.data.flowId}/draft/publish`, {}, key);
    expect((await publish()).body.error!.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const other = { 'idempotency-key': 'twice' };
    const again = () => author.send('POST', `/v1/commerce-flows/${first.body.data.flowId}/draft/publish`, {}, other);
    expect([(await again()).body.data, (await again()).body.data]).toEqual([
      expect.objectContaining({ version: 1 }),
      expect.objectContaining({ version: 1 }),
    ]);
  });
});

test('a version never changes and a flow is never deleted: the database lets nobody', async () => {
  const flowId = await author.published('kept');
  const client = new Client({ connectionString: roleUrl(underTest.databaseUrl, 'sangjeom_app') });
  await client.connect();
  await client.query(`SELECT set_config('app.store_id', $1, false)`, [author.shop.store.storeId]);
  expect((await client.query('SELECT 1 FROM flow_version WHERE flow_id = $1', [flowId])).rowCount).toBe(1);
  for (const sql of [
    `UPDATE flow_version SET graph = '{}' WHERE flow_id = $1`,
    'DELETE FROM flow_version WHERE flow_id = $1',
    'DELETE FROM commerce_flow WHERE flow_id = $1',
  ])
    await expect(client.query(sql, [flowId])).rejects.toThrow('permission denied');
  await client.end();
});

test('another store’s flow is none, and its key is free', async () => {
  const rival = new Author(await world());
  const theirs = await rival.published('shared-key');
  const path = `/v1/commerce-flows/${theirs}`;
  const before = await rival.get(path);
  for (const [method, rest, body] of [
    ['GET', '', undefined],
    ['GET', '/draft', undefined],
    ['PUT', '/draft', { graph: twoSteps() }],
    ['POST', '/draft/check', {}],
    ['POST', '/draft/publish', {}],
    ['GET', '/versions', undefined],
    ['GET', '/versions/1', undefined],
    ['POST', '/versions/1/migrate', {}],
  ] as const)
    expect([method, rest, await author.code(method, path + rest, body)]).toEqual([method, rest, 'FLOW_NOT_FOUND']);
  expect(await author.code('PUT', `/v1/commerce-flows/${await rival.standard('SHIPPING')}/draft`, { graph: twoSteps() })).toBe(
    'FLOW_NOT_FOUND',
  );
  expect(await rival.get(path)).toEqual(before);
  expect(await author.published('shared-key')).not.toBe(theirs);
});

describe('a dry run', () => {
  const dry = (method: string, path: string, body?: unknown) => author.send(method, path, body, { 'x-svc-dry-run': '1' });
  test('of a publish tells the version, or its blockers early; nothing remains', async () => {
    const flowId = await author.create('rehearsed');
    const publish = `/v1/commerce-flows/${flowId}/draft/publish`;
    expect((await dry('POST', publish)).body.data).toMatchObject({
      decision: 'ALLOW',
      preview: { target: { type: 'COMMERCE_FLOW', id: flowId }, facts: { version: 1, progression: 'ITEM' } },
    });
    await author.saveDraft(flowId, blocked);
    expect((await dry('POST', publish)).body.error).toMatchObject({ code: 'PUBLISH_BLOCKED', details: { blocking: expect.any(Array) } });
    expect((await author.get(`/v1/commerce-flows/${flowId}`)).latestVersion).toBeNull();
    const standard = await author.standard('SHIPPING');
    expect((await dry('POST', `/v1/commerce-flows/${standard}/draft/publish`, { more: 1 })).body.error!.code).toBe('FLOW_DEFAULT_LOCKED');
  });
  test('of a creation and a draft tells what would be there', async () => {
    const created = (await dry('POST', '/v1/commerce-flows', { key: 'dry', name: '연습' })).body.data;
    expect(created.preview.target).toEqual({ type: 'COMMERCE_FLOW', id: null });
    expect(created.preview.changes).toContainEqual({ field: 'key', before: null, after: 'dry' });
    const flowId = await author.create('dry');
    const saved = (await dry('PUT', `/v1/commerce-flows/${flowId}/draft`, { graph: { ...twoSteps(), start: 'made' } })).body.data;
    expect(saved.preview.changes).toEqual([{ field: 'draft.graph.start', before: 'paid', after: 'made' }]);
    expect((await author.get(`/v1/commerce-flows/${flowId}`)).draft.graph.start).toBe('paid');
  });
});

describe('an agent', () => {
  let headers: Headers_;
  const byAgent = (method: string, path: string, body?: unknown) =>
    call(underTest.api, method, path, { body, headers: { ...headers, 'idempotency-key': `${method}${path}`.slice(-100) } });
  beforeAll(async () => {
    ({ headers } = await desk.agent(['flow:rw']));
  });
  test('draws and checks itself, and publishes and migrates with an approval', async () => {
    const created = await byAgent('POST', '/v1/commerce-flows', { key: 'drawn-by-agent', name: 'x', graph: twoSteps() });
    expect(created.status).toBe(201);
    const path = `/v1/commerce-flows/${created.body.data.flowId}`;
    expect((await byAgent('PUT', `${path}/draft`, { graph: twoSteps() })).status).toBe(200);
    expect((await byAgent('POST', `${path}/draft/check`)).body.data).toMatchObject({ publishable: true });
    const waiting = await byAgent('POST', `${path}/draft/publish`);
    expect([waiting.status, waiting.body.meta.code]).toEqual([202, 'APPROVAL_REQUIRED']);
    expect((await author.get(path)).latestVersion).toBeNull();
    await desk.decide(waiting.body.data.approvalId as string, 'approve');
    expect((await author.get(path)).latestVersion).toBe(1);
    expect((await byAgent('POST', `${path}/versions/1/migrate`, {})).body.meta.code).toBe('APPROVAL_REQUIRED');
  });
  test('meets the refusals first: nobody is asked about what cannot be', async () => {
    const flowId = await author.create('hopeless', { graph: blocked });
    expect((await byAgent('POST', `/v1/commerce-flows/${flowId}/draft/publish`)).body.error!.code).toBe('PUBLISH_BLOCKED');
    const standard = await author.standard('SHIPPING');
    expect((await byAgent('POST', `/v1/commerce-flows/${standard}/draft/publish`)).body.error!.code).toBe('FLOW_DEFAULT_LOCKED');
    const filed = await query('SELECT 1 FROM approval_request WHERE store_id = $1 AND params::text LIKE $2', [
      author.shop.store.storeId,
      `%${flowId}%`,
    ]);
    expect(filed).toEqual([]);
  });
});

test('a reader reads and checks, and changes nothing', async () => {
  const flowId = await author.create('read');
  const body = { name: 'r', scopes: ['flow:r'] };
  const { token } = (await call(underTest.api, 'POST', '/v1/store/api-tokens', { body, headers: await desk.person('owner') })).body
    .data as {
    token: string;
  };
  const code = async (method: string, path: string, sent?: unknown) => {
    const reply = await call(underTest.api, method, path, { body: sent, headers: { authorization: `Bearer ${token}` } });
    return reply.body.error?.code ?? String(reply.status);
  };
  const path = `/v1/commerce-flows/${flowId}`;
  for (const one of ['/v1/flow-presets', '/v1/flow-node-types', '/v1/commerce-flows', path, `${path}/draft`, '/v1/commerce-flows/secrets'])
    expect([one, await code('GET', one)]).toEqual([one, '200']);
  expect(await code('POST', `${path}/draft/check`)).toBe('200');
  for (const [method, one] of [
    ['POST', '/v1/commerce-flows'],
    ['PUT', `${path}/draft`],
    ['POST', `${path}/draft/publish`],
    ['POST', `${path}/versions/1/migrate`],
    ['PUT', '/v1/commerce-flows/secrets/x'],
    ['DELETE', '/v1/commerce-flows/secrets/x'],
    ['PUT', `/v1/commerce-flows/${await author.standard('SHIPPING')}/draft`],
  ] as const)
    expect([method, one, await code(method, one, {})]).toEqual([method, one, 'INSUFFICIENT_SCOPE']);
});
