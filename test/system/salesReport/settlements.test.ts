/** Settlements are empty for ever, and every answer names the sales report. */
import { expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { newAddress } from '../../kernel/api.ts';
import { sharedApi } from '../../kernel/secondApi.ts';
import { underTest, world } from '../../kernel/world.ts';

const SUCCESSOR = ['true', '</v1/sales-report>; rel="successor-version"'];
const named = ({ headers }: { readonly headers: Headers }) => [headers.get('deprecation'), headers.get('link')];

test('every answer of settlements names its successor', async () => {
  const shop = await world();
  const list = await shop.seller.call('GET', '/v1/settlements');
  expect(list.body.data).toEqual({ items: [], page: 1, size: 20, total: 0 });
  const invalid = await shop.seller.call('GET', '/v1/settlements?page=0');
  expect([invalid.status, invalid.body.error?.code]).toEqual([400, 'VALIDATION_FAILED']);
  const one = await shop.seller.call('GET', '/settlements/set_x');
  expect([one.status, one.body.error?.code]).toEqual([404, 'SETTLEMENT_NOT_FOUND']);
  const nobody = await call(underTest.api, 'GET', '/settlements');
  expect(nobody.status).toBe(401);
  for (const reply of [list, invalid, one, nobody]) expect(named(reply)).toEqual(SUCCESSOR);
  for (const path of ['/v1/sales-report', '/v1/settlementsx', '/v1/payments'])
    expect(named(await shop.seller.call('GET', path))).toEqual([null, null]);
});

test('also one over the limit of requests', async () => {
  const limited = await sharedApi({ RATE_LIMIT_PER_MINUTE: '1' });
  const headers = { 'x-forwarded-for': newAddress() };
  const replies = [
    await call(limited, 'GET', '/v1/settlements', { headers }),
    await call(limited, 'GET', '/v1/settlements/x', { headers }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([401, 429]);
  for (const reply of replies) expect(named(reply)).toEqual(SUCCESSOR);
}, 60_000);
