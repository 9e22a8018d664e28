/** What the items of an order do together: who moves, who is answered, what is handed over, and repeated requests. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { Buyer } from '../../../bin/dev/client.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { foodDelivery } from '../../../domain/flows/presets/foodDelivery.ts';
import { onEvent, onSeller } from '../../../domain/flows/presets/parts.ts';
import { query, underTest, until } from '../../kernel/world.ts';
import { end, state } from './fixtures.ts';
import { errorOf, FlowShop } from './shop.ts';

let shop: FlowShop;
let member: Buyer;
beforeAll(async () => {
  shop = await FlowShop.open();
  member = await shop.world.member();
});
const statuses = async (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await shop.item(id)).status));
const claim = async (id: string) => {
  const filed = await member.call('POST', `/storefront/v1/me/order-items/${id}/claims`, { type: 'CANCEL', reason: 'CHANGE_OF_MIND' });
  expect(filed.body.data).toMatchObject({ status: 'REQUESTED' });
};

describe('a group', () => {
  /** `note` and `custom.ping` store what they bring, and change nothing else; the condition of `go` fails at run time. */
  const graph: Graph = {
    schema: 1,
    start: 'paid',
    requires: { progression: 'ORDER_GROUP', groupClaim: 'CONTINUE' },
    states: [state('paid', { permissions: { cancelRequest: true } }), state('made', { status: 'CONFIRMED' }), end()],
    actions: [
      { key: 'note', by: 'seller', label: '메모', maxUses: 1, input: [{ key: 'memo', type: 'text', label: '메모' }] },
      { key: 'go', by: 'seller', label: '제작' },
      { key: 'finish', by: 'seller', label: '완료' },
    ],
    edges: [
      onSeller('paid', 'note', 'paid', { internal: true }),
      onEvent('paid', 'custom.ping', 'paid', { internal: true }),
      { ...onSeller('paid', 'go', 'made', { when: '1 / (item.activeQuantity - 1) > 0' }), id: 'failing' },
      onSeller('paid', 'go', 'made'),
      onSeller('made', 'finish', 'end'),
    ],
  };
  let products: readonly string[];
  beforeAll(async () => {
    const flowId = await shop.flow({ graph }, 'quiet');
    products = [(await shop.product(flowId)).productId, (await shop.product(flowId)).productId, (await shop.product(flowId)).productId];
  });
  const NOTE = { input: { memo: '리본' } };

  test('is affected by what only stores input or data', async () => {
    const { itemIds } = await shop.buy(member, products);
    expect((await shop.act(itemIds[1]!, 'note', NOTE)).body.data.affectedOrderItemIds).toEqual(itemIds);
    const event = await shop.seller('POST', `/v1/order-items/${itemIds[2]!}/events/custom.ping`, { data: { a: {} } });
    expect(event.body.data.affectedOrderItemIds).toEqual(itemIds);
  });
  test('takes a limited action of the order once, for all', async () => {
    const { orderId, itemIds } = await shop.buy(member, products);
    const reply = await shop.seller('POST', `/v1/orders/${orderId}/actions/note`, NOTE);
    expect(reply.body.data).toEqual({
      results: itemIds.map((orderItemId) => ({ orderItemId, result: 'COMPLETED', code: null, reason: null })),
      completed: 3,
      skipped: 0,
      failed: 0,
    });
  });
  test('leaves out the item that stands still, whatever fails at run time; the others may be moved', async () => {
    const { itemIds } = await shop.buy(member, products);
    await claim(itemIds[0]!);
    const targets = async (id: string) => (await shop.seller('GET', `/v1/order-items/${id}/flow`)).body.data.moveTargets as string[];
    expect([await targets(itemIds[0]!), await targets(itemIds[1]!)]).toEqual([[], ['made']]);
    const move = (id: string, to: string) => shop.seller('POST', `/v1/order-items/${id}/flow/move`, { to, reason: 'x' });
    expect(errorOf(await move(itemIds[0]!, 'made')).slice(1)).toEqual(['FLOW_MOVE_NOT_ALLOWED', { reason: 'CLAIM_IN_PROGRESS' }]);
    expect((await move(itemIds[1]!, 'made')).body.data).toMatchObject({ status: 'CONFIRMED' });
    expect(await statuses(itemIds)).toEqual(['PAID', 'CONFIRMED', 'CONFIRMED']);
    await move(itemIds[1]!, 'paid');
    expect((await shop.act(itemIds[1]!, 'go')).body.data.affectedOrderItemIds).toEqual(itemIds.slice(1));
  });
});

describe('a handover', () => {
  const provided: Graph = {
    schema: 1,
    start: 'paid',
    requires: { progression: 'ORDER_GROUP', groupClaim: 'CONTINUE' },
    states: [state('paid', { permissions: { cancelRequest: true } }), state('given', { status: 'DELIVERED' }), end()],
    actions: [
      { key: 'give', by: 'seller', label: '전달', platform: 'fulfill' },
      { key: 'finish', by: 'seller', label: '완료' },
    ],
    edges: [onSeller('paid', 'give', 'given'), onSeller('given', 'finish', 'end')],
  };
  const MANUAL = { fulfillment: { type: 'MANUAL' } };
  const COURIER = { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '5501' };
  let brought: string;
  let given: string;
  beforeAll(async () => {
    brought = await shop.flow({ presetKey: 'food-delivery' }, 'brought');
    given = await shop.flow({ graph: provided }, 'given');
  });
  const bought = async (flowId: string, ...changes: readonly object[]) => {
    const products: string[] = [];
    for (const change of changes) products.push((await shop.product(flowId, change)).productId);
    return shop.buy(member, products);
  };
  const cooking = async (...changes: readonly object[]) => {
    const order = await bought(brought, ...changes);
    await shop.act(order.itemIds[0]!, 'accept', { input: { minutes: '30' } });
    return order;
  };

  test.each(['an action', 'the endpoint'])('by %s dispatches each item that moves, and each is tracked', async (way) => {
    const { itemIds } = await cooking({}, {});
    const [, second] = itemIds;
    const reply = await (way === 'an action'
      ? shop.act(second!, 'depart', { input: COURIER })
      : shop.world.act(second!, 'dispatch', COURIER));
    expect(reply.status).toBe(200);
    for (const id of itemIds) {
      expect(await shop.item(id)).toMatchObject({ status: 'DISPATCHED', dispatch: { ...COURIER, deliveredAt: null } });
      const tracked = await shop.seller('GET', `/v1/order-items/${id}/dispatch/tracking`);
      expect(tracked.body.data).toMatchObject({ carrierCode: 'CJ', trackingNumber: '5501' });
    }
  });
  const subjectsOf = async (orderId: string, type: string) =>
    (await shop.world.events({ type, about: orderId })).map(({ data }) => data['orderItemId']);

  test.each(['an action', 'the endpoint', 'a bulk', 'an action of the order'])(
    'by %s dispatches the shipped items of a group, and moves the others with them',
    async (way) => {
      const { orderId, itemIds } = await cooking(MANUAL, {}, {});
      const [manual, ...shipped] = itemIds as [string, ...string[]];
      const reply = await {
        'an action': () => shop.act(shipped[0]!, 'depart', { input: COURIER }),
        'the endpoint': () => shop.world.act(shipped[0]!, 'dispatch', COURIER),
        'a bulk': () => shop.seller('POST', '/v1/order-items/dispatch', { items: [{ orderItemId: shipped[0], ...COURIER }] }),
        'an action of the order': () => shop.seller('POST', `/v1/orders/${orderId}/actions/depart`, { input: COURIER }),
      }[way]!();
      expect(reply.status).toBe(200);
      if (way === 'an action of the order') expect(reply.body.data).toMatchObject({ completed: 3, skipped: 0, failed: 0 });
      for (const id of shipped) {
        expect(await shop.item(id)).toMatchObject({ status: 'DISPATCHED', dispatch: COURIER });
        const tracked = await shop.seller('GET', `/v1/order-items/${id}/dispatch/tracking`);
        expect(tracked.body.data).toMatchObject({ trackingNumber: '5501' });
      }
      expect(await shop.item(manual)).toMatchObject({ status: 'DISPATCHED', dispatch: null, fulfillment: null });
      expect(await subjectsOf(orderId, 'ORDER.DISPATCHED')).toHaveLength(shipped.length);
    },
  );
  test('is refused at the item that it does not suit, and where it suits none', async () => {
    const { itemIds } = await cooking(MANUAL, {});
    expect(errorOf(await shop.act(itemIds[0]!, 'depart', { input: COURIER })).slice(1)).toEqual([
      'ACTION_NOT_AVAILABLE',
      { reason: 'NOT_SHIPPABLE' },
    ]);
    expect(errorOf(await shop.world.act(itemIds[0]!, 'dispatch', COURIER))[1]).toBe('NOT_SHIPPABLE');
    for (const id of itemIds) expect(await shop.item(id)).toMatchObject({ status: 'CONFIRMED', dispatch: null });
    const none = await cooking(MANUAL, MANUAL);
    const ordered = await shop.seller('POST', `/v1/orders/${none.orderId}/actions/depart`, { input: COURIER });
    const failed = { result: 'FAILED', code: 'ACTION_NOT_AVAILABLE', reason: 'NOT_SHIPPABLE' };
    expect(ordered.body.data.results).toEqual(none.itemIds.map((orderItemId) => ({ orderItemId, ...failed })));
  });
  test('that is not of the present state is refused for that', async () => {
    const { itemIds } = await bought(brought, {}, MANUAL);
    expect(errorOf(await shop.world.act(itemIds[0]!, 'dispatch', COURIER))[1]).toBe('INVALID_STATUS');
  });
  test('provides each item that moves, and no other', async () => {
    const { itemIds } = await bought(given, MANUAL, MANUAL, MANUAL);
    await claim(itemIds[0]!);
    expect((await shop.world.act(itemIds[2]!, 'fulfill', { note: '창구' })).status).toBe(200);
    const notes = await Promise.all(itemIds.map(async (id) => (await shop.item(id))['fulfillment']));
    const record = { status: 'PROVIDED', note: '창구', fulfilledAt: expect.any(String) };
    expect(notes).toEqual([null, record, record]);
  });
  test('provides the items of a group that are not shipped, and tells of these', async () => {
    const { orderId, itemIds } = await bought(given, {}, MANUAL, MANUAL);
    expect(errorOf(await shop.world.act(itemIds[0]!, 'fulfill'))[1]).toBe('SHIPPING_REQUIRED');
    const many = await shop.seller('POST', '/v1/order-items/fulfill', { orderItemIds: itemIds.slice(0, 2), note: '창구' });
    expect(many.body.data.results).toMatchObject([{ code: 'SHIPPING_REQUIRED' }, { code: 'OK' }]);
    const records = await Promise.all(itemIds.map(async (id) => (await shop.item(id))['fulfillment'] as { note: string } | null));
    expect(records.map((one) => one && one.note)).toEqual([null, '창구', '창구']);
    expect(await statuses(itemIds)).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
    expect(await subjectsOf(orderId, 'ORDER.FULFILLED')).toEqual(itemIds.slice(1));
  });
  test('leaves out the item that stands still, also where that could not take it', async () => {
    const flowId = await shop.flow({ graph: { ...provided } }, 'given-on');
    const { itemIds } = await bought(flowId, {}, MANUAL);
    await claim(itemIds[0]!);
    expect((await shop.act(itemIds[1]!, 'give')).body.data.affectedOrderItemIds).toEqual([itemIds[1]]);
  });
});

describe('an action of the order that is repeated under its key', () => {
  const two = async (flow?: string) => {
    const products = [await shop.world.product(flow ? { flowId: flow } : {}), await shop.world.product(flow ? { flowId: flow } : {})];
    return shop.buy(
      member,
      products.map(({ productId }) => productId),
    );
  };
  const act = (orderId: string, key: string, body: object = {}) =>
    shop.world.seller.call('POST', `/v1/orders/${orderId}/actions/${key}`, body, { 'idempotency-key': orderId });
  /** A busy machine may not answer in time: who asks again under the same key is told. */
  const done = (orderId: string, key: string, body: object = {}) =>
    until('all items are done', async () => {
      const reply = await act(orderId, key, body);
      return reply.body.data.completed === 2 && reply;
    });
  /** As when the process dies after the items have moved, and before it answers. */
  const forget = () =>
    query(`DELETE FROM operation WHERE store_id = $1 AND operation_id = 'orders.actOnOrder' AND body ? 'results'`, [
      shop.world.store.storeId,
    ]);

  test('answers the same again', async () => {
    const { orderId } = await two();
    const first = await done(orderId, 'confirm');
    const again = await act(orderId, 'confirm');
    expect([again.status, again.body.data]).toEqual([200, first.body.data]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
  test('tells what was done when its answer was lost, in groups too', async () => {
    const food = await shop.flow({ graph: foodDelivery }, 'lost');
    for (const [flow, key, body] of [
      [undefined, 'confirm', {}],
      [food, 'accept', { input: { minutes: '15' } }],
    ] as const) {
      const { orderId, itemIds } = await two(flow);
      const first = await done(orderId, key, body);
      await forget();
      const again = await done(orderId, key, body);
      expect([again.status, again.body.data]).toEqual([200, first.body.data]);
      for (const id of itemIds) expect((await shop.runs(id)).map(({ event }) => event.type)).toEqual(['seller.action', 'start']);
    }
  });
  test('goes on with the item whose outcome was not known', async () => {
    const { orderId, itemIds } = await two();
    const locker = new Client({ connectionString: underTest.databaseUrl });
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('SELECT 1 FROM order_item WHERE order_item_id = $1 FOR UPDATE', [itemIds[1]]);
    const first = await act(orderId, 'confirm');
    await locker.query('ROLLBACK');
    await locker.end();
    expect(first.body.data.results[1]).toMatchObject({ result: 'FAILED', code: 'TEMPORARILY_UNAVAILABLE' });
    expect((await done(orderId, 'confirm')).body.data).toMatchObject({ completed: 2, skipped: 0, failed: 0 });
    expect(await statuses(itemIds)).toEqual(['CONFIRMED', 'CONFIRMED']);
  }, 60_000);
});
