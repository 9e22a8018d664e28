/** External nodes of running orders: one request for each entry, with the connection of that moment (F15–F18). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Graph } from '../../../domain/flows/graph.ts';
import { query, temporalClient, until } from '../../kernel/world.ts';
import { FlowShop, externalFlow, EXTERNAL_FLOW, callsOf, NODE, Service } from './externalFlow.ts';

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

test('a deadline around the node drops it: its answer comes late', async () => {
  const waiting = { type: 'state', status: 'CONFIRMED', step: 'SELLER_PROCESSING' } as const;
  const around: Graph = {
    schema: 1,
    start: 'paid',
    states: [
      { ...waiting, id: 'paid', status: 'PAID', label: 'paid' },
      { id: 'inner', type: 'call', flow: 'inner', deadline: 'PT1H' },
      { ...waiting, id: 'late', label: 'late' },
      { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
    ],
    actions: ['ask', 'finish'].map((key) => ({ key, by: 'seller', label: key })),
    edges: [
      { id: 'e1', from: 'paid', to: 'inner', on: { type: 'seller.action', key: 'ask' } },
      { id: 'e2', from: 'inner', to: 'late', on: { type: 'result', value: 'timeout' } },
      { id: 'e3', from: 'inner', to: 'done', on: { type: 'result', value: 'completed' } },
      { id: 'e4', from: 'inner', to: 'late', on: { type: 'result', value: 'canceled' } },
      { id: 'e5', from: 'late', to: 'done', on: { type: 'seller.action', key: 'finish' } },
    ],
  };
  const ends = (['success', 'skipped', 'failed'] as const).map((value) => ({
    id: value,
    from: 'asked',
    to: 'end',
    on: { type: 'result', value } as const,
  }));
  const inner: Graph = {
    schema: 1,
    start: 'begin',
    states: [
      { ...waiting, id: 'begin', status: 'PAID', label: 'begin' },
      { ...NODE, timeoutSeconds: 60 },
      { id: 'end', type: 'end', outcome: 'COMPLETED', label: 'end' },
    ],
    actions: [{ key: 'go', by: 'seller', label: 'go' }],
    edges: [{ id: 'go', from: 'begin', to: 'asked', on: { type: 'seller.action', key: 'go' } }, ...ends],
  };
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
  void shop.shop.seller.call('POST', '/v1/sandbox/clock', { advance: 'PT2H' });
  await until('the clock', async () => {
    const { now } = (await shop.shop.seller.call('GET', '/v1/sandbox/clock')).body.data as { now: string };
    return Date.parse(now) > Date.now() + 3_600_000;
  });
  release();
  await reach(shop, item, 'late');
  expect(await shop.state(item)).toMatchObject({ data: {} });
  expect([service.requests.length, await statusOfCall()]).toEqual([1, 'FAILED']);
}, 120_000);

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
