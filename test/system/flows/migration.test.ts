/** Items in flight go to the newest version, a portion at a time (docs/contract.md#migrations). */
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { pay } from '../../../bin/dev/client.ts';
import { countInFlight } from '../../../db/orders/flows/inFlight.ts';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { migrationRefusal } from '../../../domain/flows/run/move.ts';
import type { FlowState } from '../../../domain/flows/run/state.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, underTest, until, world } from '../../kernel/world.ts';
import { acts, Author, edge, end, state, twoSteps } from './fixtures.ts';
import { FlowShop } from './shop.ts';

let author: Author;
beforeAll(async () => {
  author = new Author(await world());
});
const waiting = (after: string, requires?: Graph['requires']) => twoSteps({ deadlines: [{ key: 'late', after }] }, requires);
const flowState = async (orderItemId: string) =>
  (await author.get(`/v1/order-items/${orderItemId}/flow`)).flowState as { key: string; deadlineAt: string | null; inputs: object };
/** Orders of a product that takes this flow. */
async function orders(flowId: string, count: number): Promise<string[]> {
  const product = await author.shop.product({ flowId });
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await author.shop.order(product)).orderItemId);
  return ids;
}
const answer = async (flowId: string, version: number, limit?: number) => (await author.migrate(flowId, version, limit)).body.data;

test('portions until none remain; state and inputs stay, deadlines start anew, and no event is sent', async () => {
  const flowId = await author.published('portions', waiting('P3D'));
  const [first, second, third] = await orders(flowId, 3);
  await author.shop.act(third!, 'actions/make');
  expect(await author.publishes(flowId, waiting('P9D'))).toBe(2);
  const before = await flowState(first!);
  const events = () => author.shop.events();
  const sent = (await events()).length;
  const changedAt = (await author.shop.item(first!))['lastChangedAt'];
  expect(await answer(flowId, 2)).toEqual({ fromVersion: 2, toVersion: 2, migrated: 0, skipped: 0, remaining: 0 });
  expect(await answer(flowId, 1, 2)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 2, skipped: 0, remaining: 1 });
  expect(await answer(flowId, 1, 2)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 1, skipped: 0, remaining: 0 });
  expect(await answer(flowId, 1)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 0, skipped: 0, remaining: 0 });
  expect(await author.versionsOfItems('portions')).toEqual({ 2: 3 });
  const after = await flowState(first!);
  expect(after.key).toBe('paid');
  expect(Date.parse(after.deadlineAt!) - Date.parse(before.deadlineAt!)).toBeGreaterThanOrEqual(6 * 86_400_000);
  expect((await flowState(third!)).key).toBe('made');
  expect((await events()).length).toBe(sent);
  expect((await author.shop.item(first!))['lastChangedAt']).not.toBe(changedAt);
  const { items: runs } = await author.get(`/v1/order-items/${second!}/flow/runs`);
  expect(runs[0]).toMatchObject({
    event: { type: 'migrate' },
    flow: { key: 'portions', version: 2 },
    edges: [],
    from: ['paid'],
    to: ['paid'],
    steps: [],
  });
  // The run has read the new deadline: nothing happens on the third day, and on the ninth it falls due.
  await author.shop.advance('P4D');
  expect((await flowState(second!)).key).toBe('paid');
  await author.shop.advance('P6D');
  expect((await flowState(second!)).key).toBe('made');
}, 60_000);

test('what cannot move now is skipped, and ends no repetition', async () => {
  const flowId = await author.published('stuck');
  const product = await author.shop.product({ flowId });
  const member = await author.shop.member();
  const [claimed, gone, made] = [
    await author.shop.order(product, 1, member),
    await author.shop.order(product),
    await author.shop.order(product),
  ];
  await author.shop.act(made.orderItemId, 'actions/make');
  // The newest version has no state `made`.
  const shorter: Graph = {
    ...twoSteps(),
    states: [state('paid'), end(), end('gone', 'CANCELED')],
    actions: [{ key: 'finish', by: 'seller', label: '완료' }],
    edges: [edge('paid', 'end', { type: 'seller.action', key: 'finish' }), edge('paid', 'gone', { type: 'event', name: 'custom.gone' })],
  };
  await query(
    `UPDATE order_item SET flow_state = jsonb_set(flow_state, '{claims}', '[{"id":"clm_x","member":"x"}]') WHERE order_item_id = $1`,
    [claimed.orderItemId],
  );
  await author.publishes(flowId, shorter);
  expect(await answer(flowId, 1)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 1, skipped: 2, remaining: 0 });
  await query(`UPDATE order_item SET flow_state = jsonb_set(flow_state, '{claims}', '[]') WHERE order_item_id = $1`, [claimed.orderItemId]);
  expect(await answer(flowId, 1)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 1, skipped: 1, remaining: 0 });
  await author.shop.act(made.orderItemId, 'actions/finish');
  expect(await answer(flowId, 1)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 0, skipped: 0, remaining: 0 });
  expect(await author.versionsOfItems('stuck')).toEqual({ 1: 1, 2: 2 });
  expect((await author.shop.act(gone.orderItemId, 'actions/finish')).status).toBe(200);
});

test('a public status that the newest version gives the state is told, at the item, its order and by the event', async () => {
  const flowId = await author.published('promoted', twoSteps({}, undefined, { status: 'CONFIRMED' }));
  const [orderItemId] = await orders(flowId, 1);
  await author.shop.act(orderItemId!, 'actions/make');
  await author.publishes(flowId, twoSteps({}, undefined, { status: 'DISPATCHED' }));
  expect(await answer(flowId, 1)).toMatchObject({ migrated: 1, remaining: 0 });
  const item = await author.shop.item(orderItemId!);
  expect(item.status).toBe('DISPATCHED');
  expect((await author.get(`/v1/orders/${item['orderId'] as string}`)).progressStatus).toBe('DISPATCHED');
  expect(await author.shop.events({ type: 'ORDER.DISPATCHED' })).toHaveLength(1);
});

test('another progression keeps all items where they are', async () => {
  const flowId = await author.published('mismatch');
  await orders(flowId, 1);
  await author.publishes(flowId, twoSteps({}, { progression: 'ORDER_GROUP' }));
  expect((await author.migrate(flowId, 1)).body.error!.code).toBe('FLOW_PROGRESSION_MISMATCH');
  expect(await author.versionsOfItems('mismatch')).toEqual({ 1: 1 });
  for (const limit of [0, 501, 1.5])
    expect((await author.migrate(flowId, 1, limit)).body.error!.fieldErrors).toMatchObject([{ field: 'limit' }]);
});

test('a group moves as a whole', async () => {
  const group = { progression: 'ORDER_GROUP' } as const;
  const flowId = await author.published('grouped', waiting('P3D', group));
  const [one, two] = [await author.shop.product({ flowId }), await author.shop.product({ flowId })];
  const buy = async () => {
    const buyer = await author.shop.buyer();
    const { checkoutId } = (
      await buyer.call('POST', '/storefront/v1/checkout', {
        items: [one, two].map(({ productId }) => ({ productId, quantity: 1 })),
      })
    ).body.data;
    const { paymentId, payUrl } = (await buyer.start(checkoutId as string)).body.data as { paymentId: string; payUrl: string };
    await pay(payUrl);
    const { orderId } = (await buyer.status(paymentId)).body.data as { orderId: string };
    return ((await author.get(`/v1/orders/${orderId}`)).items as { orderItemId: string }[]).map(({ orderItemId }) => orderItemId);
  };
  const [first] = [await buy(), await buy()];
  await author.publishes(flowId, waiting('P9D', group));
  expect(await answer(flowId, 1, 1)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 2, skipped: 0, remaining: 2 });
  expect(await author.versionsOfItems('grouped')).toEqual({ 1: 2, 2: 2 });
  expect(await answer(flowId, 1)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 2, skipped: 0, remaining: 0 });
  await author.shop.advance('P4D');
  expect((await flowState(first[0]!)).key).toBe('paid');
  expect((await author.shop.act(first[0]!, 'actions/make')).body.data.affectedOrderItemIds.toSorted()).toEqual(first.toSorted());
}, 60_000);

test('a group whose first item has left goes on in the new version', async () => {
  const group = { progression: 'ORDER_GROUP', groupClaim: 'PAUSE' } as const;
  const before = twoSteps({ permissions: { sellerForcedCancel: true } }, group);
  const flowId = await author.published('leftbehind', before);
  const shop = new FlowShop(author.shop);
  const products = [await author.shop.product({ flowId }), await author.shop.product({ flowId })];
  const { itemIds } = await shop.buy(
    await author.shop.buyer(),
    products.map(({ productId }) => productId),
  );
  await author.shop.act(itemIds[0]!, 'cancel', { reason: 'OUT_OF_STOCK' });
  const renamed = (text: string) => text.replaceAll('"made"', '"packed"');
  const after = JSON.parse(
    renamed(
      JSON.stringify({ ...before, states: [state('paid', { deadlines: [{ key: 'late', after: 'P3D' }] }), ...before.states.slice(1)] }),
    ),
  ) as Graph;
  await author.publishes(flowId, {
    ...after,
    edges: [...after.edges, { ...edge('paid', 'packed', { type: 'elapsed', deadline: 'late' }), id: 'late' }],
  });
  expect(await answer(flowId, 1)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 1, skipped: 0, remaining: 0 });
  await author.shop.advance('P4D');
  expect((await flowState(itemIds[1]!)).key).toBe('packed');
  expect((await author.shop.act(itemIds[1]!, 'actions/finish')).body.data.affectedOrderItemIds).toEqual([itemIds[1]]);
  expect((await author.shop.item(itemIds[0]!)).status).toBe('CANCELED');
});

test('an item that somebody works on is passed over, and nobody waits', async () => {
  const flowId = await author.published('busy');
  const [locked, free] = await orders(flowId, 2);
  await author.publishes(flowId, twoSteps({ label: '새 이름' }));
  const client = new Client({ connectionString: underTest.databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM order_item WHERE order_item_id = $1 FOR UPDATE', [locked]);
  expect(await answer(flowId, 1)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 1, skipped: 0, remaining: 1 });
  expect((await flowState(free!)).key).toBe('paid');
  await client.query('ROLLBACK');
  await client.end();
  expect(await answer(flowId, 1)).toMatchObject({ migrated: 1, remaining: 0 });
});

test('migrations and actions at the same time: each item ends in one version, none is lost', async () => {
  const flowId = await author.published('together');
  const items = await orders(flowId, 12);
  await author.publishes(flowId, twoSteps({ label: '새 이름' }));
  const migrating = Array.from({ length: 2 }, () =>
    until('nothing remains', async () => {
      const { status, body } = await author.migrate(flowId, 1, 3);
      return status === 200 && body.data.remaining === 0;
    }),
  );
  // Who is told to ask again asks again, with the same key.
  const make = (id: string) =>
    until('an answer', async () => {
      const { status } = await author.send('POST', `/v1/order-items/${id}/actions/make`, {}, { 'idempotency-key': `make-${id}` });
      return status !== 503 && status;
    });
  expect(new Set(await Promise.all(items.map(make)))).toEqual(new Set([200]));
  await Promise.all(migrating);
  expect(await author.versionsOfItems('together')).toEqual({ 2: 12 });
  for (const id of items) expect((await flowState(id)).key).toBe('made');
  const steps = await query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM flow_step s JOIN order_item i USING (store_id, order_item_id) WHERE i.store_id = $1
      AND i.flow_key = $2
       AND s.event ->> 'type' = 'migrate' GROUP BY i.order_item_id`,
    [author.shop.store.storeId, 'together'],
  );
  expect(steps.map(({ n }) => n)).toEqual(Array.from({ length: 12 }, () => 1));
}, 60_000);

test('a dry run tells how many would move', async () => {
  const flowId = await author.published('rehearsal');
  await orders(flowId, 2);
  await author.publishes(flowId, twoSteps());
  const dry = await author.send('POST', `/v1/commerce-flows/${flowId}/versions/1/migrate`, { limit: 1 }, { 'x-svc-dry-run': '1' });
  expect(dry.body.data.preview.facts).toEqual({
    fromVersion: 1,
    toVersion: 2,
    migrated: 1,
    skipped: 0,
    remaining: 1,
    itemsDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(await author.versionsOfItems('rehearsal')).toEqual({ 1: 2 });
});

test('what would stand in a parallel region is skipped', async () => {
  const flowId = await author.published('regions');
  const [orderItemId] = await orders(flowId, 1);
  const split: Graph = {
    ...twoSteps(),
    start: 'begin',
    states: [
      state('begin'),
      { id: 'split', type: 'parallel', join: 'joined', branches: ['paid', 'made'].map((start) => ({ key: start, start })) },
      state('paid'),
      state('made'),
      { id: 'joined', type: 'join' },
      end(),
    ],
    edges: [
      edge('begin', 'split', acts('make')),
      edge('paid', 'joined', acts('make')),
      edge('made', 'joined', acts('finish')),
      edge('joined', 'end', { type: 'result', value: 'joined' }),
    ],
  };
  await author.publishes(flowId, split);
  expect(await answer(flowId, 1)).toEqual({ fromVersion: 1, toVersion: 2, migrated: 0, skipped: 1, remaining: 0 });
  expect((await flowState(orderItemId!)).key).toBe('paid');
});

test('what SQL counts as movable is what the rule moves', async () => {
  const flowId = await author.published('rule');
  const [orderItemId] = await orders(flowId, 1);
  await author.publishes(flowId, twoSteps());
  const [row] = await query<{ state: FlowState }>('SELECT flow_state AS state FROM order_item WHERE order_item_id = $1', [orderItemId]);
  const { state: now } = row!;
  const [first] = now.positions;
  const flow = compileFlow({ '': twoSteps() });
  const claim = { id: 'clm_x', member: orderItemId! };
  const states: FlowState[] = [
    now,
    ...['made', 'end', 'gone', 'elsewhere'].map((node) => ({ ...now, positions: [{ ...first!, node }] })),
    { ...now, claims: [claim] },
    { ...now, positions: [first!, { ...first!, id: '1.0', parent: first!.id }] },
    { ...now, positions: [{ ...first!, call: '1.0' }] },
  ];
  const desk = await Desk.open(author.shop);
  const counted: boolean[] = [];
  for (const state of states) {
    await query('UPDATE order_item SET flow_state = $2 WHERE order_item_id = $1', [orderItemId, JSON.stringify(state)]);
    counted.push((await desk.inTenant((tx) => countInFlight(tx, { flowKey: 'rule', version: 1, to: flow }))).movable === 1);
  }
  await query('UPDATE order_item SET flow_state = $2 WHERE order_item_id = $1', [orderItemId, JSON.stringify(now)]);
  await desk.close();
  expect(counted).toEqual(states.map((state) => migrationRefusal(flow, flow, state) === null));
  expect(counted).toEqual([true, true, false, false, false, false, false, false]);
});
