/**
 * Nothing that a client types stands in Temporal. A walk carries every operation out with a canary of its own in every free text of
 * body, query, form and headers, read off the schemas; then the same is tried where it is refused. At the end every history is read.
 */
import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import { walk } from '../contract/examples.ts';
import { call, get, type Headers_ } from '../../../bin/dev/client.ts';
import { loginAs, registerApp, storeToken } from '../../kernel/login.ts';
import { query, temporalClient, underTest, until, type World, world } from '../../kernel/world.ts';
import { Canaries, freeTexts, textsOf } from './canaries.ts';
import { Typist } from './typist.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Every operation with everything that its schema knows, ids of nothing included, and with what it does not know. */
async function refusals(shop: World, canaries: Canaries, typist: Typist): Promise<void> {
  const { storeId, storeCode } = shop.store;
  const owner = `owner@${storeCode}.example`;
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const code = { 'x-store-code': storeCode };
  const seller = bearer(await storeToken(owner, storeId));
  const who: Readonly<Record<Endpoint['access'], Headers_>> = {
    store: seller,
    user: bearer((await loginAs(owner)).user.access_token),
    buyer: (await shop.buyer()).headers,
    customer: (await shop.member()).headers,
    storefront: code,
    payment: code,
  };
  for (const endpoint of endpoints) {
    const { id, route, access } = endpoint;
    const [method = '', path = ''] = route.split(' ');
    const canary = (location: string) => canaries.fresh(`${id} ${location}`);
    const url = new URL(underTest.api + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => canary(name)));
    const sent = { endpoint, url, headers: who[access], body: endpoint.body ? '{}' : undefined };
    await typist.type(sent, 'all');
    const request = (headers: Headers_, body?: unknown) =>
      call(underTest.api, method, url.pathname, {
        headers: { ...who[access], ...typist.headers(id), ...headers },
        ...(body !== undefined && { body }),
      });
    await request({ 'if-match': `"${canary('if-match')}"` });
    await request({ 'x-store-id': canary('x-store-id'), 'x-store-code': canary('x-store-code'), 'x-cart-token': canary('x-cart-token') });
    await request(bearer(canary('authorization')));
    if (method === 'GET') continue;
    await request({}, { [canary('name of a field')]: canary('unknown field') });
    await request({}, `{"x": "${canary('torn body')}`);
    await request({ 'content-type': `text/${canary('content-type')}` }, canary('text'));
  }
}

/** Commands that lose against each other: what is refused by the run itself. */
async function races(shop: World, typist: Typist): Promise<void> {
  const item = (await shop.order()).orderItemId;
  const bodies: Readonly<Record<string, object>> = {
    'orders.hold': { reason: '?', expectedDispatchDate: '2030-01-02' },
    'orders.confirm': {},
    'orders.dispatch': { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '1' },
    'orders.cancel': { reason: 'OUT_OF_STOCK', detail: '?', quantity: 1 },
  };
  const calls = Object.entries(bodies).flatMap(([id, body]) => {
    const endpoint = endpoints.find((one) => one.id === id)!;
    const url = new URL(underTest.api + endpoint.route.split(' ')[1]!.replace('{orderItemId}', item));
    const sent = { endpoint, url, headers: { authorization: `Bearer ${shop.seller.bearer}` }, body: JSON.stringify(body) };
    return [sent, sent, sent];
  });
  await Promise.all(calls.map((sent) => typist.type(sent, 'sent')));
}

/** Products with options, replaced and patched: the walk's have none there. */
async function variants(shop: World): Promise<void> {
  const { productId } = await shop.product();
  const { categoryId } = (await shop.seller.call('GET', `/v1/products/${productId}`)).body.data as { categoryId: string };
  for (const [method, value] of [
    ['PUT', '회색'],
    ['PATCH', '남색'],
  ] as const) {
    const texts = { sku: `sku ${value}`, barcode: `barcode ${value}`, sellerCode: `code ${value}`, attributes: { size: value } };
    const options = {
      optionGroups: [{ name: '색상', values: [value] }],
      variants: [{ optionValues: [value], stockQuantity: 1, ...texts }],
    };
    await shop.seller.call(
      method,
      `/v1/products/${productId}`,
      method === 'PUT' ? { name: '머플러', salePrice: 1000, categoryId, ...options } : options,
    );
  }
}

/** What the provider's window and OAuth say in words of their own. */
async function elsewhere(shop: World, canaries: Canaries): Promise<void> {
  const failed = await shop.payment();
  const words = { code: canaries.fresh('pay code').toUpperCase(), message: canaries.fresh('pay message') };
  await get(`${failed.payUrl.replace('?', '/fail?')}&${String(new URLSearchParams(words))}`);
  await get(
    `${failed.payUrl.replace('?', '/return?')}&${String(new URLSearchParams({ paymentKey: canaries.fresh('key'), orderId: canaries.fresh('pay orderId'), amount: '1' }))}`,
  );
  const declined = await shop.payment();
  const [row] = await query<{ pg_order_id: string; amount_won: number }>(
    'SELECT pg_order_id, amount_won FROM payment_attempt WHERE attempt_id = $1',
    [new URL(declined.payUrl).searchParams.get('attemptId')],
  );
  // A key that the provider does not know: its refusal of it names it.
  const back = { paymentKey: canaries.fresh('unknown paymentKey'), orderId: row!.pg_order_id, amount: String(row!.amount_won) };
  await get(`${declined.payUrl.replace('?', '/return?')}&${String(new URLSearchParams(back))}`);
  await fetch(declined.payUrl.replace('?', '/retry?'), { method: 'POST', redirect: 'manual' });
  const owner = await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId);
  const texts = ['client_name', 'client_uri', 'logo_uri', 'software_id', 'software_version', 'tos_uri', 'policy_uri'];
  await registerApp(owner, {
    ...Object.fromEntries(texts.map((name) => [name, canaries.fresh(`register ${name}`)])),
    contacts: [canaries.fresh('register contacts')],
    redirect_uris: [`http://127.0.0.1:4998/${canaries.fresh('register redirect_uris')}`],
  });
  const form = [
    'client_id',
    'client_secret',
    'code',
    'redirect_uri',
    'code_verifier',
    'scope',
    'audience',
    'subject_token',
    'refresh_token',
  ];
  for (const grant of ['authorization_code', 'client_credentials', 'refresh_token', canaries.fresh('grant_type')])
    await fetch(`${underTest.api}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: grant, ...Object.fromEntries(form.map((name) => [name, canaries.fresh(`token ${name}`)])) }),
    });
  await get(`${underTest.api}/uploads/${canaries.fresh('uploads storeId')}/${canaries.fresh('uploads name')}.png`);
  await get(`${underTest.api}/pay/${canaries.fresh('pay paymentId')}?attemptId=${canaries.fresh('pay attemptId')}`);
}

/** Every history since then, with what Temporal says of the run besides: memo, search attributes, summaries, pending calls and failures. */
async function histories(since: Date): Promise<Map<string, string[]>> {
  const client = await temporalClient();
  const read = new Map<string, string[]>();
  for await (const { workflowId, runId } of client.workflow.list({ query: `StartTime >= '${since.toISOString()}'` })) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const [history, { raw }] = await Promise.all([handle.fetchHistory(), handle.describe()]);
    read.set(`${workflowId} ${runId}`, [...textsOf(history), ...textsOf(raw)]);
  }
  return read;
}

test('nothing that a client types stands in Temporal', async () => {
  const since = new Date();
  const [canaries, send] = [new Canaries(), globalThis.fetch];
  const typist = new Typist(canaries, send);
  const shop = await world();
  globalThis.fetch = typist.fetch;
  try {
    await walk(shop);
    await variants(shop);
    await races(shop, typist);
    await elsewhere(shop, canaries);
  } finally {
    globalThis.fetch = send;
  }
  // Every free text of a body was in a call that was carried out, and every command to a run was.
  const free = endpoints.flatMap(({ id, body }) => freeTexts(body, `${id} body`));
  const uncarried = free.filter((way) => !typist.carried.has(way));
  const reaching = endpoints.filter(({ change }) => change === 'workflow').map(({ id }) => id);
  const unreached = reaching.filter((id) => !typist.commands.some(({ endpoint }) => endpoint.id === id));

  for (const sent of typist.commands.splice(0)) await typist.type(sent, 'sent');
  await refusals(shop, canaries, typist);
  await until('every run is loaded', async () => {
    const left = 'SELECT 1 FROM run WHERE store_id = $1 AND loaded_at IS NULL AND done_at IS NULL';
    return (await query(left, [shop.store.storeId])).length === 0;
  });
  await until('every delivery and every mail has been tried', async () => {
    const untried = `SELECT 1 FROM webhook_delivery WHERE store_id = $1 AND (status = 'PENDING' OR status = 'PENDING_RETRY'
      AND next_attempt_at IS NULL)
      UNION ALL SELECT 1 FROM invitation WHERE store_id = $1 AND status = 'PENDING' AND delivery_status IS NULL AND send_attempts = 0`;
    return (await query(untried, [shop.store.storeId])).length === 0;
  });
  const read = await histories(since);
  const runs = await query<{ workflow_id: string }>('SELECT workflow_id FROM run WHERE store_id = $1 AND loaded_at IS NOT NULL', [
    shop.store.storeId,
  ]);
  const ids = new Set([...read.keys()].map((key) => key.split(' ')[0]));
  expect(runs.filter(({ workflow_id: id }) => !ids.has(id))).toEqual([]);
  const found = [...read].map(([run, texts]) => [run, canaries.seenIn(texts)] as const).filter(([, places]) => places.length > 0);
  expect({ found, uncarried, unreached }).toEqual({ found: [], uncarried: [], unreached: [] });
  // What may be there is: keys as SHA-256 only, and the id of the trace, which is no text.
  const all = [...read.values()].flat().join('\n');
  expect(typist.keys.filter((key) => all.includes(sha256(key))).length).toBeGreaterThan(10);
  expect(all).toContain(typist.traceId);
}, 240_000);

test('a command’s key stands in Postgres as SHA-256 too', async () => {
  const shop = await world();
  const { orderItemId } = await shop.order();
  const confirm = () => shop.seller.call('POST', `/v1/order-items/${orderItemId}/confirm`, {}, { 'idempotency-key': 'of-a-client' });
  const first = await confirm();
  expect(first.status).toBe(200);
  const rows = await query<{ key: string }>('SELECT key FROM operation WHERE store_id = $1 AND operation_id = $2', [
    shop.store.storeId,
    'orders.confirm',
  ]);
  expect(rows).toEqual([{ key: `sha256:${createHash('sha256').update('of-a-client').digest('hex')}` }]);
  const again = await confirm();
  expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([200, 'true', first.body.data]);
});
