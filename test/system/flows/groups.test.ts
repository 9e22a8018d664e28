/** Items of an order that move together in one flow. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Buyer } from '../../../bin/dev/client.ts';
import { foodDelivery } from '../../../domain/flows/presets/foodDelivery.ts';
import { temporalClient, until } from '../../kernel/world.ts';
import { errorOf, FlowShop } from './shop.ts';

let shop: FlowShop;
let products: readonly string[];
let member: Buyer;
beforeAll(async () => {
  shop = await FlowShop.open();
  const flowId = await shop.flow({ presetKey: 'food-delivery' }, 'food');
  products = [(await shop.product(flowId)).productId, (await shop.product(flowId)).productId];
  member = await shop.world.member();
});
const statuses = async (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await shop.item(id)).status));
const MINUTES = { input: { minutes: '30' } };

describe('food of one order', () => {
  test('is accepted, brought and decided together, by a run of its own', async () => {
    const { orderId, orderNo, itemIds } = await shop.buy(member, products);
    const accepted = await shop.act(itemIds[1]!, 'accept', MINUTES);
    expect(accepted.body.data.affectedOrderItemIds).toEqual(itemIds);
    expect(await statuses(itemIds)).toEqual(['CONFIRMED', 'CONFIRMED']);
    const [record] = await shop.runs(itemIds[0]!);
    expect(record!.orderItemIds.toSorted()).toEqual([...itemIds].toSorted());
    const run = (await temporalClient()).workflow.getHandle(`order-group/${shop.world.store.storeId}/${orderNo}/food`);
    expect((await run.describe()).status.name).toBe('RUNNING');
    const depart = await shop.seller('POST', `/v1/orders/${orderId}/actions/depart`, { input: { deliveryMethod: 'DIRECT' } });
    expect(depart.body.data).toEqual({
      results: itemIds.map((orderItemId) => ({ orderItemId, result: 'COMPLETED', code: null, reason: null })),
      completed: 2,
      skipped: 0,
      failed: 0,
    });
    await shop.world.advance('PT3H');
    expect(await statuses(itemIds)).toEqual(['DELIVERED', 'DELIVERED']);
    await shop.world.advance('P2D');
    expect(await statuses(itemIds)).toEqual(['PURCHASE_DECIDED', 'PURCHASE_DECIDED']);
    await until('the run ends', async () => (await run.describe()).status.name === 'COMPLETED');
  });
  test('that is refused is refunded item by item, each once', async () => {
    const { itemIds, orderId } = await shop.buy(member, products);
    await shop.act(itemIds[0]!, 'refuse', { input: { refuseReason: 'SOLD_OUT' } });
    expect(await statuses(itemIds)).toEqual(['CANCELED', 'CANCELED']);
    const { paymentId } = (await shop.seller('GET', `/v1/orders/${orderId}`)).body.data.payment as { paymentId: string };
    const refunds = await until('both are paid back', async () => {
      const list = (await shop.seller('GET', `/v1/payments/${paymentId}`)).body.data.refunds as { amount: number; status: string }[];
      return list.every(({ status }) => status === 'DONE') && list;
    });
    // Who leaves last takes the delivery fee along.
    expect(refunds.map(({ amount }) => amount).toSorted((a, b) => a - b)).toEqual([10_000, 13_000]);
  });
  test('that nobody accepts is canceled by the clock', async () => {
    const { itemIds } = await shop.buy(member, products);
    await shop.world.advance('PT11M');
    expect(await statuses(itemIds)).toEqual(['CANCELED', 'CANCELED']);
  });
  test('goes on without the item that its buyer cancels at once', async () => {
    const { itemIds } = await shop.buy(member, products);
    const claim = { type: 'CANCEL', reason: 'CHANGE_OF_MIND' };
    const filed = await member.call('POST', `/storefront/v1/me/order-items/${itemIds[0]!}/claims`, claim);
    expect(filed.body.data).toMatchObject({ status: 'COMPLETED' });
    expect(await statuses(itemIds)).toEqual(['CANCELED', 'PAID']);
    const accepted = await shop.act(itemIds[1]!, 'accept', MINUTES);
    expect(accepted.body.data.affectedOrderItemIds).toEqual([itemIds[1]]);
    expect(errorOf(await shop.act(itemIds[0]!, 'accept', MINUTES)).slice(1)).toEqual(['ACTION_NOT_AVAILABLE', { reason: 'FINISHED' }]);
    const types = (await shop.runs(itemIds[0]!)).map(({ event }) => event.type).toReversed();
    expect(types).toEqual(['start', 'claim.opened', 'reduced', 'claim.closed']);
  });
});

const returning = async (ids: readonly string[]) => {
  await shop.act(ids[0]!, 'accept', MINUTES);
  await shop.act(ids[0]!, 'depart', { input: { deliveryMethod: 'DIRECT' } });
  await shop.act(ids[0]!, 'arrive');
  const filed = await member.call('POST', `/storefront/v1/me/order-items/${ids[0]!}/claims`, { type: 'RETURN', reason: 'DEFECTIVE' });
  expect(filed.status).toBe(201);
  return filed.body.data.claimId as string;
};

test('PAUSE: a claim stops the group, which goes on with the time that was left', async () => {
  const { itemIds } = await shop.buy(member, products);
  const claimId = await returning(itemIds);
  const moved = await shop.seller('POST', `/v1/order-items/${itemIds[1]!}/flow/move`, { to: 'cooking', reason: 'x' });
  expect(errorOf(moved).slice(1)).toEqual(['FLOW_MOVE_NOT_ALLOWED', { reason: 'CLAIM_IN_PROGRESS' }]);
  await shop.world.advance('P3D');
  expect(await statuses(itemIds)).toEqual(['DELIVERED', 'DELIVERED']);
  const reject = { reason: 'OTHER', explanation: '사진에서 하자를 확인할 수 없습니다.' };
  expect((await shop.seller('POST', `/v1/claims/${claimId}/reject`, reject)).status).toBe(200);
  expect(await statuses(itemIds)).toEqual(['DELIVERED', 'DELIVERED']);
  await shop.world.advance('P1D');
  expect(await statuses(itemIds)).toEqual(['PURCHASE_DECIDED', 'PURCHASE_DECIDED']);
});

describe('CONTINUE', () => {
  let ongoing: readonly string[];
  beforeAll(async () => {
    const graph = { ...foodDelivery, requires: { progression: 'ORDER_GROUP', groupClaim: 'CONTINUE' } };
    const flowId = await shop.flow({ graph }, 'food-on');
    ongoing = [(await shop.product(flowId)).productId, (await shop.product(flowId)).productId];
  });
  test('the item with the claim stands still; rejected, it joins where the others are, an end included', async () => {
    const { itemIds } = await shop.buy(member, ongoing);
    const claimId = await returning(itemIds);
    await shop.world.advance('P3D');
    expect(await statuses(itemIds)).toEqual(['DELIVERED', 'PURCHASE_DECIDED']);
    const reject = { reason: 'OTHER', explanation: '사진에서 하자를 확인할 수 없습니다.' };
    expect((await shop.seller('POST', `/v1/claims/${claimId}/reject`, reject)).status).toBe(200);
    expect(await statuses(itemIds)).toEqual(['PURCHASE_DECIDED', 'PURCHASE_DECIDED']);
  });
  test('approved, it leaves', async () => {
    const { itemIds } = await shop.buy(member, ongoing);
    const claimId = await returning(itemIds);
    const collected = await shop.seller('POST', `/v1/claims/${claimId}/collect`, { method: 'BUYER_SEND' });
    expect(collected.status).toBe(200);
    await shop.seller('POST', `/v1/claims/${claimId}/collect/complete`, {});
    const approved = await shop.seller('POST', `/v1/claims/${claimId}/approve`, {});
    expect(approved.status).toBe(200);
    expect(await statuses(itemIds)).toEqual(['RETURNED', 'DELIVERED']);
    await shop.world.advance('P2D');
    expect(await statuses(itemIds)).toEqual(['RETURNED', 'PURCHASE_DECIDED']);
  });
});

describe('records of a group', () => {
  /** Both refund on the way, each its own item. */
  const graph = {
    schema: 1,
    start: 'paid',
    requires: { progression: 'ORDER_GROUP' },
    states: [
      { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: '대기', permissions: { cancelRequest: true } },
      { id: 'repaid', type: 'state', status: 'CONFIRMED', step: 'SELLER_PROCESSING', label: '환불' },
      { id: 'done', type: 'end', outcome: 'COMPLETED', label: '끝' },
    ],
    actions: ['repay', 'finish'].map((key) => ({ key, by: 'seller', label: key })),
    edges: [
      { id: 'repay', from: 'paid', to: 'repaid', on: { type: 'seller.action', key: 'repay' }, run: [{ type: 'refund' }] },
      { id: 'finish', from: 'repaid', to: 'done', on: { type: 'seller.action', key: 'finish' } },
    ],
  };
  let repaid: readonly string[];
  beforeAll(async () => {
    const id = await shop.flow({ graph }, 'repaid');
    repaid = [(await shop.product(id)).productId, (await shop.product(id)).productId];
  });
  test('are one at all members from the start on, with what was done for each of them', async () => {
    const { itemIds } = await shop.buy(member, repaid);
    await shop.act(itemIds[0]!, 'repay');
    const [first, second] = await Promise.all(itemIds.map((id) => shop.runs(id)));
    expect(second).toEqual(first);
    expect(first!.map(({ event, orderItemIds }) => [event.type, orderItemIds])).toEqual([
      ['seller.action', itemIds.toSorted()],
      ['start', itemIds.toSorted()],
    ]);
    const refunds = first![0]!.steps.filter(({ type }) => type === 'refund') as unknown as { members: string[] }[];
    expect(refunds.flatMap(({ members }) => members).toSorted()).toEqual(itemIds.toSorted());
    const read = await shop.seller('GET', `/v1/flow-runs/${first![0]!.runId}`);
    expect(read.body.data).toEqual(first![0]);
  });
  test('of claims tell who closed them: the buyer who withdraws, the seller who approves', async () => {
    const { itemIds } = await shop.buy(member, repaid);
    const [itemId, other] = itemIds;
    const file = async () => {
      const claim = { type: 'CANCEL', reason: 'CHANGE_OF_MIND' };
      return (await member.call('POST', `/storefront/v1/me/order-items/${itemId!}/claims`, claim)).body.data.claimId as string;
    };
    const withdrawn = await member.call('POST', `/storefront/v1/me/claims/${await file()}/withdraw`, {});
    expect(withdrawn.status).toBe(200);
    expect((await shop.seller('POST', `/v1/claims/${await file()}/approve`, {})).status).toBe(200);
    const runs = (await shop.runs(other!)) as unknown as readonly { readonly event: { readonly type: string }; readonly actor: string }[];
    expect(runs.map(({ event, actor }) => `${event.type} ${actor}`)).toEqual([
      'claim.closed SELLER',
      'reduced SELLER',
      'claim.opened BUYER',
      'claim.closed BUYER',
      'claim.opened BUYER',
      'start SYSTEM',
    ]);
  });
});
