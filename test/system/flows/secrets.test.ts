/** Connections to external services: what they may be, and that nobody sees their values (docs/contract.md#connections). */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { openSecret } from '../../../db/flows/secrets.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, underTest, world } from '../../kernel/world.ts';
import { Author } from './fixtures.ts';

const PATH = '/v1/commerce-flows/secrets';
const CANARY = 'Bearer canary-of-a-connection';
const WHOLE = { url: 'https://api.example.com/v2/', headerName: 'Authorization', headerValue: CANARY };
let author: Author;
let desk: Desk;
beforeAll(async () => {
  author = new Author(await world());
  desk = await Desk.open(author.shop);
});
afterAll(() => desk.close());
const put = (name: string, changes: object = {}) => author.send('PUT', `${PATH}/${name}`, { ...WHOLE, ...changes });

test('stored, replaced as a whole, listed by name, deleted; the value is answered nowhere', async () => {
  const { status, body } = await put('issuer');
  const shown = { name: 'issuer', url: WHOLE.url, headerName: 'Authorization', updatedAt: expect.stringMatching(/\+09:00$/) };
  expect([status, body.data]).toEqual([200, shown]);
  expect((await put('another', { headerName: 'X-Api-Key' })).status).toBe(200);
  expect((await put('issuer', { url: 'https://api.example.com' })).body.data).toMatchObject({ url: 'https://api.example.com' });
  expect((await author.get(PATH)).items).toMatchObject([
    { name: 'another', headerName: 'X-Api-Key' },
    { name: 'issuer', url: 'https://api.example.com' },
  ]);
  expect(JSON.stringify([body, await author.get(PATH)])).not.toContain('canary');
  const deleted = await author.send('DELETE', `${PATH}/another`);
  expect([deleted.status, deleted.body.data]).toEqual([200, null]);
  expect(await author.code('DELETE', `${PATH}/another`)).toBe('FLOW_SECRET_NOT_FOUND');
});

test('all problems of a connection are told at once', async () => {
  const { error } = (await author.send('PUT', `${PATH}/Not-Lower`, { url: 1, headerName: 'a b', headerValue: '', more: 1 })).body;
  expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(error!.fieldErrors!.map(({ field }) => field).toSorted()).toEqual(['headerName', 'headerValue', 'more', 'name', 'url']);
  for (const missing of ['url', 'headerName', 'headerValue'])
    expect((await put('x', { [missing]: undefined })).body.error!.fieldErrors).toMatchObject([{ field: missing, code: 'REQUIRED' }]);
  for (const headerName of ['Host', 'content-length', 'CONTENT-TYPE', 'Transfer-Encoding', 'connection', 'Idempotency-Key', 'a:b', 'é', ''])
    expect((await put('x', { headerName })).body.error!.fieldErrors).toMatchObject([{ field: 'headerName' }]);
  for (const headerValue of ['한글', 'a\nb', 'a\u0000', 'x'.repeat(4097)])
    expect((await put('x', { headerValue })).body.error!.fieldErrors).toMatchObject([{ field: 'headerValue' }]);
  expect((await put('x', { headerValue: ` ${'x'.repeat(4094)} ` })).status).toBe(200);
});

test.each([
  ['http://api.example.com', 'INVALID_URL'],
  ['https://user@api.example.com', 'INVALID_URL'],
  ['https://api.example.com/\u202emoc', 'INVALID_URL'],
  ['https://api.example.com/?key=1', 'INVALID_URL'],
  ['https://api.example.com/#part', 'INVALID_URL'],
  ['https://api.example.com/?', 'INVALID_URL'],
  ['ftp://api.example.com', 'INVALID_URL'],
  ['api.example.com', 'INVALID_URL'],
  ['https://10.0.0.1', 'BLOCKED_ADDRESS'],
  ['https://169.254.169.254/latest', 'BLOCKED_ADDRESS'],
  ['https://[fd00::1]/', 'BLOCKED_ADDRESS'],
])('%s is no address to call', async (url, reason) => {
  expect((await put('refused', { url })).body.error).toMatchObject({ code: 'FLOW_SECRET_URL_INVALID', details: { reason } });
  expect(((await author.get(PATH)).items as { name: string }[]).map(({ name }) => name)).not.toContain('refused');
});

test('in development, http on the loopback interface may be called', async () => {
  expect((await put('local', { url: 'http://127.0.0.1:9/api' })).status).toBe(200);
  expect((await put('local', { url: 'http://127.0.0.1:9/api?a=1' })).body.error!.code).toBe('FLOW_SECRET_URL_INVALID');
});

test('sealed at rest, opened for its own store and name alone', async () => {
  await put('sealed');
  const { storeId } = author.shop.store;
  const keyring = createKeyring(underTest.env['SEALING_KEYS']!);
  const opened = (name: string) => desk.inTenant((tx) => openSecret(tx, keyring, name));
  expect(await opened('sealed')).toEqual(WHOLE);
  expect(await opened('none')).toBeNull();
  const read = async () =>
    (
      await query<{ sealed: string }>(`SELECT value_sealed AS sealed FROM flow_secret WHERE store_id = $1 AND name = 'sealed'`, [storeId])
    )[0]!.sealed;
  const before = await read();
  expect(before).not.toContain('canary');
  await query(`UPDATE flow_secret SET value_sealed = $2 WHERE store_id = $1 AND name = 'issuer'`, [storeId, before]);
  await expect(opened('issuer')).rejects.toThrow();
});

test('another store sees none of them and deletes none', async () => {
  await put('mine');
  const rival = new Author(await world());
  expect((await rival.get(PATH)).items).toEqual([]);
  expect(await rival.code('DELETE', `${PATH}/mine`)).toBe('FLOW_SECRET_NOT_FOUND');
  await rival.send('PUT', `${PATH}/mine`, { ...WHOLE, url: 'https://rival.example.com' });
  expect((await author.get(PATH)).items).toContainEqual(expect.objectContaining({ name: 'mine', url: WHOLE.url }));
});

test('agents may not; a dry run changes nothing and tells of a value that it is another one', async () => {
  const agent = await desk.agent(['flow:rw']);
  for (const [method, body] of [
    ['PUT', WHOLE],
    ['DELETE', undefined],
  ] as const) {
    const reply = await call(underTest.api, method, `${PATH}/robot`, { body, headers: agent.headers });
    expect([reply.status, reply.body.error!.code]).toEqual([403, 'AGENT_OPERATION_DENIED']);
  }
  await put('dry');
  const { data } = (await author.send('PUT', `${PATH}/dry`, { ...WHOLE, url: 'https://new.example.com' }, { 'x-svc-dry-run': '1' })).body;
  expect(data).toMatchObject({
    dryRun: true,
    decision: 'ALLOW',
    preview: {
      operationId: 'flows.saveSecret',
      target: { type: 'FLOW_SECRET', id: 'dry' },
      changes: [
        { field: 'headerValue', before: null, after: null },
        { field: 'url', before: WHOLE.url, after: 'https://new.example.com' },
      ],
    },
  });
  expect((await author.get(PATH)).items).toContainEqual(expect.objectContaining({ name: 'dry', url: WHOLE.url }));
  const { storeId } = author.shop.store;
  const records = await query('SELECT to_jsonb(a)::text AS text FROM audit_request a WHERE store_id = $1', [storeId]);
  expect(records.length).toBeGreaterThan(5);
  expect(JSON.stringify(records)).not.toContain('canary');
});
