import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Receiver, until, type World, world } from '../../kernel/world.ts';

const open: Receiver[] = [];
afterAll(() => open.forEach((receiver) => receiver.close()));
const receiver = async (shop: World, ...answer: Parameters<World['receiver']>) => {
  const made = await shop.receiver(...answer);
  open.push(made);
  return made;
};

describe('a delivery', () => {
  test('that fails is tried 1, 5, 30 minutes and 2 hours later with the same body', async () => {
    const shop = await world();
    const failing = await receiver(shop, (_, response) => void response.writeHead(500).end('no\u0000pe'));
    await shop.order();
    await until('first attempt', async () => (await shop.deliveries(failing.webhookId))[0]?.['status'] === 'PENDING_RETRY');
    for (const [gap, attempts] of [
      ['PT1M', 2],
      ['PT5M', 3],
      ['PT30M', 4],
      ['PT2H', 5],
    ] as const) {
      expect(await shop.advance(gap)).toMatchObject({ settled: true });
      expect((await shop.deliveries(failing.webhookId))[0]).toMatchObject({ attemptCount: attempts });
    }
    expect((await shop.deliveries(failing.webhookId))[0]).toMatchObject({
      status: 'FAILED',
      errorCode: 'NON_2XX',
      responseStatusCode: 500,
      responseBodyExcerpt: 'nope',
      nextAttemptAt: null,
      eventType: 'ORDER.PAID',
    });
    await shop.advance('P2D');
    expect(failing.received).toHaveLength(5);
    expect(new Set(failing.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(failing.received.map(({ headers }) => headers['svc-delivery-id'])).size).toBe(1);
  });
  test('one advance of three hours ends like the gaps one by one', async () => {
    const shop = await world();
    const failing = await receiver(shop, (_, response) => void response.writeHead(503).end());
    await shop.order();
    await until('first attempt', async () => failing.received.length === 1);
    expect(await shop.advance('PT3H')).toMatchObject({ settled: true });
    const [delivery] = await shop.deliveries(failing.webhookId);
    expect(delivery).toMatchObject({ status: 'FAILED', attemptCount: 5 });
    const lasted = Date.parse(String(delivery!['attemptedAt'])) - Date.parse(String(delivery!['createdAt']));
    expect(Math.round(lasted / 60_000)).toBeGreaterThanOrEqual(156);
    expect(Math.round(lasted / 60_000)).toBeLessThanOrEqual(160);
  });
  test('that recovers is sent no more', async () => {
    const shop = await world();
    let failures = 1;
    const flaky = await receiver(shop, (_, response) => void response.writeHead(failures-- > 0 ? 500 : 204).end());
    await shop.order();
    await until('first attempt', async () => flaky.received.length === 1);
    await shop.advance('P1D');
    expect((await shop.deliveries(flaky.webhookId))[0]).toMatchObject({
      status: 'SUCCESS',
      attemptCount: 2,
      errorCode: null,
      responseStatusCode: 204,
    });
    expect(flaky.received).toHaveLength(2);
  });
});

describe('one event to several receivers', () => {
  let shop: World;
  let target: Receiver;
  let redirecting: Receiver;
  let cutting: Receiver;
  let silent: Receiver;
  let endless: Receiver;
  const first = async (one: Receiver) => (await shop.deliveries(one.webhookId))[0]!;
  beforeAll(async () => {
    shop = await world();
    target = await receiver(shop);
    redirecting = await receiver(shop, (_, response) => void response.writeHead(307, { location: `${target.url}/moved` }).end());
    cutting = await receiver(shop, (_, response) => void response.socket?.destroy());
    silent = await receiver(shop, () => {});
    endless = await receiver(shop, (_, response) => void response.writeHead(200).write('x'.repeat(20)));
    await shop.order();
    const isTried = async (one: Receiver) =>
      ![undefined, 'PENDING'].includes((await shop.deliveries(one.webhookId))[0]?.['status'] as string);
    for (const one of [target, redirecting, cutting, silent, endless]) await until('it is tried', () => isTried(one));
  }, 60_000);
  test('a redirect is not followed', async () => {
    expect(await first(redirecting)).toMatchObject({ errorCode: 'NON_2XX', responseStatusCode: 307 });
    expect(target.received).toHaveLength(1);
  });
  test('a cut connection is CONNECTION_FAILED', async () => {
    expect(await first(cutting)).toMatchObject({ errorCode: 'CONNECTION_FAILED', responseStatusCode: null });
  });
  test('headers that never come are a TIMEOUT after ten seconds', async () => {
    expect(await first(silent)).toMatchObject({ errorCode: 'TIMEOUT', status: 'PENDING_RETRY' });
    expect(Number((await first(silent))['responseTimeMs'])).toBeGreaterThanOrEqual(9_900);
  });
  test('a body that never ends is a success', async () => {
    expect(await first(endless)).toMatchObject({ status: 'SUCCESS', responseStatusCode: 200, responseBodyExcerpt: 'x'.repeat(20) });
  });
});

describe('registration', () => {
  test.each([
    ['https://10.0.0.1/', 'BLOCKED_ADDRESS'],
    ['https://[::ffff:10.0.0.1]/', 'BLOCKED_ADDRESS'],
    ['https://169.254.169.254/latest', 'BLOCKED_ADDRESS'],
    ['https://0x0a000001/', 'BLOCKED_ADDRESS'],
    ['https://2130706433.0.0.1/', 'INVALID_URL'],
    ['https://192.168.1.1./', 'BLOCKED_ADDRESS'],
    ['http://example.com/', 'INVALID_URL'],
    ['https://user:pw@example.com/', 'INVALID_URL'],
    ['ftp://example.com/', 'INVALID_URL'],
    ['nonsense', 'INVALID_URL'],
  ])('%s is refused as %s', async (url, code) => {
    const shop = await world();
    const reply = await shop.seller.call('POST', '/v1/webhooks', { url, eventTypes: ['ORDER.PAID'] });
    expect([reply.status, reply.body.error?.fieldErrors]).toEqual([400, [expect.objectContaining({ field: 'url', code })]]);
  });
  test('allows ten webhooks of a store, also to parallel requests', async () => {
    const shop = await world();
    const register = () =>
      shop.seller.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', eventTypes: ['ORDER.PAID', 'ORDER.PAID'] });
    const made = await Promise.all(Array.from({ length: 12 }, register));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(made.filter(({ body }) => body.error?.code === 'WEBHOOK_LIMIT_EXCEEDED')).toHaveLength(2);
    expect(made.find(({ status }) => status === 201)!.body.data.eventTypes).toEqual(['ORDER.PAID']);
  });
  test('shows the secret once, and its prefix afterwards', async () => {
    const shop = await world();
    const one = (await shop.seller.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', eventTypes: ['ORDER.PAID'] })).body.data;
    const read = (await shop.seller.call('GET', `/v1/webhooks/${one.webhookId as string}`)).body.data;
    expect(read).not.toHaveProperty('secret');
    expect(one.secret.startsWith(read.secretPrefix)).toBe(true);
  });
  test('bad parameters of a list are refused', async () => {
    const shop = await world();
    const one = (await shop.seller.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', eventTypes: ['ORDER.PAID'] })).body.data;
    expect((await shop.seller.call('GET', '/v1/webhooks/whk_x')).body.error?.code).toBe('WEBHOOK_NOT_FOUND');
    expect((await shop.seller.call('GET', `/v1/webhooks/${one.webhookId as string}/deliveries?limit=101`)).body.error?.code).toBe(
      'VALIDATION_FAILED',
    );
    expect((await shop.seller.call('GET', `/v1/webhooks/${one.webhookId as string}/deliveries?status=NOPE`)).body.error?.code).toBe(
      'INVALID_PARAMETER',
    );
  });
});
