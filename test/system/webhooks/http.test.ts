import { afterAll, describe, expect, test } from '@jest/globals';
import { type Receiver, until, type World, world } from '../../kernel/world.ts';

const open: Receiver[] = [];
afterAll(() => open.forEach((receiver) => receiver.close()));
const receiver = async (shop: World, ...answer: Parameters<World['receiver']>) => {
  const made = await shop.receiver(...answer);
  open.push(made);
  return made;
};

describe('a delivery', () => {
  test('that fails is tried 1, 5, 30 minutes and 2 hours later, then is FAILED; the body never changes', async () => {
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
  test('that recovers is SUCCESS, and sent no more', async () => {
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
  test('redirects are not followed, a cut connection is CONNECTION_FAILED, one dead receiver holds up no other', async () => {
    const shop = await world();
    const target = await receiver(shop);
    const redirecting = await receiver(shop, (_, response) => void response.writeHead(307, { location: `${target.url}/moved` }).end());
    const cutting = await receiver(shop, (_, response) => void response.socket?.destroy());
    await shop.order();
    const ended = async (one: Receiver) => (await shop.deliveries(one.webhookId))[0]?.['status'] !== 'PENDING';
    await until('all tried', async () => (await ended(target)) && (await ended(redirecting)) && (await ended(cutting)));
    expect((await shop.deliveries(redirecting.webhookId))[0]).toMatchObject({ errorCode: 'NON_2XX', responseStatusCode: 307 });
    expect((await shop.deliveries(cutting.webhookId))[0]).toMatchObject({ errorCode: 'CONNECTION_FAILED', responseStatusCode: null });
    expect(target.received).toHaveLength(1);
  });
  test('headers that never come are a TIMEOUT after ten seconds; a body that never ends is a success', async () => {
    const shop = await world();
    const silent = await receiver(shop, () => {});
    const endless = await receiver(shop, (_, response) => void response.writeHead(200).write('x'.repeat(20)));
    await shop.order();
    const first = async (one: Receiver) => (await shop.deliveries(one.webhookId))[0]!;
    await until(
      'both ended',
      async () => (await first(silent))['status'] !== 'PENDING' && (await first(endless))['status'] !== 'PENDING',
      20_000,
    );
    expect(await first(silent)).toMatchObject({ errorCode: 'TIMEOUT', status: 'PENDING_RETRY' });
    expect(Number((await first(silent))['responseTimeMs'])).toBeGreaterThanOrEqual(9_900);
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
  test('ten are allowed; the secret is shown once; lists and reads show its prefix', async () => {
    const shop = await world();
    const register = () =>
      shop.seller.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', eventTypes: ['ORDER.PAID', 'ORDER.PAID'] });
    const made = await Promise.all(Array.from({ length: 12 }, register));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(made.filter(({ body }) => body.error?.code === 'WEBHOOK_LIMIT_EXCEEDED')).toHaveLength(2);
    const one = made.find(({ status }) => status === 201)!.body.data;
    expect(one.eventTypes).toEqual(['ORDER.PAID']);
    const read = (await shop.seller.call('GET', `/v1/webhooks/${one.webhookId as string}`)).body.data;
    expect(read).not.toHaveProperty('secret');
    expect(one.secret.startsWith(read.secretPrefix)).toBe(true);
    expect((await shop.seller.call('GET', '/v1/webhooks/whk_x')).body.error?.code).toBe('WEBHOOK_NOT_FOUND');
    expect((await shop.seller.call('GET', `/v1/webhooks/${one.webhookId as string}/deliveries?limit=101`)).body.error?.code).toBe(
      'VALIDATION_FAILED',
    );
    expect((await shop.seller.call('GET', `/v1/webhooks/${one.webhookId as string}/deliveries?status=NOPE`)).body.error?.code).toBe(
      'INVALID_PARAMETER',
    );
  });
});
