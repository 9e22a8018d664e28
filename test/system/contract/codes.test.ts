/** Errors that need more than a request: another process, or a record that is damaged. */
import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { root } from '../../../bin/kernel/paths.ts';
import { hashKey } from '../../../db/runs/operations.ts';
import { catalogue } from '../../../domain/kernel/errors.ts';
import { LIMIT, limitedApi } from '../../kernel/secondApi.ts';
import { call } from '../../../bin/dev/client.ts';
import { query, underTest, world } from '../../kernel/world.ts';

test('TOO_MANY_REQUESTS: the sixth request of a minute where five are allowed', async () => {
  const shop = await world();
  const api = await limitedApi();
  const headers = { authorization: `Bearer ${shop.seller.bearer}` };
  const send = () => call(api, 'GET', '/v1/store', { headers });
  for (let n = 0; n < LIMIT; n++) expect((await send()).status).toBe(200);
  const refused = await send();
  expect([refused.status, refused.body.error?.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  expect([refused.headers.get('ratelimit-remaining'), Number(refused.headers.get('retry-after')) > 0]).toEqual(['0', true]);
});

test('a stored reply that cannot be opened is INTERNAL', async () => {
  const shop = await world();
  const body = { url: 'https://example.com/hook', eventTypes: ['ORDER.PAID'] };
  const register = () => shop.seller.call('POST', '/v1/webhooks', body, { 'idempotency-key': 'damaged' });
  expect((await register()).status).toBe(201);
  await query(`UPDATE operation SET body = '{"sealed":"damaged"}' WHERE store_id = $1 AND key = $2`, [
    shop.store.storeId,
    hashKey('damaged'),
  ]);
  const reply = await register();
  expect([reply.status, reply.body.error]).toEqual([500, { code: 'INTERNAL', message: catalogue.INTERNAL.message }]);
});

test('IDEMPOTENCY_IN_PROGRESS: a concurrent duplicate that has not ended after five seconds', async () => {
  const shop = await world();
  const send = (name: string) => shop.seller.call('POST', '/v1/categories', { name }, { 'idempotency-key': name });
  await send('first');
  const other = new Client({ connectionString: underTest.databaseUrl });
  await other.connect();
  await other.query('BEGIN');
  await other.query(
    `INSERT INTO operation (store_id, principal, key, operation_id, fingerprint, created_at, expires_at)
     SELECT store_id, principal, $2, operation_id, fingerprint, created_at, expires_at FROM operation WHERE store_id = $1
       AND key = $3`,
    [shop.store.storeId, hashKey('second'), hashKey('first')],
  );
  const reply = await send('second');
  expect([reply.status, reply.body.error?.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
  await other.query('ROLLBACK');
  await other.end();
  expect((await send('second')).status).toBe(201);
}, 30_000);

test('unknown orders and items are reported as such', async () => {
  const shop = await world();
  expect((await shop.seller.call('GET', '/v1/orders/ord_x')).body.error?.code).toBe('ORDER_NOT_FOUND');
  expect((await shop.seller.call('GET', '/v1/order-items/oit_x')).body.error?.code).toBe('ORDER_ITEM_NOT_FOUND');
  expect((await shop.act('oit_x', 'confirm')).body.error?.code).toBe('ORDER_ITEM_NOT_FOUND');
});

test('every error of the catalogue is raised by a test', () => {
  const sources = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(root, 'test', file), 'utf8'));
  expect(Object.keys(catalogue).filter((code) => !sources.some((source) => source.includes(`'${code}'`)))).toEqual([]);
});
