/** The pace of running orders: late, never lost, told to the seller and to operators. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { DAY, MINUTE } from '../../../domain/kernel/time.ts';
import { support } from '../../kernel/support.ts';
import { query, temporalClient, until } from '../../kernel/world.ts';
import { acts, edge, end, state } from './fixtures.ts';
import { NODE } from './externalFlow.ts';
import { FlowShop } from './shop.ts';

/** Two states in turn, a second each, until the seller stops it. */
const circle = (requires: Graph['requires'] = {}): Graph => ({
  schema: 1,
  start: 'one',
  requires,
  states: [...['one', 'two'].map((id) => state(id, { deadlines: [{ key: 'tick', after: 'PT1S' }] })), end()],
  actions: [{ key: 'stop', by: 'seller', label: 'stop' }],
  edges: [
    edge('one', 'two', { type: 'elapsed', deadline: 'tick' }),
    edge('two', 'one', { type: 'elapsed', deadline: 'tick' }),
    edge('one', 'end', acts('stop')),
    edge('two', 'end', acts('stop')),
  ],
});
/** Asks a service, by an action, as often as the seller wants. */
const external: Graph = {
  schema: 1,
  start: 'paid',
  states: [state('paid'), NODE, end()],
  actions: ['ask', 'finish'].map((key) => ({ key, by: 'seller', label: key })),
  edges: [
    edge('paid', 'asked', acts('ask')),
    edge('paid', 'end', acts('finish')),
    ...(['success', 'skipped', 'failed'] as const).map((value) => ({
      ...edge('asked', 'paid', { type: 'result', value }),
      id: value,
    })),
  ],
};

let shop: FlowShop;
const products: Record<string, string> = {};
beforeAll(async () => {
  shop = await FlowShop.open();
  const graphs = { alone: circle(), together: circle({ progression: 'ORDER_GROUP' }), external };
  for (const [key, graph] of Object.entries(graphs)) products[key] = (await shop.product(await shop.flow({ graph }, key))).productId;
});
const buy = async (key: string, lines = 1) => {
  const more = await Promise.all(
    Array.from({ length: lines - 1 }, async () => {
      const { body } = await shop.seller('GET', `/v1/products/${products[key]}`);
      return (await shop.product(body.data.flowId as string)).productId;
    }),
  );
  const bought = await shop.buy(await shop.world.member(), [products[key]!, ...more]);
  return { ...bought, itemId: bought.itemIds[0]! };
};
const flowStateOf = async (itemId: string) =>
  (await shop.seller('GET', `/v1/order-items/${itemId}/flow`)).body.data.flowState as { key: string; slowedUntil: string | null };
/** When it moved by itself, and when it was slowed. */
async function recordsOf(itemId: string) {
  const rows = await query<{ type: string; at: Date }>(
    `SELECT event ->> 'type' AS type, at FROM flow_step WHERE order_item_id = $1 ORDER BY seq`,
    [itemId],
  );
  const timesOf = (types: readonly string[]) => rows.filter(({ type }) => types.includes(type)).map(({ at }) => new Date(at).getTime());
  return { moves: timesOf(['elapsed', 'result']), slowed: timesOf(['SLOWED']) };
}
const isSlowed = (itemId: string) => until('it is slowed', async () => (await flowStateOf(itemId)).slowedUntil, 90_000);
function expectPace(moves: readonly number[]): void {
  for (const [i, at] of moves.entries()) {
    if (i >= 30) expect(at - moves[i - 30]!).toBeGreaterThanOrEqual(10 * MINUTE);
    if (i >= 500) expect(at - moves[i - 500]!).toBeGreaterThanOrEqual(DAY);
  }
}

test('a circle moves 30 times in ten minutes; then it waits, is told once, and goes on when there is room', async () => {
  const { itemId, orderNo } = await buy('alone');
  await shop.world.advance('PT1M');
  const slowedUntil = await isSlowed(itemId);
  const before = await recordsOf(itemId);
  expect([before.moves.length, before.slowed.length]).toEqual([30, 1]);
  expect(Date.parse(slowedUntil)).toBe(before.moves[0]! + 10 * MINUTE - ((before.moves[0]! + 10 * MINUTE) % 1000));
  const [record] = await shop.runs(itemId);
  expect(record).toMatchObject({ event: { type: 'SLOWED', until: slowedUntil }, actor: 'SYSTEM', edges: [], steps: [], status: 'PAID' });
  expect((await shop.item(itemId))['flowState']).toMatchObject({ slowedUntil });
  const [words] = (await support('explain', `${orderNo}01`, '--json')) as { words: string[] }[];
  expect(words!.words.join(' ')).toContain('It is slowed until then');
  const { workflow } = await temporalClient();
  const { currentDetails } = await workflow
    .getHandle(`order-item/${shop.world.store.storeId}/${orderNo}01`)
    .query<{ currentDetails: string }>('__temporal_workflow_metadata');
  expect(currentDetails).toContain('Slowed until');
  // A jump over many of them: each at its own time.
  await shop.world.advance('PT1H');
  await isSlowed(itemId);
  const after = await recordsOf(itemId);
  expectPace(after.moves);
  expect(after.moves.length).toBeGreaterThanOrEqual(180);
  expect(after.slowed.length).toBe(Math.ceil(after.moves.length / 30));
  const stopped = await shop.act(itemId, 'stop');
  expect(stopped.body.data.item).toMatchObject({ status: 'PURCHASE_DECIDED', flowState: { key: 'end', slowedUntil: null } });
}, 180_000);

test('a group goes at one pace, which its items do not keep', async () => {
  const { itemIds, orderId } = await buy('together', 2);
  await shop.world.advance('PT15M');
  const until0 = await isSlowed(itemIds[0]!);
  expect((await flowStateOf(itemIds[1]!)).slowedUntil).toBe(until0);
  const [first, second] = [await recordsOf(itemIds[0]!), await recordsOf(itemIds[1]!)];
  expect(first).toEqual(second);
  expectPace(first.moves);
  expect(first.slowed.length).toBe(Math.ceil(first.moves.length / 30));
  const stored = await query<{ items: number; group: number }>(
    `SELECT count(*) FILTER (WHERE i.flow_state ? 'moves')::integer AS items, max(jsonb_array_length(g.flow_state -> 'moves')) AS group
       FROM order_item i JOIN flow_group g USING (store_id, group_id) WHERE i.order_id = $1`,
    [orderId],
  );
  expect(stored).toEqual([{ items: 0, group: first.moves.length }]);
  await shop.act(itemIds[0]!, 'stop');
}, 180_000);

test('an answer that finds no room waits for it, and is not lost', async () => {
  const { itemId } = await buy('external');
  // It moved 30 times by itself, a moment ago.
  const [store] = await query<{ offset: string }>('SELECT clock_offset_ms AS offset FROM store WHERE store_id = $1', [
    shop.world.store.storeId,
  ]);
  const moves = Array.from({ length: 30 }, () => Date.now() + Number(store!.offset));
  await query(`UPDATE order_item SET flow_state = jsonb_set(flow_state, '{moves}', $1::jsonb) WHERE order_item_id = $2`, [
    JSON.stringify(moves),
    itemId,
  ]);
  expect((await shop.act(itemId, 'ask')).status).toBe(200);
  await isSlowed(itemId);
  expect((await flowStateOf(itemId)).key).toBe('asked');
  expect((await recordsOf(itemId)).slowed.length).toBe(1);
  // People wait for the answer as ever, and are not slowed by it.
  expect((await shop.act(itemId, 'finish')).body.error).toMatchObject({
    code: 'ACTION_NOT_AVAILABLE',
    details: { reason: 'NOT_IN_STATE' },
  });
  await shop.world.advance('PT11M');
  await until('the answer has its turn', async () => (await flowStateOf(itemId)).key === 'paid');
  const calls = await query<{ result: string }>('SELECT result FROM flow_call WHERE owner_id = $1', [itemId]);
  expect(calls).toEqual([{ result: 'skipped' }]);
  expect((await recordsOf(itemId)).moves.length).toBe(1);
  expect((await flowStateOf(itemId)).slowedUntil).toBeNull();
}, 120_000);
