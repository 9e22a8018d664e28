/** The error codes of claims, each once, by members and sellers (docs/contract.md#claims). */
import { beforeAll, expect, test } from '@jest/globals';
import type { Buyer } from '../../../bin/dev/client.ts';
import { type World, world } from '../../kernel/world.ts';

let shop: World;
let buyer: Buyer;
beforeAll(async () => {
  shop = await world();
  buyer = await shop.member();
});
const file = (orderItemId: string, request: object) =>
  buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, { reason: 'OTHER', ...request });
const claim = async (orderItemId: string, type: string): Promise<string> => (await file(orderItemId, { type })).body.data.claimId as string;
const command = async (claimId: string, action: string, body: object = {}) =>
  (await shop.seller.call('POST', `/v1/claims/${claimId}/${action}`, body)).body.error;

test('CLAIM_NOT_FOUND: none has the id, or it is another member’s', async () => {
  expect((await command('clm_none', 'release'))?.code).toBe('CLAIM_NOT_FOUND');
  const { orderItemId } = await shop.order(undefined, 1, buyer);
  await shop.act(orderItemId, 'confirm');
  const claimId = await claim(orderItemId, 'CANCEL');
  const other = await shop.member();
  const withdrawn = await other.call('POST', `/storefront/v1/me/claims/${claimId}/withdraw`, {});
  expect([withdrawn.status, withdrawn.body.error?.code]).toEqual([404, 'CLAIM_NOT_FOUND']);
});

test('PERIOD_EXPIRED: seven days after the delivery', async () => {
  await shop.seller.call('PATCH', '/v1/store', { autoConfirmDays: 30 });
  const { orderItemId } = await shop.order(undefined, 1, buyer);
  await shop.act(orderItemId, 'confirm');
  await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
  await shop.act(orderItemId, 'delivered');
  await shop.advance('P7D');
  const late = await file(orderItemId, { type: 'RETURN' });
  expect([late.status, late.body.error?.code]).toEqual([409, 'PERIOD_EXPIRED']);
});

test('ALREADY_HELD: a second hold', async () => {
  const { orderItemId } = await shop.order(undefined, 1, buyer);
  await shop.act(orderItemId, 'confirm');
  const claimId = await claim(orderItemId, 'CANCEL');
  expect(await command(claimId, 'hold', { reason: '확인 중' })).toBeNull();
  expect((await command(claimId, 'hold', { reason: '확인 중' }))?.code).toBe('ALREADY_HELD');
});

test('COLLECTION_NOT_REQUIRED, EXCHANGE_NOT_SUPPORTED: what is not shipped', async () => {
  const ticket = await shop.product({ fulfillment: { type: 'MANUAL' } });
  const { orderItemId } = await shop.order(ticket, 1, buyer);
  await shop.act(orderItemId, 'fulfill');
  expect((await file(orderItemId, { type: 'EXCHANGE' })).body.error?.code).toBe('EXCHANGE_NOT_SUPPORTED');
  const claimId = await claim(orderItemId, 'RETURN');
  expect((await command(claimId, 'collect', { method: 'BUYER_SEND' }))?.code).toBe('COLLECTION_NOT_REQUIRED');
});

test('VALIDATION_FAILED: an explanation of fewer than ten characters, blanks around it aside', async () => {
  const rejection = { reason: 'OTHER', explanation: `   ${'가'.repeat(9)}   ` };
  expect(await command('clm_none', 'reject', rejection)).toMatchObject({
    code: 'VALIDATION_FAILED',
    fieldErrors: [{ field: 'explanation', code: 'TOO_SHORT' }],
  });
  expect((await command('clm_none', 'reject', { ...rejection, explanation: '가'.repeat(10) }))?.code).toBe('CLAIM_NOT_FOUND');
});
