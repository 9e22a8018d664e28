/** External nodes of running orders: one request for each entry, with the connection of that moment. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { query, temporalClient, until } from '../../kernel/world.ts';
import { callsOf, deadlineAround, EXTERNAL_FLOW, externalFlow, FlowShop, Service } from './externalFlow.ts';

const services: Service[] = [];
afterAll(() => services.forEach((service) => service.close()));
const listen = async (...args: Parameters<typeof Service.listen>) => {
  const service = await Service.listen(...args);
  services.push(service);
  return service;
};
const runOf = async (item: string) => {
  const [run] = await query<{ workflow_id: string }>('SELECT workflow_id FROM run WHERE entity_id = $1', [item]);
  return run!.workflow_id;
};
/** Who makes the calls: the item, or its group. */
const ownerOf = async (item: string) => {
  const [row] = await query<{ owner: string }>(
    'SELECT coalesce(group_id, order_item_id) AS owner FROM order_item WHERE order_item_id = $1',
    [item],
  );
  return row!.owner;
};
const reach = (shop: FlowShop, item: string, key: string) =>
  until(`state ${key}`, async () => (await shop.state(item)).key === key, 40_000);

describe('a store that sells by a flow with an external node', () => {
  let shop: FlowShop;
  beforeAll(async () => {
    shop = await FlowShop.sell(EXTERNAL_FLOW);
  });

  test('without a connection the step is skipped; with one it is asked once for each entry, with a key of its own', async () => {
    const item = await shop.order(2);
    await shop.press(item, 'ask');
    await reach(shop, item, 'skipped');
    const service = await listen((response) => void response.end('{"no":"A-1","__proto__":{"x":1}}'));
    await shop.connect(`${service.url}/base/`);
    await shop.press(item, 'again');
    await reach(shop, item, 'success');
    // Replaced between: the next call of a running order uses it.
    const other = await listen((response) => void response.writeHead(201).end('[1]'));
    await shop.connect(other.url, 'Bearer second');
    await shop.press(item, 'again');
    await until('the second answer', async () => (await callsOf(item)).filter(({ result }) => result === 'success').length === 2);
    const [request] = service.requests;
    expect([service.requests.length, other.requests.length]).toEqual([1, 1]);
    expect(request).toMatchObject({ method: 'POST', path: '/base/issue' });
    expect(JSON.parse(request!.body)).toEqual({ n: 2, name: 'x양모 머플러', none: '' });
    expect(request!.headers).toMatchObject({ 'content-type': 'application/json', 'x-key': 'Bearer canary-header' });
    expect(other.requests[0]!.headers['x-key']).toBe('Bearer second');
    const calls = await callsOf(item);
    expect(calls.map(({ result }) => result)).toEqual(['skipped', 'success', 'success']);
    const keys = [...service.requests, ...other.requests].map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(calls.slice(1).map(({ idempotency_key: key }) => key));
    expect(new Set(calls.map(({ idempotency_key: key }) => key)).size).toBe(3);
    // A list becomes no data block: the first answer stays.
    expect(JSON.stringify((await shop.state(item)).data)).toBe('{"answer":{"no":"A-1","__proto__":{"x":1}}}');
  }, 120_000);

  test('while the answer is pending nothing can be done; it ends the wait, and Temporal learns nothing of it', async () => {
    let release = () => {};
    const service = await listen((response) => {
      release = () => void response.end('{"secretish":"canary-answer\\u0000\\ud800"}');
    });
    await shop.connect(service.url);
    const item = await shop.order();
    await shop.press(item, 'ask');
    await until('the request', async () => service.requests.length === 1);
    expect((await shop.state(item)).key).toBe('asked');
    const move = await shop.shop.act(item, 'flow/move', { to: 'failed', reason: 'x' });
    expect([move.body.error?.code, move.body.error?.details?.['reason']]).toEqual(['FLOW_MOVE_NOT_ALLOWED', 'EXTERNAL_PENDING']);
    release();
    await reach(shop, item, 'success');
    expect((await shop.state(item)).data).toEqual({ answer: { secretish: 'canary-answer\ufffd' } });
    const temporal = await temporalClient();
    const run = await runOf(item);
    const history = JSON.stringify(await temporal.workflow.getHandle(run).fetchHistory());
    const decoded = history.replaceAll(/[A-Za-z0-9+/=]{24,}/g, (part) => Buffer.from(part, 'base64').toString());
    expect(decoded).toContain('askExternal');
    expect(decoded).not.toMatch(/canary|127\.0\.0\.1/);
  }, 120_000);

  test('a run that is terminated while its request is in flight asks no second time, and takes the answer', async () => {
    let release = () => {};
    const service = await listen((response) => {
      release = () => void response.end('{}');
    });
    await shop.connect(service.url);
    const item = await shop.order();
    await shop.press(item, 'ask');
    await until('the request', async () => service.requests.length === 1);
    const temporal = await temporalClient();
    await temporal.workflow.getHandle(await runOf(item)).terminate();
    release();
    await reach(shop, item, 'success');
    expect(service.requests.length).toBe(1);
  }, 120_000);

  test.each<[string, (service: Service) => string]>([
    ['an address inside', () => 'https://10.0.0.1'],
    ['nobody there', () => 'http://127.0.0.1:9'],
  ])(
    '%s: failed',
    async (_, url) => {
      const service = await listen();
      const { status } = await shop.shop.seller.call('PUT', '/v1/commerce-flows/secrets/service', {
        url: url(service),
        headerName: 'X-Key',
        headerValue: 'x',
      });
      if (status === 400) return expect(url(service)).toContain('10.0.0.1');
      const item = await shop.order();
      await shop.press(item, 'ask');
      await reach(shop, item, 'failed');
    },
    60_000,
  );
});

test.each(['the item', 'its group'])(
  'the deadline around a node passes while %s asks: the answer comes late, and is dropped',
  async (who) => {
    const { around, inner } = deadlineAround(who === 'its group' ? { progression: 'ORDER_GROUP' } : {});
    const shop = await FlowShop.sell(around, { inner });
    let release = () => {};
    const service = await listen((response) => {
      release = () => void response.end('{"late":true}');
    });
    await shop.connect(service.url);
    const item = await shop.order();
    await shop.press(item, 'ask');
    await shop.press(item, 'go');
    await until('the request', async () => service.requests.length === 1);
    const statusOfCall = async () => {
      const { items } = (await shop.shop.seller.call('GET', `/v1/order-items/${item}/flow/runs`)).body.data as {
        items: { steps: { type: string; status: string }[] }[];
      };
      return items.flatMap(({ steps }) => steps).find(({ type }) => type === 'external.call')?.status;
    };
    expect(await statusOfCall()).toBe('PENDING');
    // The last seconds pass by themselves, on the run's timer.
    await shop.shop.seller.call('POST', '/v1/sandbox/clock', { advance: 'PT59M55S' });
    await reach(shop, item, 'late');
    expect(await callsOf(await ownerOf(item))).toMatchObject([{ result: null }]);
    release();
    await shop.press(item, 'finish');
    await reach(shop, item, 'done');
    expect(await shop.state(item)).toMatchObject({ data: {} });
    expect([service.requests.length, await statusOfCall()]).toEqual([1, 'FAILED']);
  },
  120_000,
);

test('a group asks once for all its items', async () => {
  const shop = await FlowShop.sell(
    externalFlow({ path: '/of/{{item.orderItemNo}}?a={{item.productName}}' }, { progression: 'ORDER_GROUP' }),
  );
  const service = await listen();
  await shop.connect(service.url);
  const item = await shop.order();
  await shop.press(item, 'ask');
  await reach(shop, item, 'success');
  expect(service.requests.map(({ path }) => path)).toEqual([expect.stringMatching(/^\/of\/\d+\?a=%EC%96%91/)]);
}, 120_000);
