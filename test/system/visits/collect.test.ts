/** Pages report visits: what is taken, from where, and how much (docs/contract.md#visits). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call, type Reply } from '../../../bin/dev/client.ts';
import { ADDRESS_EVENTS_A_DAY, STORE_EVENTS_A_DAY, VISITOR_EVENTS_A_DAY } from '../../../domain/visits/rules.ts';
import { newAddress } from '../../kernel/api.ts';
import { sharedApi } from '../../kernel/secondApi.ts';
import { query, underTest, type World, world } from '../../kernel/world.ts';
import { analytics, PAGE, report, visitOf, viewOf } from './shop.ts';

let shop: World;
let second: string;
beforeAll(async () => {
  [shop, second] = await Promise.all([world(), sharedApi()]);
}, 60_000);

const problems = ({ body }: Reply) => body.error?.fieldErrors?.map(({ field, code }) => `${field} ${code}`);
const eventCount = async ({ store }: World, visitor: string) =>
  (await query('SELECT 1 FROM visit_event WHERE store_id = $1 AND visitor_id = $2', [store.storeId, visitor])).length;
const pages = (count: number) => Array.from({ length: count }, () => PAGE);
const elsewhere = () => ({ 'x-forwarded-for': newAddress() });

describe('a batch', () => {
  test('of 1 to 100 events is accepted without a token', async () => {
    const one = await report(shop, visitOf('one'), [
      { ...PAGE, referrer: 'https://a.example/', utmSource: 's', utmMedium: 'm', utmCampaign: 'c' },
    ]);
    expect([one.status, one.body.data]).toEqual([200, { accepted: 1 }]);
    expect((await report(shop, visitOf('many'), pages(100))).body.data).toEqual({ accepted: 100 });
    for (const [events, code] of [
      [[], 'TOO_FEW'],
      [pages(101), 'TOO_MANY'],
    ] as const)
      expect(problems(await report(shop, visitOf('many'), events))).toEqual([`events ${code}`]);
  });
  test('tells all of its problems at once, those of the headers too, and leaves nothing', async () => {
    const refused = await report(shop, { 'x-svc-session': 'x'.repeat(101) }, [
      { type: 'PRODUCT_VIEW', path: '/' },
      { type: 'CLICK', path: 'shop', utmSource: '' },
      { ...PAGE, referrer: 'nowhere', sku: 1 },
    ]);
    expect([refused.status, problems(refused)?.toSorted()]).toEqual([
      400,
      [
        'events[0].productId REQUIRED',
        'events[1].path INVALID',
        'events[1].type INVALID_VALUE',
        'events[1].utmSource TOO_SHORT',
        'events[2].referrer INVALID',
        'events[2].sku UNKNOWN_FIELD',
        'x-svc-session INVALID',
        'x-svc-visitor REQUIRED',
      ],
    ]);
  });
  test('has the visitor and the session that its headers name, with a space in them or not', async () => {
    expect((await report(shop, visitOf('a b~'), [PAGE])).status).toBe(200);
    expect(await eventCount(shop, 'a b~')).toBe(1);
    expect(problems(await report(shop, visitOf('ü'), [PAGE]))).toEqual(['x-svc-visitor INVALID', 'x-svc-session INVALID']);
    expect(problems(await report(shop, { 'x-svc-visitor': 'v' }, [PAGE]))).toEqual(['x-svc-session REQUIRED']);
  });
  test('keeps a view of what is no product of the store, or is not any more, as one of a page', async () => {
    const [{ productId }, { productId: gone }] = [await shop.product(), await shop.product()];
    const { productId: foreign } = await (await world()).product();
    await shop.seller.call('DELETE', `/v1/products/${gone}`);
    const events = [viewOf(productId), viewOf(gone), viewOf(foreign), viewOf('x'), { ...PAGE, productId }];
    expect((await report(shop, visitOf('views'), events)).body.data).toEqual({ accepted: 5 });
    const rows = await query(`SELECT type, product_id FROM visit_event WHERE store_id = $1 AND visitor_id = 'views' ORDER BY position`, [
      shop.store.storeId,
    ]);
    const page = { type: 'PAGE_VIEW', product_id: null };
    expect(rows).toEqual([{ type: 'PRODUCT_VIEW', product_id: productId }, page, page, page, page]);
  });
  test('needs a store', async () => {
    const send = (headers: Record<string, string>) =>
      call(underTest.api, 'POST', '/storefront/v1/events', { body: { events: [PAGE] }, headers: { ...visitOf('v'), ...headers } });
    expect((await send({})).body.error?.code).toBe('STORE_REQUIRED');
    expect((await send({ 'x-store-code': 'nobody' })).body.error?.code).toBe('STORE_NOT_FOUND');
  });
});

describe('a visitor', () => {
  test('reports 120 events in 60 seconds, over all processes; what would pass that is refused whole and counts nothing', async () => {
    const visit = visitOf('busy');
    const send = (count: number, api = underTest.api) => report(shop, visit, pages(count), { api, headers: elsewhere() });
    // Invalid batches count nothing.
    for (let i = 0; i < 3; i++) expect((await report(shop, visit, [...pages(50), {}])).status).toBe(400);
    expect((await send(100)).status).toBe(200);
    const over = await send(21, second);
    expect([over.status, over.body.error?.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    const wait = Number(over.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(await eventCount(shop, 'busy')).toBe(100);
    // Twenty are left, whoever takes them.
    const replies = await Promise.all(Array.from({ length: 30 }, (_, i) => send(1, i % 2 === 0 ? second : underTest.api)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(10);
    expect(await eventCount(shop, 'busy')).toBe(120);
    // Of another visitor, and of the same one in another store, there are 120 as well.
    expect((await report(shop, visitOf('other'), pages(100))).status).toBe(200);
    expect((await report(await world(), visit, pages(100))).status).toBe(200);
  }, 60_000);
  test('is told when as many uses as are wanted are free again, and the sandbox clock frees none', async () => {
    const visit = visitOf('patient');
    for (const count of [60, 60]) await report(shop, visit, pages(count));
    await shop.advance('P1D');
    const [one, all] = [await report(shop, visit, pages(1)), await report(shop, visit, pages(100))];
    expect([one.status, all.status]).toEqual([429, 429]);
    await query(
      `UPDATE rate_limit SET used_at = array(SELECT t - CASE WHEN n <= 60 THEN interval '61 s' ELSE interval '0' END
         FROM unnest(used_at) WITH ORDINALITY u (t, n)) WHERE cardinality(used_at) = 120`,
    );
    expect((await report(shop, visit, pages(61))).status).toBe(429);
    expect((await report(shop, visit, pages(60))).status).toBe(200);
  });
});

describe('a day', () => {
  /** As if it had been so busy before. */
  const used = (shopOf: World, events: number, which: string) =>
    query(`UPDATE visit_use SET events = $2 WHERE store_id = $1 AND ${which}`, [shopOf.store.storeId, events]);
  const ROOM = 10;
  test.each([
    ['visitor', VISITOR_EVENTS_A_DAY, `key <> '' AND created_at = (SELECT max(created_at) FROM visit_use WHERE store_id = $1)`],
    ['address', ADDRESS_EVENTS_A_DAY, `key <> '' AND events = 2`],
    ['store', STORE_EVENTS_A_DAY, `key = ''`],
  ] as const)('takes so many events of a %s, and tells the seller how many more there were', async (of, max, which) => {
    const busy = await world();
    const address = { 'x-forwarded-for': newAddress() };
    const send = (visitor: string, count: number, headers = address) => report(busy, visitOf(visitor), pages(count), { headers });
    await send('early', 1);
    await send('eager', 1);
    await used(busy, max - ROOM, which);
    const replies = await Promise.all([send('eager', 8), send('eager', 8), send('eager', 8)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(replies.map(({ body }) => body.data.accepted as number).toSorted((a, b) => a - b)).toEqual([0, 2, 8]);
    expect(await eventCount(busy, 'eager')).toBe(1 + ROOM);
    // Others of the same kind have room.
    expect((await send('another', 3)).body.data).toEqual({ accepted: of === 'visitor' ? 3 : 0 });
    expect((await send('elsewhere', 3, elsewhere())).body.data).toEqual({ accepted: of === 'store' ? 0 : 3 });
    expect((await report(await world(), visitOf('eager'), pages(3), { headers: address })).body.data).toEqual({ accepted: 3 });
    const dropped = { visitor: 14, address: 17, store: 20 }[of];
    expect((await analytics(busy, 'overview')).droppedEvents).toBe(dropped);
    expect((await analytics(busy, 'overview?from=2026-01-01&to=2026-01-02')).droppedEvents).toBe(0);
    await busy.advance('P1D');
    await query('DELETE FROM rate_limit');
    expect((await send('eager', 3)).body.data).toEqual({ accepted: 3 });
  });
  test('made-up visitors leave no rows once the store or the address has enough', async () => {
    const busy = await world();
    await report(busy, visitOf('first'), [PAGE]);
    await used(busy, STORE_EVENTS_A_DAY, `key = ''`);
    const rows = () => query('SELECT 1 FROM visit_use WHERE store_id = $1', [busy.store.storeId]);
    const before = (await rows()).length;
    for (let i = 0; i < 5; i++) expect((await report(busy, visitOf(`made-up-${i}`), pages(9))).body.data).toEqual({ accepted: 0 });
    expect(await rows()).toHaveLength(before);
  });
  test('the largest events are cut, so that a batch is small', async () => {
    const large = {
      type: 'PAGE_VIEW',
      path: `/${'가'.repeat(1999)}`,
      referrer: `https://${'r'.repeat(60)}.${'s'.repeat(60)}.example/${'p'.repeat(1800)}`,
      utmSource: '가'.repeat(100),
      utmMedium: '나'.repeat(100),
      utmCampaign: '다'.repeat(100),
    };
    const { utmSource: _, ...referred } = large;
    const emoji = { ...PAGE, path: `/${'a'.repeat(198)}😀😀` };
    const sent = [...Array.from({ length: 20 }, () => large), referred, emoji];
    expect((await report(shop, visitOf('v'.repeat(100), 's'.repeat(100)), sent)).body.data).toEqual({ accepted: 22 });
    const rows = await query<{ path: string; referrer: string | null; source: string; bytes: number }>(
      `SELECT path, referrer, source, pg_column_size(e.*) AS bytes FROM visit_event e WHERE store_id = $1 AND visitor_id = $2
        ORDER BY position`,
      [shop.store.storeId, 'v'.repeat(100)],
    );
    expect(rows[0]!.path).toBe(large.path.slice(0, 200));
    expect([rows[0]!.referrer, rows[20]!.source].map((text) => text?.length)).toEqual([100, 100]);
    expect(rows[21]!.path).toBe(`/${'a'.repeat(198)}`);
    for (const { bytes } of rows) expect(bytes).toBeLessThanOrEqual(2700);
  });
});

describe('a page', () => {
  const OURS = 'https://shop.example';
  const from = (origin: string | null, body: unknown = { events: [PAGE] }) =>
    call(underTest.api, 'POST', '/storefront/v1/events', {
      body,
      headers: { 'x-store-code': guarded.store.storeCode, ...visitOf('page'), ...(origin !== null && { origin }) },
    });
  let guarded: World;
  beforeAll(async () => {
    guarded = await world();
    const origins = { analyticsAllowedOrigins: [OURS, 'http://localhost:5173'] };
    expect((await guarded.seller.call('PATCH', '/v1/store', origins)).status).toBe(200);
  });
  test('of an allowed origin reports, and may read the answer, a refusal too', async () => {
    for (const origin of [OURS, 'https://SHOP.example', `${OURS}:443`, 'http://localhost:5173']) {
      const reply = await from(origin);
      expect([reply.status, reply.headers.get('access-control-allow-origin'), reply.headers.get('vary')]).toEqual([200, origin, 'Origin']);
    }
    const refused = await from(OURS, { events: [] });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([400, OURS]);
  });
  test('of another origin, or of none, is refused before its body is looked at', async () => {
    const others = ['http://shop.example', `${OURS}:8443`, 'https://www.shop.example', 'https://evil.example', 'null', `${OURS}/`, null];
    for (const origin of others)
      for (const body of [{ events: [PAGE] }, '{', { events: [] }]) {
        const { status, body: answer, headers } = await from(origin, body);
        expect([status, answer.error?.code, headers.get('access-control-allow-origin')]).toEqual([403, 'ORIGIN_NOT_ALLOWED', null]);
      }
  });
  test('of any origin reports to a store that names none', async () => {
    for (const origin of ['https://evil.example', null]) {
      const headers = origin === null ? {} : { origin };
      const reply = await report(shop, visitOf('anywhere'), [PAGE], { headers });
      expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    }
  });
  test('may buy, wherever it is from', async () => {
    const buyer = await guarded.buyer();
    const { productId } = await guarded.product();
    const added = await buyer.call('POST', '/storefront/v1/cart/items', { productId, quantity: 1 }, { origin: 'https://evil.example' });
    expect(added.status).toBe(201);
  });
  test('asks before it reports, as browsers do', async () => {
    const preflight = await fetch(`${underTest.api}/storefront/v1/events`, {
      method: 'OPTIONS',
      headers: {
        origin: OURS,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-store-code,x-svc-session,x-svc-visitor',
      },
    });
    const header = (name: string) => preflight.headers.get(`access-control-${name}`);
    expect([preflight.status, await preflight.text(), header('allow-origin'), header('allow-methods')]).toEqual([204, '', OURS, 'POST']);
    const allowed = header('allow-headers')!.toLowerCase().split(', ');
    expect(allowed.toSorted()).toEqual(['content-type', 'x-store-code', 'x-svc-session', 'x-svc-visitor']);
    expect(header('allow-credentials')).toBe(null);
  });
});
