/** The support command, as staff use it: by any number, in plain words. */
import { beforeAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { support, supportCommand } from '../../kernel/support.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';
import { FlowShop } from '../flows/shop.ts';
import { atRest } from '../runs/story.ts';

let shop: World;
let order: Awaited<ReturnType<World['order']>>;
beforeAll(async () => {
  shop = await world();
  order = await shop.order(undefined, 2);
});
const ids = async (text: string) => ((await support('find', text, '--json')) as { workflow_id: string }[]).map((run) => run.workflow_id);

test('finds the runs behind any number', async () => {
  const item = `order-item/${shop.store.storeId}/${order.orderNo}01`;
  const payment = `payment/${shop.store.storeId}/${order.paymentId}`;
  for (const number of [order.orderNo, `${order.orderNo.slice(0, 6)}-${order.orderNo.slice(6)}`, order.orderId])
    expect((await ids(number)).toSorted()).toEqual([item, payment]);
  for (const number of [order.orderItemId, `${order.orderNo}01`, item]) expect(await ids(number)).toEqual([item]);
  for (const number of [order.paymentId, `${order.orderNo}-01`]) expect(await ids(number)).toEqual([payment]);
});

test('is a command that prints text or JSON, and ends with 1 and a reason', async () => {
  expect(String(await supportCommand('explain', order.orderNo))).toBe(String(await support('explain', order.orderNo)));
  expect(await supportCommand('find', order.orderNo, '--json')).toEqual(await support('find', order.orderNo, '--json'));
  await expect(supportCommand('find', 'nothing')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing is known by nothing'),
  });
  await expect(support('dance', 'x')).rejects.toThrow('Usage');
});

test('explains in words what a run waits for', async () => {
  const text = String(await support('explain', order.orderNo));
  expect(text).toContain(`Order item ${order.orderNo}01 is PAID, 0 of 2 canceled.`);
  expect(text).toContain('It waits for the seller or buyer; nothing is due.');
  expect(text).toContain('The payment of 23000 won is completed (COMPLETED).');
  expect(await support('explain', order.orderItemId, '--json')).toMatchObject([{ status: 'RUNNING', wakeAt: null }]);
});

test('a refused refund is run again under a new key', async () => {
  await call(underTest.simulator, 'POST', '/__sim/next', { body: { op: 'cancel', behavior: 'refuse', orderId: `${order.orderNo}-01` } });
  const { refundId } = (await shop.act(order.orderItemId, 'cancel', { reason: 'OTHER', quantity: 1 })).body.data as { refundId: string };
  const status = async () => (await query<{ status: string }>('SELECT status FROM refund WHERE refund_id = $1', [refundId]))[0]!.status;
  await until('refused', async () => (await status()) === 'FAILED');
  expect(String(await support('refunds'))).toContain(refundId);
  expect(String(await support('explain', refundId))).toContain(
    `was refused by the provider (NOT_CANCELABLE_PAYMENT): \`npm run support -- retry ${refundId}\``,
  );
  expect(await support('retry', refundId, '--json')).toEqual({ done: `Refund ${refundId} is asked for again, under a new key.` });
  await until('paid back', async () => (await status()) === 'DONE');
  await expect(support('retry', refundId)).rejects.toThrow('is DONE');
});

test('explains an invitation', async () => {
  await people(shop);
  const { storeId, storeCode } = shop.store;
  const headers = { authorization: `Bearer ${await storeToken(`owner@${storeCode}.example`, storeId)}` };
  const email = `guest@${storeCode}.example`;
  const { body } = await call(underTest.api, 'POST', '/v1/store/invitations', { body: { email, role: 'STAFF' }, headers });
  const { invitationId } = body.data as { invitationId: string };
  const isMailed = async () =>
    (await query('SELECT 1 FROM invitation WHERE invitation_id = $1 AND next_send_at IS NULL', [invitationId])).length === 1;
  await until('mailed', isMailed);
  const text = String(await support('explain', invitationId));
  expect(text).toContain('Mail 1 is SENT after 1 of 4 tries.');
  expect(text).toContain('The invitation as STAFF is PENDING; its link works until');
  expect(text).not.toContain(email);
});

test('finds, explains, wakes and resets a claim', async () => {
  const buyer = await shop.member();
  const { orderItemId, orderId, orderNo } = await shop.order(undefined, 2, buyer);
  const file = async (quantity: number) => {
    const wanted = { type: 'CANCEL', reason: 'OTHER', detail: 'canary detail', quantity };
    const filed = await buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, wanted);
    return filed.body.data as { claimId: string; claimNo: string; refundId: string | null };
  };
  const atOnce = await file(1);
  await shop.act(orderItemId, 'confirm');
  const { claimId, claimNo } = await file(1);
  const run = `claim/${shop.store.storeId}/${claimNo}`;
  for (const number of [claimNo, claimId, run]) expect(await ids(number)).toEqual([run]);
  for (const number of [orderNo, orderId]) expect(await ids(number)).toContain(run);
  await shop.seller.call('POST', `/v1/claims/${claimId}/hold`, { reason: 'canary reason' });
  const held = String(await support('explain', claimNo));
  expect(held).toContain(`Claim ${claimNo}, CANCEL of 1 of order item ${orderItemId}, is HELD until 20`);
  expect(held).toContain('It acts by itself at');
  expect(String(await support('retry', claimNo))).toContain('was told to look again');
  const { body } = await shop.seller.call('POST', `/v1/claims/${claimId}/approve`, {});
  const { refundId, refundAmount } = body.data as { refundId: string; refundAmount: number };
  expect(await support('reset', run, '--json')).toMatchObject({ workflowId: run });
  await atRest(run);
  const ended = String(await support('explain', claimId));
  expect(ended).toContain(`is COMPLETED.\n  It gave ${refundAmount} won back by refund ${refundId}.`);
  expect(ended).toContain('Its run is done since');
  expect(await query('SELECT name FROM claim_step WHERE claim_id = $1 ORDER BY seq', [claimId])).toHaveLength(3);
  await expect(support('retry', claimNo)).rejects.toThrow('nothing is left to retry');
  const paid = String(await support('explain', atOnce.claimNo));
  expect(paid).toContain(`by refund ${atOnce.refundId}.\n  It was completed when it was filed, or its run was done so long ago`);
  expect(held + ended + paid).not.toContain('canary');
});

test('finds, explains, wakes and resets a group of items', async () => {
  const flows = new FlowShop(shop);
  const products = await flows
    .flow({ presetKey: 'food-delivery' }, 'food')
    .then((flowId) => [flows.product(flowId), flows.product(flowId)]);
  const ids = (await Promise.all(products)).map(({ productId }) => productId);
  const { orderNo, itemIds } = await flows.buy(await shop.buyer(), ids);
  const run = `order-group/${shop.store.storeId}/${orderNo}/food`;
  await flows.act(itemIds[0]!, 'accept', { input: { minutes: '30' } });
  const text = String(await support('explain', orderNo));
  expect(text).toContain(`The items of the order in flow food@1 move together: ${orderNo}01 is CONFIRMED, ${orderNo}02 is CONFIRMED.`);
  expect(text).toContain('It acts by itself at');
  expect(String(await support('retry', run))).toContain('was told to look again');
  expect(await support('reset', run, '--json')).toMatchObject({ workflowId: run });
  await atRest(run);
  expect((await flows.item(itemIds[1]!)).status).toBe('CONFIRMED');
});

test('a run’s history is checked against this checkout', async () => {
  expect(String(await support('retry', order.orderItemId))).toContain('was told to look again');
  expect(await supportCommand('replay', order.orderItemId, '--json')).toMatchObject({ agrees: true, difference: null });
});
