/** Subscriptions by HTTP and the sandbox clock: change, delete, rotation, suspension, resume, redelivery, the test call. */
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, test } from '@jest/globals';
import { EVENT_TYPES } from '../../../domain/webhooks/rules.ts';
import { type Received, type Receiver, query, until, type World, world } from '../../kernel/world.ts';

const open: Receiver[] = [];
afterAll(() => open.forEach((receiver) => receiver.close()));
const receiver = async (shop: World, ...answer: Parameters<World['receiver']>) => {
  const made = await shop.receiver(...answer);
  open.push(made);
  return made;
};
const failing = (_: Received, response: ServerResponse) => void response.writeHead(500).end();
const path = ({ webhookId }: Receiver) => `/v1/webhooks/${webhookId}`;
const post = (shop: World, one: Receiver, what: string, body: object = {}) => shop.seller.call('POST', `${path(one)}/${what}`, body);
const read = async (shop: World, one: Receiver) => (await shop.seller.call('GET', path(one))).body.data;
/** The values of `v1`, and what each secret would sign. */
const values = ({ headers }: Received) => [...String(headers['svc-signature']).matchAll(/v1=([0-9a-f]{64})/g)].map(([, value]) => value);
const signed = ({ headers, body }: Received, secret: string) => {
  const t = /^t=(\d+),/.exec(String(headers['svc-signature']))![1];
  return createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
};
const ended = (shop: World, one: Receiver, count: number) =>
  until(`${count} ended`, async () => {
    const all = await shop.deliveries(one.webhookId);
    return all.length >= count && all.every(({ status }) => status === 'SUCCESS' || status === 'FAILED') && all;
  });
const tried = (shop: World, one: Receiver) =>
  until('tried', async () => (await shop.deliveries(one.webhookId)).every(({ attemptCount }) => Number(attemptCount) > 0));

describe('PUT', () => {
  test('applies to retries of what waits', async () => {
    const shop = await world();
    const dead = await receiver(shop, failing);
    const living = await receiver(shop);
    await shop.order();
    await tried(shop, dead);
    const changed = await shop.seller.call('PUT', path(dead), {
      url: `${living.url}?moved`,
      eventTypes: ['ORDER.CONFIRMED', 'ORDER.CONFIRMED'],
    });
    expect(changed.body.data).toMatchObject({ url: `${living.url}?moved`, eventTypes: ['ORDER.CONFIRMED'], status: 'ACTIVE' });
    await shop.advance('PT1M');
    const [delivery] = await shop.deliveries(dead.webhookId);
    expect(delivery).toMatchObject({ status: 'SUCCESS', attemptCount: 2, url: `${living.url}?moved`, eventType: 'ORDER.PAID' });
    const moved = living.received.find(({ headers }) => headers['svc-delivery-id'] === delivery!['deliveryId'])!;
    expect(values(moved)).toEqual([signed(moved, dead.secret)]);
    // What the type list no longer names is not sent for new orders.
    await shop.order();
    await ended(shop, living, 2);
    expect(await shop.deliveries(dead.webhookId)).toHaveLength(1);
  });
  test('bad addresses and types are refused together', async () => {
    const shop = await world();
    const own = await receiver(shop);
    const bad = await shop.seller.call('PUT', path(own), { url: 'https://10.0.0.1/', eventTypes: ['NO.SUCH'] });
    expect(bad.body.error?.fieldErrors?.map(({ field }) => field).toSorted()).toEqual(['eventTypes[0]', 'url']);
  });
  test('another store’s webhook is not there', async () => {
    const [shop, rival] = await Promise.all([world(), world()]);
    const theirs = await receiver(rival);
    const body = { url: theirs.url, eventTypes: ['ORDER.PAID'] };
    for (const [method, what, sent] of [
      ['PUT', '', body],
      ['DELETE', '', undefined],
      ['POST', '/resume', {}],
      ['POST', '/rotate-secret', {}],
      ['POST', '/test', { eventType: 'ORDER.PAID' }],
      ['POST', '/deliveries/redeliver-failed', {}],
    ] as const) {
      expect((await shop.seller.call(method, path(theirs) + what, sent)).body.error?.code).toBe('WEBHOOK_NOT_FOUND');
    }
    expect(await read(rival, theirs)).toMatchObject({ url: theirs.url, status: 'ACTIVE' });
  });
});

describe('DELETE', () => {
  test('takes the records and what waits along', async () => {
    const shop = await world();
    const dead = await receiver(shop, failing);
    await shop.order();
    await tried(shop, dead);
    expect((await shop.seller.call('DELETE', path(dead))).status).toBe(200);
    expect((await shop.seller.call('GET', `${path(dead)}/deliveries`)).body.error?.code).toBe('WEBHOOK_NOT_FOUND');
    await until('gone', async () => (await query('SELECT 1 FROM webhook WHERE webhook_id = $1', [dead.webhookId])).length === 0);
    expect(await query('SELECT 1 FROM webhook_delivery WHERE webhook_id = $1', [dead.webhookId])).toEqual([]);
    expect(await shop.advance('P1D')).toMatchObject({ settled: true });
    expect(dead.received).toHaveLength(1);
    expect(
      await query("SELECT entity_id FROM run WHERE store_id = $1 AND workflow_type = 'webhookDelivery' AND done_at IS NULL", [
        shop.store.storeId,
      ]),
    ).toEqual([]);
  });
  test('lets a delivery under way end in silence', async () => {
    const shop = await world();
    let answer: ServerResponse | undefined;
    const slow = await receiver(shop, (_, response) => void (answer = response));
    await shop.order();
    await until('under way', async () => answer);
    await shop.seller.call('DELETE', path(slow));
    answer!.end('late');
    await shop.order();
    expect(slow.received).toHaveLength(1);
  });
});

describe('rotate-secret', () => {
  test('lets the two latest secrets sign for 24 hours', async () => {
    const shop = await world();
    const one = await receiver(shop);
    const rotate = async () => (await post(shop, one, 'rotate-secret')).body.data;
    const first = await rotate();
    expect(first.secretPrefix).toBe(first.secret.slice(0, 10));
    expect(
      Date.parse(first.oldSecretExpiresAt) - Date.parse((await shop.seller.call('GET', '/v1/sandbox/clock')).body.data.now),
    ).toBeGreaterThan(86_390_000);
    await shop.order();
    const [overlapping] = await until('sent', async () => one.received.length > 0 && one.received);
    expect(values(overlapping!)).toEqual([signed(overlapping!, first.secret), signed(overlapping!, one.secret)]);
    const second = await rotate();
    await shop.order();
    const again = await until('sent again', async () => one.received[1]);
    expect(values(again)).toEqual([signed(again, second.secret), signed(again, first.secret)]);
    await shop.advance('PT23H59M');
    await shop.order();
    expect(values(await until('third', async () => one.received[2]))).toHaveLength(2);
    await shop.advance('PT2M');
    await shop.order();
    const last = await until('fourth', async () => one.received[3]);
    expect(values(last)).toEqual([signed(last, second.secret)]);
    expect((await read(shop, one)).secretPrefix).toBe(second.secretPrefix);
  });
  test('under one key is one rotation', async () => {
    const shop = await world();
    const one = await receiver(shop);
    const rotate = () => shop.seller.call('POST', `${path(one)}/rotate-secret`, {}, { 'idempotency-key': 'rotation' });
    const [first, again] = [await rotate(), await rotate()];
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body.data.secret).toBe(first.body.data.secret);
  });
});

const SOLD_OUT = ['PRODUCT.OUT_OF_STOCK'];
type Product = Awaited<ReturnType<World['product']>>;
/** An event that costs no order: the last piece goes. */
async function sellOut(shop: World, { productId, variantId }: Product): Promise<void> {
  const stock = (stockQuantity: number) =>
    shop.seller.call('PATCH', `/v1/products/${productId}/variants/${variantId}/stock`, { stockQuantity });
  await stock(1);
  await stock(0);
}
/**
 * An event is tried for 156 minutes, and failures that are three hours apart belong together. The last but one waits for its last attempt.
 */
const PAUSES = ['PT5H', 'PT5H', 'PT5H', 'PT5H', 'PT2H', 'PT2H'];
/** Fails for a day. */
async function failForADay(shop: World, one: Receiver, product: Product): Promise<void> {
  for (const pause of [...PAUSES, 'PT1M']) {
    await sellOut(shop, product);
    await tried(shop, one);
    if ((await read(shop, one)).status === 'SUSPENDED') return;
    await shop.advance(pause);
  }
}

describe('suspension', () => {
  test('after 24 hours of failures ends what waits until it is redelivered', async () => {
    const shop = await world();
    let isUp = false;
    const one = await receiver(shop, (_, response) => void response.writeHead(isUp ? 200 : 500).end(), SOLD_OUT);
    const product = await shop.product();
    await failForADay(shop, one, product);
    expect(await read(shop, one)).toMatchObject({ status: 'SUSPENDED', suspendedAt: expect.stringMatching(/\+09:00$/) });
    const records = await shop.deliveries(one.webhookId);
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['FAILED']));
    const waiting = records.filter(({ errorCode }) => errorCode === 'WEBHOOK_SUSPENDED');
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting.every(({ nextAttemptAt }) => nextAttemptAt === null)).toBe(true);
    const before = one.received.length;
    await sellOut(shop, product);
    await shop.advance('PT3H');
    expect(one.received).toHaveLength(before);
    expect(await shop.deliveries(one.webhookId)).toHaveLength(records.length);
    for (const what of ['deliveries/redeliver-failed', `deliveries/${String(waiting[0]!['deliveryId'])}/redeliver`])
      expect((await post(shop, one, what)).body.error?.code).toBe('WEBHOOK_SUSPENDED');
    // A test call is made all the same.
    expect((await post(shop, one, 'test', { eventType: 'REVIEW.CREATED' })).body.data).toMatchObject({ responseStatusCode: 500 });
    isUp = true;
    const resumed = (await post(shop, one, 'resume')).body.data;
    expect(resumed).toMatchObject({ status: 'ACTIVE', suspendedAt: null });
    expect((await post(shop, one, 'resume')).body.data).toEqual(resumed);
    expect((await post(shop, one, 'deliveries/redeliver-failed')).body.data).toEqual({ queued: records.length });
    const all = await until('redelivered', async () => {
      const now = await shop.deliveries(one.webhookId);
      return now.filter(({ status }) => status === 'SUCCESS').length === records.length && now;
    });
    expect(new Set(all.filter(({ redeliveryOf }) => redeliveryOf !== null).map(({ redeliveryOf }) => redeliveryOf))).toEqual(
      new Set(records.map(({ deliveryId }) => deliveryId)),
    );
    expect((await post(shop, one, 'deliveries/redeliver-failed')).body.data).toEqual({ queued: 0 });
  }, 60_000);

  test('needs a whole day of failures after a success or a PUT', async () => {
    const shop = await world();
    let isUp = false;
    const one = await receiver(shop, (_, response) => void response.writeHead(isUp ? 200 : 500).end(), SOLD_OUT);
    const product = await shop.product();
    for (let hour = 0; hour <= 30; hour += 5) {
      isUp = hour === 15;
      await sellOut(shop, product);
      await tried(shop, one);
      await shop.advance('PT5H');
    }
    expect(await read(shop, one)).toMatchObject({ status: 'ACTIVE' });
    isUp = false;
    await failForADay(shop, one, product);
    expect(await read(shop, one)).toMatchObject({ status: 'SUSPENDED' });
    const body = { url: one.url, eventTypes: SOLD_OUT };
    expect((await shop.seller.call('PUT', path(one), body)).body.data).toMatchObject({ status: 'ACTIVE', suspendedAt: null });
    // The failure record began anew: the next failure does not suspend.
    await sellOut(shop, product);
    await tried(shop, one);
    expect(await read(shop, one)).toMatchObject({ status: 'ACTIVE' });
  }, 60_000);

  test('is not lifted by a success that arrives afterwards', async () => {
    const shop = await world();
    let hold: ServerResponse | undefined;
    let isHolding = false;
    const one = await receiver(
      shop,
      (_, response) => {
        if (isHolding && !hold) hold = response;
        else response.writeHead(500).end();
      },
      SOLD_OUT,
    );
    const product = await shop.product();
    for (const pause of PAUSES) {
      await sellOut(shop, product);
      await tried(shop, one);
      await shop.advance(pause);
    }
    expect(await read(shop, one)).toMatchObject({ status: 'ACTIVE' });
    isHolding = true;
    await sellOut(shop, product);
    await until('held', async () => hold);
    await sellOut(shop, product);
    await until('suspended', async () => (await read(shop, one)).status === 'SUSPENDED');
    hold!.writeHead(200).end('late');
    await until('a late success', async () => (await shop.deliveries(one.webhookId)).some(({ status }) => status === 'SUCCESS'));
    expect(await read(shop, one)).toMatchObject({ status: 'SUSPENDED' });
  }, 60_000);
});

describe('redeliver', () => {
  test('sends a failed delivery again once, as the same event', async () => {
    const shop = await world();
    let isUp = false;
    const one = await receiver(shop, (_, response) => void response.writeHead(isUp ? 200 : 500).end());
    await shop.order();
    await tried(shop, one);
    const [pending] = await shop.deliveries(one.webhookId);
    const again = (id: unknown) => post(shop, one, `deliveries/${String(id)}/redeliver`);
    expect((await again(pending!['deliveryId'])).body.error?.code).toBe('DELIVERY_NOT_FAILED');
    await shop.advance('PT3H');
    const [failed] = await ended(shop, one, 1);
    // Two at once: one wins.
    const both = await Promise.all([again(failed!['deliveryId']), again(failed!['deliveryId'])]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
    expect(both.map(({ body }) => body.error?.code)).toContain('DELIVERY_ALREADY_REDELIVERED');
    const made = both.find(({ status }) => status === 202)!.body.data;
    expect(made).toMatchObject({ eventId: failed!['eventId'], redeliveryOf: failed!['deliveryId'], status: 'PENDING', attemptCount: 0 });
    expect((await shop.deliveries(one.webhookId)).find(({ deliveryId }) => deliveryId === failed!['deliveryId'])).toMatchObject({
      redeliveredAs: made.deliveryId,
    });
    // It fails too, and may be sent again itself.
    await tried(shop, one);
    await shop.advance('PT3H');
    await ended(shop, one, 2);
    isUp = true;
    expect((await again(made.deliveryId)).status).toBe(202);
    const all = await ended(shop, one, 3);
    expect(all.map(({ status }) => status)).toEqual(['SUCCESS', 'FAILED', 'FAILED']);
    expect(new Set(one.received.map(({ headers }) => headers['svc-event-id'])).size).toBe(1);
    expect((await again('dlv_x')).body.error?.code).toBe('WEBHOOK_DELIVERY_NOT_FOUND');
    expect((await shop.seller.call('GET', `${path(one)}/deliveries?status=FAILED&limit=1`)).body.data.items).toEqual([all[1]]);
  });
  test('redeliver-failed sends the oldest 500 of the last 72 hours', async () => {
    const shop = await world();
    const one = await receiver(shop, failing);
    await shop.order();
    await tried(shop, one);
    await shop.advance('PT3H');
    const [failed] = await ended(shop, one, 1);
    // Six hundred like it, a minute apart, up to three days old, and one that is older.
    await query(
      `INSERT INTO webhook_delivery (store_id, delivery_id, webhook_id, event_id, event_type, url, status, error_code, attempt_count,
       created_at)
       SELECT store_id, delivery_id || lpad(n::text, 4, '0'), webhook_id, event_id, event_type, url, 'FAILED', 'TIMEOUT', 5,
         created_at + interval '3 hours' - interval '72 hours' + (n * 7 - 5) * interval '1 minute'
           FROM webhook_delivery, generate_series(0, 599) n
       WHERE delivery_id = $1`,
      [failed!['deliveryId']],
    );
    expect((await post(shop, one, 'deliveries/redeliver-failed')).body.data).toEqual({ queued: 500 });
    const [left] = await query<{ n: number; oldest: string }>(
      `SELECT count(*)::int AS n, min(right(delivery_id, 4)) FILTER (WHERE length(delivery_id) > 26) AS oldest FROM webhook_delivery
       WHERE webhook_id = $1 AND status = 'FAILED' AND redelivered_as IS NULL`,
      [one.webhookId],
    );
    // The one of over 72 hours stays, and of the others the youngest hundred.
    expect(left).toEqual({ n: 101, oldest: '0000' });
    await shop.seller.call('DELETE', path(one));
  }, 60_000);
});

describe('the test call', () => {
  test('is signed like an event of its type', async () => {
    const shop = await world();
    const one = await receiver(shop, (_, response) => void response.writeHead(201).end('thanks'));
    for (const eventType of EVENT_TYPES) {
      const { body } = await post(shop, one, 'test', { eventType });
      expect(body.data).toEqual({ responseStatusCode: 201, responseTimeMs: expect.any(Number), errorCode: null });
    }
    expect(one.types).toEqual([...EVENT_TYPES]);
    for (const sent of one.received) {
      const event = JSON.parse(sent.body) as { id: string; type: string };
      expect(event.id).toMatch(/^evt_test_/);
      expect(sent.headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'Svc-Webhooks/1.0',
        'svc-event-id': event.id,
        'svc-event-type': event.type,
      });
      expect(values(sent)).toEqual([signed(sent, one.secret)]);
      expect(values(sent)).not.toEqual([signed(sent, 'whsec_wrong')]);
    }
    expect(await shop.deliveries(one.webhookId)).toEqual([]);
    one.close();
    expect((await post(shop, one, 'test', { eventType: 'ORDER.PAID' })).body.data).toMatchObject({
      errorCode: 'CONNECTION_FAILED',
      responseStatusCode: null,
    });
  });
});
