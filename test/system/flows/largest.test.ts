/**
 * The largest order that can be made: 100 lines in a group, and 100 lines each by itself, with all the inputs and data that their flows
 * keep. Twelve readers at once are answered, with answers of a bounded size, and a group keeps what was sent to it once.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Buyer } from '../../../bin/dev/client.ts';
import type { Action, Graph, InputField } from '../../../domain/flows/graph/graph.ts';
import { query, until } from '../../kernel/world.ts';
import { end, state } from './fixtures.ts';
import { errorOf, FlowShop } from './shop.ts';

const [LINES, READERS, KIB] = [100, 12, 1024] as const;
/** 24 fields of 10,000 characters for each of six actions. */
const field = (key: string): InputField => ({ key, type: 'textarea', label: '가'.repeat(40), maxLength: 10_000 });
const action = (n: number): Action => ({
  key: `act${n}`,
  by: n % 2 === 0 ? 'seller' : 'buyer',
  label: '가'.repeat(40),
  input: Array.from({ length: 24 }, (_, i) => field(`f${n}x${i}`)),
});
const graphOf = (requires?: Graph['requires']): Graph => ({
  schema: 1,
  start: 'paid',
  ...(requires && { requires }),
  states: [state('paid', { message: '{{inputs.f0x0}}{{data.block0}}{{item.productName}}' }), end()],
  actions: [...Array.from({ length: 6 }, (_, n) => action(n)), { key: 'finish', by: 'seller', label: '완료' }],
  edges: [
    ...Array.from({ length: 6 }, (_, n) => ({
      id: `act${n}`,
      from: 'paid',
      to: 'paid',
      internal: true,
      on: { type: n % 2 === 0 ? 'seller.action' : 'buyer.action', key: `act${n}` } as const,
    })),
    { id: 'noted', from: 'paid', to: 'paid', internal: true, on: { type: 'event', name: 'custom.noted' } },
    { id: 'finish', from: 'paid', to: 'end', on: { type: 'seller.action', key: 'finish' } },
  ],
});
const LONG = '가'.repeat(3300);
/** Nearly 64 KiB, of the seller's first form. */
const INPUT = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`f0x${i}`, LONG]));

let shop: FlowShop;
let member: Buyer;
beforeAll(async () => {
  shop = await FlowShop.open();
  member = await shop.world.member();
}, 60_000);

async function bought(flowId: string) {
  const values = Array.from({ length: 10 }, (_, i) => `값${i}`);
  const optionGroups = ['색', '폭'].map((name) => ({ name, values }));
  const variants = values.flatMap((a) => values.map((b) => ({ optionValues: [a, b], stockQuantity: 10 })));
  const { productId } = await shop.product(flowId, { optionGroups, variants, stockQuantity: undefined });
  const { variants: made } = (await shop.seller('GET', `/v1/products/${productId}`)).body.data as { variants: { variantId: string }[] };
  const items = made.map(({ variantId: optionId }) => ({ productId, optionId, quantity: 1 }));
  expect(items).toHaveLength(LINES);
  return shop.buyLines(member, items);
}
const sizes = async (orderId: string) => {
  const [row] = await query<{ items: number; groups: number; records: number; replies: number }>(
    `SELECT (SELECT sum(octet_length(flow_state::text))::integer FROM order_item WHERE order_id = $1) AS items,
            (SELECT coalesce(sum(octet_length(flow_state::text)), 0)::integer FROM flow_group WHERE order_id = $1) AS groups,
            (SELECT sum(octet_length(event::text))::integer FROM flow_step JOIN order_item USING (store_id, order_item_id)
              WHERE order_id = $1) AS records,
            (SELECT max(octet_length(body::text))::integer FROM operation WHERE store_id = $2) AS replies`,
    [orderId, shop.world.store.storeId],
  );
  return row!;
};
/** All answered, whole, and each within so many bytes. */
async function readers(path: string, asMember = false): Promise<number> {
  const replies = await Promise.all(
    Array.from({ length: READERS }, async () => {
      const { status, body } = await (asMember ? member.call('GET', path) : shop.seller('GET', path));
      return { status, bytes: Buffer.byteLength(JSON.stringify(body)), items: (body.data['items'] as unknown[]).length };
    }),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  return Math.max(...replies.map(({ bytes }) => bytes));
}
const paths = (orderId: string) =>
  [
    [`/v1/orders/${orderId}`, false],
    [`/v1/order-items?orderId=${orderId}&size=100`, false],
    [`/storefront/v1/me/orders/${orderId}`, true],
  ] as const;
async function expectReadable(orderId: string): Promise<void> {
  for (const [path, asMember] of paths(orderId)) {
    const bytes = await readers(path, asMember);
    expect(bytes).toBeLessThan(1024 * KIB);
  }
}
const note = (id: string, n: number) =>
  shop.seller('POST', `/v1/order-items/${id}/events/custom.noted`, { data: { [`block${n}`]: 'x'.repeat(16_000) } });

test('a form of 24 fields of 10,000 characters is refused where it passes 64 KiB', async () => {
  const flowId = await shop.flow({ graph: graphOf() }, 'over');
  const { productId } = await shop.product(flowId);
  const { itemIds } = await shop.buy(member, [productId]);
  const input = Object.fromEntries(Array.from({ length: 24 }, (_, i) => [`f0x${i}`, 'x'.repeat(10_000)]));
  const [status, code, details] = errorOf(await shop.act(itemIds[0]!, 'act0', { input }));
  expect([status, code]).toEqual([400, 'FLOW_ACTION_INPUT_INVALID']);
  expect(details).toEqual({ issues: [{ key: 'f0x6', name: '가'.repeat(40), reason: 'TOO_LONG' }] });
  const dry = await shop.world.seller.call('POST', `/v1/order-items/${itemIds[0]!}/actions/act0?dryRun=true`, { input });
  expect(errorOf(dry).slice(0, 2)).toEqual([400, 'FLOW_ACTION_INPUT_INVALID']);
});

describe('a group of 100 lines', () => {
  let orderId: string;
  let itemIds: readonly string[];
  let flowId: string;
  beforeAll(async () => {
    flowId = await shop.flow({ graph: graphOf({ progression: 'ORDER_GROUP', groupClaim: 'CONTINUE' }) }, 'together');
    ({ orderId, itemIds } = await bought(flowId));
    const acted = await shop.act(itemIds[7]!, 'act0', { input: INPUT });
    expect([acted.status, (acted.body.data.affectedOrderItemIds as string[]).length]).toEqual([200, LINES]);
    for (let n = 0; n < 8; n++) expect((await note(itemIds[n]!, n)).status).toBe(200);
  }, 180_000);

  test('keeps inputs and data once, in its states and in its records', async () => {
    const { items, groups, records } = await sizes(orderId);
    expect(groups).toBeLessThan((64 + 128 + 32) * KIB);
    expect(items).toBeLessThan(LINES * KIB);
    expect(records).toBeLessThan((64 + 128) * KIB + 10 * LINES * KIB);
  });
  test('is read by twelve at once, by seller and buyer', () => expectReadable(orderId), 120_000);
  test('shows all of them at each item', async () => {
    for (const id of [itemIds[0]!, itemIds[99]!]) {
      const { flowState, truncated } = (await shop.item(id)) as unknown as {
        flowState: { inputs: object; data: object };
        truncated: boolean;
      };
      expect([flowState.inputs, Object.keys(flowState.data).length, truncated]).toEqual([INPUT, 8, false]);
    }
    const { items } = (await shop.seller('GET', `/v1/orders/${orderId}`)).body.data as {
      items: { truncated: boolean; flowState: object }[];
    };
    expect(items[0]).toMatchObject({ truncated: true, flowState: { key: 'paid', inputs: {}, data: {} } });
  });
  test('is replayed at each of them, with what was sent', async () => {
    const reply = await shop.seller('POST', `/v1/commerce-flows/${flowId}/draft/replay`, { orderItemId: itemIds[99]! });
    expect(reply.body.data).toMatchObject({ records: 10, divergedAt: null });
  });
  test('goes on where its items have copies, of before it had them once; what it ended with stays', async () => {
    await query(
      `UPDATE order_item i SET flow_state = g.flow_state FROM flow_group g
        WHERE g.store_id = i.store_id AND g.group_id = i.group_id AND i.order_id = $1`,
      [orderId],
    );
    expect((await shop.item(itemIds[42]!))['flowState']).toMatchObject({ key: 'paid', inputs: INPUT });
    expect((await shop.act(itemIds[3]!, 'finish')).body.data.affectedOrderItemIds).toEqual(itemIds);
    expect((await shop.item(itemIds[42]!))['flowState']).toMatchObject({ key: 'end', inputs: INPUT });
    expect((await sizes(orderId)).items).toBeLessThan(LINES * KIB);
  }, 60_000);
});

describe('100 lines, each by itself', () => {
  test('are filled by one request of the order, and read by twelve at once', async () => {
    const { orderId, itemIds } = await bought(await shop.flow({ graph: graphOf() }, 'alone'));
    // A busy machine may need more than the eight seconds of a request, which goes on where it ended.
    const headers = { 'idempotency-key': orderId };
    await until(
      'all are done',
      async () => {
        const { body } = await shop.world.seller.call('POST', `/v1/orders/${orderId}/actions/act0`, { input: INPUT }, headers);
        return body.data?.['completed'] === LINES;
      },
      60_000,
    );
    const { items, replies } = await sizes(orderId);
    expect(items).toBeGreaterThan(LINES * 50 * KIB);
    // Answers of its parts are not those of a hundred items.
    expect(replies).toBeLessThan(512 * KIB);
    await expectReadable(orderId);
    expect((await shop.item(itemIds[99]!))['flowState']).toMatchObject({ inputs: INPUT });
  }, 240_000);
});
