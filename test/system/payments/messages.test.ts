/** What the provider says of a payment is the seller's to read: never the buyer's, never another store's, and never in Temporal. */
import { expect, test } from '@jest/globals';
import { call, get, pay } from '../../../bin/dev/client.ts';
import { resetRun, workflowTasks } from '../../../bin/ops/support/reset.ts';
import { inTenant, REQUEST } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { storeProviderMessage } from '../../../db/payments/commands.ts';
import { roleUrl } from '../../kernel/database.ts';
import { support } from '../../kernel/support.ts';
import { query, temporalClient, underTest, until, type World, world } from '../../kernel/world.ts';
import { textsOf } from '../runs/canaries.ts';
import { atRest } from '../runs/story.ts';
import { tenancy } from '../../kernel/tenancy.ts';

const NO_BALANCE = '한도초과 혹은 잔액부족으로 결제에 실패했습니다.';
const STOPPED = '정지된 카드 입니다.';
const NOT_CANCELABLE = '취소 할 수 없는 결제 입니다.';

const runOf = ({ store }: World, paymentId: string) => `payment/${store.storeId}/${paymentId}`;
const readBy = async (shop: World, paymentId: string) => (await shop.seller.call('GET', `/v1/payments/${paymentId}`)).body;
const messagesOf = async (shop: World, paymentId: string) =>
  ((await readBy(shop, paymentId)).data.attempts as { failure: { code: string; message: string | null } | null }[]).map(
    ({ failure }) => failure && [failure.code, failure.message],
  );
const retry = async (paymentId: string): Promise<string> => {
  const body = { option: { pg: 'tosspayments', method: 'CARD' } };
  return (await call(underTest.api, 'POST', `/payments/${paymentId}/attempts`, { body })).body.data.payUrl as string;
};
/** Every text that Temporal has of a run, decoded. */
async function inTemporal(workflowId: string): Promise<string> {
  const handle = (await temporalClient()).workflow.getHandle(workflowId);
  const [history, { raw }] = await Promise.all([handle.fetchHistory(), handle.describe()]);
  return [...textsOf(history), ...textsOf(raw)].join('\n');
}

test('the provider’s words for a declined attempt are for seller and operator alone', async () => {
  const [shop, rival] = [await world(), await world()];
  const { buyer, paymentId, payUrl } = await shop.payment(undefined, await shop.member());
  await pay(payUrl, '4111111111110001');
  expect(await messagesOf(shop, paymentId)).toEqual([['REJECT_CARD_PAYMENT', NO_BALANCE]]);
  const again = await retry(paymentId);
  expect(await messagesOf(shop, paymentId)).toEqual([['REJECT_CARD_PAYMENT', NO_BALANCE], null]);
  await pay(again, '4111111111110002');
  const last = await retry(paymentId);
  await pay(last);
  const messages = [['REJECT_CARD_PAYMENT', NO_BALANCE], ['INVALID_STOPPED_CARD', STOPPED], null];
  expect(await messagesOf(shop, paymentId)).toEqual(messages);

  const status = await buyer.status(paymentId);
  expect(status.body.data).toMatchObject({ status: 'completed' });
  const order = await buyer.call('GET', `/storefront/v1/me/orders/${String(status.body.data.orderId)}`);
  expect(order.status).toBe(200);
  const seen = [status.body, order.body, (await get(again)).text, await readBy(rival, paymentId), await inTemporal(runOf(shop, paymentId))];
  for (const text of seen.map((one) => JSON.stringify(one))) for (const words of [NO_BALANCE, STOPPED]) expect(text).not.toContain(words);
  expect((await readBy(rival, paymentId)).error?.code).toBe('PAYMENT_NOT_FOUND');
  expect(await inTemporal(runOf(shop, paymentId))).toContain('INVALID_STOPPED_CARD');
  expect(String(await support('explain', paymentId))).toContain(`failed (REJECT_CARD_PAYMENT). The provider said: "${NO_BALANCE}"`);
});

test('what the buyer reads of a decline is our sentence', async () => {
  const shop = await world();
  const { buyer, paymentId, payUrl } = await shop.payment();
  await pay(payUrl, '4111111111110001');
  const { lastFailure } = (await buyer.status(paymentId)).body.data as { lastFailure: { message: string } };
  expect(lastFailure.message).toBe('한도 초과 또는 잔액 부족으로 결제하지 못했습니다.');
  expect((await get(payUrl)).text).not.toContain(NO_BALANCE);
});

test('a payment that is reset to each of its workflow tasks keeps the words', async () => {
  const shop = await world();
  const { paymentId, payUrl } = await shop.payment();
  await pay(payUrl, '4111111111110001');
  await shop.advance('PT15M');
  const before = await query('SELECT * FROM payment_attempt WHERE payment_id = $1', [paymentId]);
  expect(before).toMatchObject([{ provider_message: NO_BALANCE, status: 'DECLINED' }]);
  const [client, workflowId] = [await temporalClient(), runOf(shop, paymentId)];
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  for (const eventId of await workflowTasks(client, workflowId, runId)) {
    await resetRun(client, workflowId, eventId, 'drill', runId);
    await atRest(workflowId);
  }
  expect(await query('SELECT * FROM payment_attempt WHERE payment_id = $1', [paymentId])).toEqual(before);
});

test('an attempt that has ended keeps its words, whatever is answered later', async () => {
  const shop = await world();
  const { attemptId, paymentId, payUrl } = await shop.payment();
  await pay(payUrl, '4111111111110001');
  const orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 1);
  const { storeId } = shop.store;
  await inTenant(orm, tenancy(storeId), REQUEST, (tx) => storeProviderMessage(tx, { attemptId }, STOPPED));
  await orm.close();
  expect(await messagesOf(shop, paymentId)).toEqual([['REJECT_CARD_PAYMENT', NO_BALANCE]]);
});

test('the words of an open outcome are shown once nothing turns out to be charged', async () => {
  const shop = await world();
  const { buyer, paymentId, payUrl } = await shop.payment();
  const paying = pay(payUrl, '4111111111110030').catch(() => null);
  await until('processing', async () => (await buyer.status(paymentId)).body.data.status === 'processing');
  await shop.advance('PT5M');
  await paying;
  expect(await messagesOf(shop, paymentId)).toEqual([['NOT_CHARGED', 'FAILED_INTERNAL_SYSTEM_PROCESSING']]);
});

test('a cancel in the provider’s window has no words', async () => {
  const shop = await world();
  const { paymentId, payUrl } = await shop.payment();
  await pay(payUrl, undefined, 'cancel');
  expect(await messagesOf(shop, paymentId)).toEqual([['PAY_PROCESS_CANCELED', null]]);
});

test('the provider’s words for a refused refund are for operators alone', async () => {
  const shop = await world();
  const { orderNo, orderItemId, paymentId } = await shop.order();
  await call(underTest.simulator, 'POST', '/__sim/next', { body: { op: 'cancel', behavior: 'refuse', orderId: `${orderNo}-01` } });
  const { refundId } = (await shop.act(orderItemId, 'cancel', { reason: 'OTHER' })).body.data as { refundId: string };
  const refund = async () =>
    (await query<{ status: string; provider_message: string | null }>('SELECT * FROM refund WHERE refund_id = $1', [refundId]))[0]!;
  await until('refused', async () => (await refund()).status === 'FAILED');
  expect((await refund()).provider_message).toBe(NOT_CANCELABLE);
  expect(String(await support('explain', refundId))).toContain(`The provider said: "${NOT_CANCELABLE}"`);
  expect(Object.keys((await readBy(shop, paymentId)).data.refunds[0] as object).toSorted()).toEqual(
    ['amount', 'cause', 'createdAt', 'orderId', 'orderItemId', 'refundId', 'settledAt', 'status'].toSorted(),
  );
  expect(await inTemporal(runOf(shop, paymentId))).not.toContain(NOT_CANCELABLE);
});
