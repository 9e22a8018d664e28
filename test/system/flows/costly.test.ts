/**
 * One store's expressions are paid by all: what is published has a price, and what was published before there was one stops all the
 * same.
 */
import { beforeAll, expect, test } from '@jest/globals';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import { MAX_STEP } from '../../../domain/flows/expressions/meter.ts';
import { step } from '../../../domain/flows/run/step.ts';
import { query, until, world } from '../../kernel/world.ts';
import { acts, edge, end, state } from './fixtures.ts';
import { FlowShop } from './shop.ts';

const YEAR = Array.from({ length: 100 }, () => ({ from: '01-01', to: '01-02' }));
/** 49 times 100 rows, of which none is the day. */
const DEAR = Array.from({ length: 49 }, () => 'inRanges(now,year)').join('||');
/** 19 times. */
const RICH = DEAR.slice(0, 19 * 20 - 2);
/** A second in each state; before it goes on, 50 conditions are judged. */
const hostile = (when: string): Graph => ({
  schema: 1,
  start: 'one',
  tables: { year: YEAR },
  states: [
    ...['one', 'two'].map((id) =>
      state(id, {
        deadlines: [{ key: 'tick', after: 'PT1S' }],
        permissions: { buyerCancel: { until: `${when}?now:now`, deduct: `${when}?1:0` } },
      }),
    ),
    end(),
  ],
  actions: [{ key: 'stop', by: 'seller', label: 'stop' }],
  edges: (['one', 'two'] as const).flatMap((id, _, ids) => {
    const other = ids.find((one) => one !== id)!;
    const on = { type: 'elapsed', deadline: 'tick' } as const;
    const conditional = Array.from({ length: 50 }, (__, i) => ({ ...edge(id, other, on), id: `${id}${i}`, when }));
    return [...conditional, edge(id, other, on), edge(id, 'end', acts('stop'))];
  }),
});

/** `npm run stress` has thirty. */
const ITEMS = Number(process.env['COSTLY_ITEMS'] ?? 5);

let shop: FlowShop;
beforeAll(async () => {
  shop = await FlowShop.open();
});

test('check tells what is too costly, at the expression and at the state, and publishing is refused', async () => {
  const made = await shop.seller('POST', '/v1/commerce-flows', { key: 'dear', name: 'dear', graph: hostile(DEAR) });
  const flowId = made.body.data.flowId as string;
  const { body } = await shop.seller('POST', `/v1/commerce-flows/${flowId}/draft/check`);
  const blocking = body.data.blocking as Record<string, unknown>[];
  expect(blocking).toContainEqual(
    expect.objectContaining({ code: 'TOO_COSTLY', edgeId: 'one0', field: 'when', range: { start: 0, end: DEAR.length } }),
  );
  const published = await shop.seller('POST', `/v1/commerce-flows/${flowId}/draft/publish`);
  expect([published.status, published.body.error?.code]).toEqual([409, 'PUBLISH_BLOCKED']);
  // Each by itself is cheap enough, all together are not.
  await shop.seller('PUT', `/v1/commerce-flows/${flowId}/draft`, { graph: hostile(RICH) });
  const whole = await shop.seller('POST', `/v1/commerce-flows/${flowId}/draft/check`);
  expect((whole.body.data.blocking as { code: string; nodeId: string | null }[]).map(({ code, nodeId }) => [code, nodeId])).toEqual([
    ['TOO_COSTLY', 'one'],
    ['TOO_COSTLY', 'two'],
  ]);
});

test('many items of a graph of before there were prices hold up no payment of another store', async () => {
  const flowId = await shop.flow({
    graph: { ...hostile('false'), edges: hostile('false').edges.filter(({ when }) => when === undefined) },
  });
  const graph = hostile(DEAR);
  await query(`UPDATE flow_version SET graph = $1, bundle = $2 WHERE flow_id = $3`, [
    JSON.stringify(graph),
    JSON.stringify({ '': graph }),
    flowId,
  ]);
  const products = await Promise.all(Array.from({ length: ITEMS }, async () => (await shop.product(flowId)).productId));
  const buyer = await shop.world.member();
  const { itemIds, orderId } = await shop.buy(buyer, products);
  const moves = async () =>
    query<{ order_item_id: string; moves: number; slowed: number }>(
      `SELECT order_item_id, count(*) FILTER (WHERE event ->> 'type' = 'elapsed')::integer AS moves,
              count(*) FILTER (WHERE event ->> 'type' = 'SLOWED')::integer AS slowed
         FROM flow_step WHERE order_item_id = ANY ($1) GROUP BY 1`,
      [itemIds],
    );
  // Another store's buyers pay meanwhile.
  const other = await world();
  const product = await other.product();
  const paid = [];
  for (let i = 0; i < 5; i++) paid.push((await other.order(product)).orderNo);
  expect(new Set(paid).size).toBe(5);
  await until('each of them has moved 30 times and waits', async () => (await moves()).every(({ slowed }) => slowed === 1), 180_000);
  expect((await moves()).map((one) => one.moves)).toEqual(itemIds.map(() => 30));
  // Each was stopped, and says so once.
  const [stops] = await query<{ records: number }>(
    `SELECT count(*)::integer AS records FROM flow_step WHERE order_item_id = ANY ($1) AND event ->> 'type' = 'elapsed'
        AND jsonb_path_query_array(effects, '$[*] ? (@.code == "EXPRESSION_TOO_COSTLY")') @> '[{"type": "alert"}]'
        AND jsonb_array_length(effects) < 5`,
    [itemIds],
  );
  expect(stops).toEqual({ records: 30 * ITEMS });
  // Each of these moves cost no more than a step may.
  const flow = compileFlow({ '': graph });
  const facts = { settings: { autoDeliverDays: 0, autoConfirmDays: 0 } };
  const began = step(flow, null, { type: 'start', members: [{ id: 'item', activeQuantity: 1 }] }, Date.parse('2026-06-01'), facts);
  const moved = began.ok ? step(flow, began.state, { type: 'elapsed' }, Date.parse('2026-06-01T00:00:01Z'), facts) : began;
  expect(moved).toMatchObject({ ok: true, cost: MAX_STEP, trace: [{ edges: ['one.two'] }] });
  // Its buyer's list has a bound as well, and shows what it may judge no more as open.
  const listed = await buyer.call('GET', '/storefront/v1/me/orders');
  const [order] = listed.body.data.items as { orderId: string; items: { step: { claimable: boolean } }[] }[];
  expect([order!.orderId, order!.items.length]).toEqual([orderId, ITEMS]);
  const stopped = await shop.seller('POST', `/v1/orders/${orderId}/actions/stop`, {});
  expect(stopped.body.data.results).toEqual(itemIds.map((orderItemId) => ({ orderItemId, result: 'COMPLETED', code: null, reason: null })));
}, 300_000);
