/** Payment settings through the API: who may, what is stored, what is answered, the live gate (Y1). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

const SETTINGS = '/v1/store/payment-settings';
const PROVIDERS = '/v1/store/payment-providers';
const TOSS = { clientKey: 'test_ck_sangjeom2', secretKey: 'test_sk_sangjeom2' };
const PORTONE = { storeId: 'store-sangjeom', channelKey: 'channel-key-sangjeom', apiSecret: 'portone-sangjeom-secret' };

let shop: World;
let owner: string;
let admin: string;
type Answer = Awaited<ReturnType<typeof call>>;
const as = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${token}` } });
const request = (method: string, path: string, body?: unknown) => as(owner, method, path, body);
const settings = async () => (await request('GET', SETTINGS)).body.data;
const code = ({ status, body }: Answer) => [status, body.error?.code ?? 'OK'];
const provider = async (name: string) => (await settings()).providers.find((one: { provider: string }) => one.provider === name);
const fieldCodes = ({ body }: Answer) =>
  ((body.error?.fieldErrors ?? []) as { field: string; code: string }[]).map((one) => `${one.field} ${one.code}`);

/** A shop of its own, with its people logged in. */
async function open(): Promise<void> {
  shop = await world();
  await people(shop);
  const email = (role: string) => `${role}@${shop.store.storeCode}.example`;
  [owner, admin] = await Promise.all([storeToken(email('owner'), shop.store.storeId), storeToken(email('admin'), shop.store.storeId)]);
}
beforeAll(open);

describe('payment settings', () => {
  test('a new development store is paid at the simulator, as a test', async () => {
    expect(await settings()).toMatchObject({
      sandboxMode: true,
      environment: 'TEST',
      routing: 'AUTO_FAILOVER',
      priority: ['tosspayments', 'portone'],
      paymentDomains: [],
      candidates: [{ pg: 'tosspayments', method: 'CARD', provider: null, label: '신용·체크카드', position: 1 }],
      providers: [
        {
          provider: 'tosspayments',
          enabled: true,
          priority: 1,
          routingExclusion: null,
          credentials: { TEST: { status: 'VERIFIED', clientKey: 'test_ck_sangjeom', secretKeyHint: 'jeom', isServing: true }, LIVE: null },
        },
        { provider: 'portone', priority: 2, routingExclusion: 'NO_CREDENTIALS', credentials: { TEST: null, LIVE: null } },
      ],
      liveConditions: [
        { key: 'LIVE_PAYMENTS_ENABLED', met: true },
        { key: 'LIVE_CREDENTIALS', met: false },
        { key: 'CREDENTIALS_VERIFIED', met: false },
        { key: 'TERMS', met: false },
        { key: 'PAYMENT_DOMAIN', met: false },
      ],
    });
  });

  test('only an OWNER at the console reads or changes them; others are refused before path and body', async () => {
    const seller = await shop.seller.call('GET', SETTINGS);
    expect(code(seller)).toEqual([403, 'INSUFFICIENT_ROLE']);
    expect(code(await as(admin, 'GET', SETTINGS))).toEqual([403, 'INSUFFICIENT_ROLE']);
    expect(code(await as(admin, 'PATCH', `${PROVIDERS}/nobody`, { nothing: 1 }))).toEqual([403, 'INSUFFICIENT_ROLE']);
    expect(code(await request('PATCH', `${PROVIDERS}/nobody`, {}))).toEqual([404, 'PAYMENT_PROVIDER_NOT_FOUND']);
    expect(code(await request('DELETE', `${PROVIDERS}/portone/credentials/staging`))).toEqual([404, 'PAYMENT_CREDENTIAL_NOT_FOUND']);
  });

  test('change only what is sent, by version', async () => {
    const { version } = await settings();
    const changed = await request('PUT', SETTINGS, { priority: ['portone', 'tosspayments'], expectedVersion: version });
    expect(changed.body.data).toMatchObject({ priority: ['portone', 'tosspayments'], routing: 'AUTO_FAILOVER', version: version + 1 });
    expect((await request('PUT', SETTINGS, { priority: ['portone', 'tosspayments'] })).body.data.version).toBe(version + 1);
    const stale = await request('PUT', SETTINGS, { routing: 'PRIORITY_DISPLAY', sandboxMode: false, expectedVersion: version });
    expect(code(stale)).toEqual([409, 'CONCURRENT_UPDATE']);
    expect((await settings()).routing).toBe('AUTO_FAILOVER');
    expect(fieldCodes(await request('PUT', SETTINGS, { priority: ['portone', 'portone'], routing: 'x' })).length).toBeGreaterThan(1);
  });

  test('payment domains are names in punycode, each once', async () => {
    const paymentDomains = ['Shop.Example.com', 'shop.example.com', '가게.kr'];
    expect((await request('PUT', SETTINGS, { paymentDomains })).body.data.paymentDomains).toEqual(['shop.example.com', 'xn--o39akk.kr']);
    const wrong = ['https://a.kr', 'a.kr:443', 'a.kr/x', '*.a.kr', '10.0.0.1', '[::1]', 'localhost', 'co.kr', '', ' '];
    expect(fieldCodes(await request('PUT', SETTINGS, { paymentDomains: wrong }))).toEqual(
      wrong.map((_, i) => `paymentDomains[${i}] INVALID_DOMAIN`),
    );
    expect(code(await request('PUT', SETTINGS, { paymentDomains: Array.from({ length: 11 }, (_, i) => `a${i}.kr`) }))).toEqual([
      400,
      'VALIDATION_FAILED',
    ]);
  });

  test('a return address lies within them; localhost stays allowed in sandbox mode', async () => {
    const { productId } = await shop.product();
    const starts = async (returnUrl: string) => {
      const buyer = await shop.buyer();
      const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
      return code(await buyer.start(checkoutId, { returnUrl }));
    };
    expect(await starts('https://www.shop.example.com/done')).toEqual([200, 'OK']);
    expect(await starts('http://localhost:9/done')).toEqual([200, 'OK']);
    expect(await starts('https://other.example.com/done')).toEqual([400, 'RETURN_URL_NOT_ALLOWED']);
    await request('PUT', SETTINGS, { paymentDomains: [] });
    expect(await starts('https://other.example.com/done')).toEqual([200, 'OK']);
  });
});

describe('credentials', () => {
  beforeAll(open);

  test('are stored unverified, answered as hints, sealed at rest, and the same again change nothing', async () => {
    const stored = await request('PUT', `${PROVIDERS}/portone`, { environment: 'TEST', ...PORTONE });
    expect(stored.body.data).toMatchObject({
      provider: 'portone',
      routingExclusion: 'NOT_VERIFIED',
      credentials: {
        TEST: { status: 'UNVERIFIED', storeId: 'store-sangjeom', apiSecretHint: 'cret', webhookSecretHint: null, isServing: false },
      },
    });
    expect(stored.body.data.credentials.TEST.updatedByName).not.toBeNull();
    expect(JSON.stringify(stored.body)).not.toContain(PORTONE.apiSecret);
    const again = await request('PUT', `${PROVIDERS}/portone`, { environment: 'TEST', ...PORTONE });
    expect([again.status, again.body.data.version]).toEqual([200, stored.body.data.version]);
    const sets = await query<{ text: string }>('SELECT to_jsonb(c)::text AS text FROM payment_credential c WHERE store_id = $1', [
      shop.store.storeId,
    ]);
    expect(sets).toHaveLength(2);
    for (const { text } of sets) expect(text).not.toMatch(/portone-sangjeom-secret|test_sk_sangjeom/);
    const logs = await query<{ text: string }>('SELECT to_jsonb(a)::text AS text FROM audit_request a WHERE store_id = $1', [
      shop.store.storeId,
    ]);
    expect(logs.map(({ text }) => text).join()).not.toContain(PORTONE.apiSecret);
  });

  test('of the other environment, of the widget, swapped or malformed are refused, all at once', async () => {
    const put = (body: object) => request('PUT', `${PROVIDERS}/tosspayments`, { environment: 'TEST', ...body });
    expect(fieldCodes(await put({ clientKey: 'live_ck_sangjeom', secretKey: 'test_gsk_sangjeom' }))).toEqual([
      'clientKey ENVIRONMENT_MISMATCH',
      'secretKey WIDGET_KEY',
    ]);
    expect(fieldCodes(await put({ clientKey: 'test_sk_sangjeom', secretKey: 'x' }))).toEqual([
      'clientKey KEY_PAIR_MISMATCH',
      'secretKey INVALID_KEY',
    ]);
    expect(code(await put({ ...TOSS, webhookSecret: 'x' }))).toEqual([400, 'VALIDATION_FAILED']);
  });

  test('a replaced set serves until its successor is verified; one that is refused leaves it serving', async () => {
    await request('PUT', `${PROVIDERS}/tosspayments`, {
      environment: 'TEST',
      clientKey: 'test_ck_revoked1',
      secretKey: 'test_sk_revoked1',
    });
    expect(await provider('tosspayments')).toMatchObject({
      routingExclusion: null,
      credentials: { TEST: { status: 'UNVERIFIED', isServing: false } },
    });
    await fetch(`${underTest.simulator}/__sim/merchants`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pg: 'tosspayments', name: 'revoked1', state: 'REVOKED' }),
    });
    const refused = await request('POST', `${PROVIDERS}/tosspayments/verify`, {});
    expect([code(refused), refused.body.error?.details]).toEqual([
      [409, 'PAYMENT_PROVIDER_VERIFICATION_FAILED'],
      { environment: 'TEST', reason: 'UNAUTHORIZED' },
    ]);
    expect(await provider('tosspayments')).toMatchObject({ routingExclusion: null, credentials: { TEST: { status: 'FAILED' } } });
    await request('PUT', `${PROVIDERS}/tosspayments`, { environment: 'TEST', ...TOSS });
    const verified = await request('POST', `${PROVIDERS}/tosspayments/verify`, { environment: 'TEST' });
    expect(verified.body.data).toMatchObject({ provider: 'tosspayments', environment: 'TEST', status: 'VERIFIED' });
    expect(await provider('tosspayments')).toMatchObject({ credentials: { TEST: { status: 'VERIFIED', isServing: true } } });
  });

  test('a set that is replaced while it is verified is left alone', async () => {
    const merchant = `slow${Date.now().toString(36)}`;
    const keys = (name: string) => ({ environment: 'TEST', clientKey: `test_ck_${name}`, secretKey: `test_sk_${name}` });
    await request('PUT', `${PROVIDERS}/tosspayments`, keys(merchant));
    await fetch(`${underTest.simulator}/__sim/merchants`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pg: 'tosspayments', name: merchant, state: 'SLOW' }),
    });
    const verifying = request('POST', `${PROVIDERS}/tosspayments/verify`, {});
    await until('the provider is read', async () => {
      const calls = await fetch(`${underTest.simulator}/__sim/calls?merchant=${merchant}`);
      return ((await calls.json()) as unknown[]).length > 0;
    });
    await request('PUT', `${PROVIDERS}/tosspayments`, keys(`${merchant}next`));
    expect(code(await verifying)).toEqual([409, 'PAYMENT_CREDENTIAL_CHANGED']);
    expect(await provider('tosspayments')).toMatchObject({ credentials: { TEST: { status: 'UNVERIFIED' } } });
  });

  test('verifying reads at the provider; it is refused where there is nothing to verify', async () => {
    expect((await request('POST', `${PROVIDERS}/portone/verify`, {})).body.data).toMatchObject({ status: 'VERIFIED' });
    expect(await provider('portone')).toMatchObject({ routingExclusion: null });
    expect(code(await request('POST', `${PROVIDERS}/portone/verify`, { environment: 'LIVE' }))).toEqual([
      404,
      'PAYMENT_CREDENTIAL_NOT_FOUND',
    ]);
    expect(code(await request('POST', `${PROVIDERS}/nobody/verify`, {}))).toEqual([404, 'PAYMENT_PROVIDER_NOT_FOUND']);
  });

  test('methods are the whole list; EASY_PAY needs a wallet', async () => {
    const patch = (body: object) => request('PATCH', `${PROVIDERS}/portone`, body);
    const methods = [{ method: 'EASY_PAY', provider: 'KAKAOPAY' }, { method: 'CARD' }, { method: 'VIRTUAL_ACCOUNT' }];
    const { data } = (await patch({ methods })).body;
    expect(data.methods).toMatchObject([
      { method: 'EASY_PAY', provider: 'KAKAOPAY', label: '카카오페이', routingExclusion: null },
      { method: 'CARD', provider: null },
      { method: 'VIRTUAL_ACCOUNT', routingExclusion: 'DEPOSIT_NOT_SUPPORTED' },
    ]);
    expect((await settings()).candidates).toMatchObject([
      { pg: 'tosspayments' },
      { provider: 'KAKAOPAY' },
      { pg: 'portone', method: 'CARD' },
    ]);
    const wrong = [{ method: 'EASY_PAY' }, { method: 'CARD', provider: 'PAYCO' }, { method: 'MOBILE' }, { method: 'MOBILE' }];
    expect(fieldCodes(await patch({ methods: wrong }))).toEqual([
      'methods[0].provider REQUIRED',
      'methods[1].provider NOT_APPLICABLE',
      'methods[3] DUPLICATE',
    ]);
    expect(code(await patch({ methods: [] }))).toEqual([400, 'VALIDATION_FAILED']);
    const stale = await patch({ enabled: false, expectedVersion: data.version - 1 });
    expect([code(stale), stale.body.error?.details]).toEqual([[409, 'PAYMENT_PROVIDER_CHANGED'], { version: data.version }]);
  });

  test('are retired where no payment is started with them now; a reset provider has its defaults', async () => {
    const remove = (path: string) => request('DELETE', `${PROVIDERS}/portone${path}`);
    expect(code(await remove('/credentials/LIVE'))).toEqual([404, 'PAYMENT_CREDENTIAL_NOT_FOUND']);
    expect(code(await remove('/credentials/test'))).toEqual([409, 'PAYMENT_CREDENTIAL_ACTIVE']);
    expect(code(await remove(''))).toEqual([409, 'PAYMENT_CREDENTIAL_ACTIVE']);
    await request('PATCH', `${PROVIDERS}/portone`, { enabled: false });
    const stale = await remove('/credentials/test?expectedVersion=1');
    expect(code(stale)).toEqual([409, 'PAYMENT_PROVIDER_CHANGED']);
    expect(code(await remove(''))).toEqual([200, 'OK']);
    expect(await provider('portone')).toMatchObject({
      enabled: true,
      methods: [{ method: 'CARD' }],
      credentials: { TEST: null, LIVE: null },
    });
    expect(code(await remove(''))).toEqual([404, 'PAYMENT_CREDENTIAL_NOT_FOUND']);
  });
});

describe('the live gate', () => {
  beforeAll(open);

  test('names all five conditions, and nothing of the refused request is applied', async () => {
    const refused = await request('PUT', SETTINGS, { sandboxMode: false, routing: 'PRIORITY_DISPLAY' });
    expect([code(refused), refused.body.error?.details?.['conditions']]).toEqual([
      [409, 'LIVE_GATE_NOT_MET'],
      [true, false, false, false, false].map((met) => ({ key: expect.any(String), met })),
    ]);
    expect(await settings()).toMatchObject({ sandboxMode: true, routing: 'AUTO_FAILOVER' });
  });

  test('is judged by what the request leaves, and holds the last domain', async () => {
    await request('PUT', `${PROVIDERS}/tosspayments`, {
      environment: 'LIVE',
      clientKey: 'live_ck_sangjeom',
      secretKey: 'live_sk_sangjeom',
    });
    await request('POST', `${PROVIDERS}/tosspayments/verify`, { environment: 'LIVE' });
    const terms = { termsUrl: 'https://a.kr/t', termsVersion: '1', privacyUrl: 'https://a.kr/p', privacyVersion: '1' };
    await request('PATCH', '/v1/store', terms);
    expect(code(await request('PUT', SETTINGS, { sandboxMode: false }))).toEqual([409, 'LIVE_GATE_NOT_MET']);
    const live = await request('PUT', SETTINGS, { sandboxMode: false, paymentDomains: ['shop.example.com'] });
    expect([code(live), live.body.data?.environment]).toEqual([[200, 'OK'], 'LIVE']);
    expect(code(await request('PUT', SETTINGS, { paymentDomains: [] }))).toEqual([409, 'LIVE_GATE_NOT_MET']);
    expect(code(await request('PUT', SETTINGS, { paymentDomains: ['other.example.com'] }))).toEqual([200, 'OK']);
  });

  test('a live payment is real money; switched off by the operator, no new one starts', async () => {
    const { productId } = await shop.product();
    const buyer = await shop.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    const start = () => buyer.start(checkoutId, { returnUrl: 'https://other.example.com/done' });
    expect((await start()).body.data).toMatchObject({ testPayment: false });
    expect(code(await buyer.start(checkoutId, { returnUrl: 'http://localhost:9/done' }))).toEqual([400, 'RETURN_URL_NOT_ALLOWED']);
    await query('UPDATE payment_settings SET live_payments = false WHERE store_id = $1', [shop.store.storeId]);
    expect(code(await start())).toEqual([409, 'LIVE_PAYMENTS_DISABLED']);
    expect(code(await request('PUT', SETTINGS, { sandboxMode: true }))).toEqual([200, 'OK']);
    expect((await start()).body.data).toMatchObject({ testPayment: true });
    expect(code(await request('PUT', SETTINGS, { sandboxMode: false }))).toEqual([409, 'LIVE_PAYMENTS_DISABLED']);
  });
});
