/** Pictures of flows over HTTP: SVG that runs nothing, refusals as envelopes, and the way of an item. */
import { beforeAll, expect, test } from '@jest/globals';
import { world } from '../../kernel/world.ts';
import { FlowShop, EXTERNAL_FLOW } from './externalFlow.ts';

let shop: FlowShop;
let flowId: string;
beforeAll(async () => {
  shop = await FlowShop.sell(EXTERNAL_FLOW);
  const { items } = (await shop.shop.seller.call('GET', '/v1/commerce-flows')).body.data as { items: { key: string; flowId: string }[] };
  flowId = items.find(({ key }) => key === 'main')!.flowId;
});
async function picture(path: string) {
  const { base, bearer } = shop.shop.seller;
  const response = await fetch(base + path, { headers: { authorization: `Bearer ${bearer}` } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('a flow, its draft and its versions are drawn, whatever was typed into them', async () => {
  const graph = {
    ...EXTERNAL_FLOW,
    states: EXTERNAL_FLOW.states.map((one) => (one.id === 'paid' ? { ...one, label: '<script>"가&' } : one)),
  };
  const before = await picture(`/v1/commerce-flows/${flowId}/draft/graph.svg`);
  expect([before.status, (JSON.parse(before.text) as { error: { code: string } }).error.code]).toEqual([404, 'FLOW_DRAFT_NOT_FOUND']);
  expect((await shop.shop.seller.call('PUT', `/v1/commerce-flows/${flowId}/draft`, { graph })).status).toBe(200);
  for (const [path, shown] of [
    ['graph.svg', '&lt;script&gt;&quot;가&amp;'],
    ['draft/graph.svg', '&lt;script&gt;&quot;가&amp;'],
    ['versions/1/graph.svg', '>paid<'],
  ] as const) {
    const { status, headers, text } = await picture(`/v1/commerce-flows/${flowId}/${path}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(text).toMatch(/^<svg /);
    expect(text).toContain(shown);
    expect(text).not.toMatch(/<script|style=|href=/);
  }
});

test('an item’s picture lights the way that it took', async () => {
  const item = await shop.order();
  const lit = async () => (await picture(`/v1/order-items/${item}/flow.svg`)).text.match(/fill="#9a3412"[^>]*>[^<]*/g) ?? [];
  expect(await lit()).toEqual([]);
  await shop.press(item, 'ask');
  await shop.shop.seller.call('GET', `/v1/order-items/${item}`);
  expect(await lit()).toContainEqual(expect.stringContaining('판매자: ask'));
});

test('what is not there, and what is another store’s, is refused in the envelope', async () => {
  const other = await world();
  const code = async (path: string) => (await other.seller.call('GET', path)).body.error?.code;
  const item = await shop.order();
  expect([
    await code(`/v1/commerce-flows/${flowId}/graph.svg`),
    await code(`/v1/commerce-flows/${flowId}/draft/graph.svg`),
    await code(`/v1/commerce-flows/${flowId}/versions/1/graph.svg`),
    await code(`/v1/order-items/${item}/flow.svg`),
  ]).toEqual(['FLOW_NOT_FOUND', 'FLOW_NOT_FOUND', 'FLOW_NOT_FOUND', 'ORDER_ITEM_NOT_FOUND']);
  const missing = await picture(`/v1/commerce-flows/${flowId}/versions/9/graph.svg`);
  expect((JSON.parse(missing.text) as { error: { code: string } }).error.code).toBe('FLOW_VERSION_NOT_FOUND');
});
