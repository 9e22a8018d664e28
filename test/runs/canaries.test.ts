/**
 * Nothing that a client types stands in Temporal (X24): a canary in every free text and header of every operation, then every history
 * of the store is read. Generated from the endpoint list; operations that reach a run must be carried out with their canaries.
 */
import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/kernel/endpoint.ts';
import { examples } from '../../api/kernel/examples.ts';
import { call, get, type Headers_, type Reply } from '../kernel/http.ts';
import { people, storeToken } from '../kernel/login.ts';
import { query, temporalClient, underTest, until, type World, world } from '../kernel/world.ts';

const CANARY = 'Canary7Typed';
interface Schema {
  readonly type?: string;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** Whether a canary may stand there: any text, that is no id, no word of a list and no address. */
function isFree(schema: Schema | undefined, name: string): boolean {
  if (schema?.type !== 'string' || [schema.enum, schema.const, schema.format].some((rule) => rule !== undefined)) return false;
  const fits = CANARY.length <= (schema.maxLength ?? 1000) && new RegExp(schema.pattern ?? '', 'u').test(CANARY);
  return fits && !/(Id|Ids|Code|Url|Date|url)$/.test(name);
}

/** The example with a canary in every text that may be anything. Where only certain words are allowed, they stay. */
function typed(schema: Schema | undefined, value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => typed(schema?.items, item, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, typed(schema?.properties?.[key], item, key)]));
  return typeof value === 'string' && isFree(schema, name) ? CANARY : value;
}
let sent = 0;
const headers = (): Headers_ => ({
  'idempotency-key': `${CANARY}-key-${sent++}`,
  'user-agent': `${CANARY}-agent`,
  referer: `https://${CANARY}.example/`,
  'x-request-id': `${CANARY}-request`,
  'x-forwarded-for': CANARY,
  'accept-language': 'ko',
  tracestate: `a=${CANARY}`,
  baggage: `a=${CANARY}`,
});

/** The endpoint's call, with the example's body and these instead of its ids. */
function ask({ route, id, body }: Endpoint, who: Headers_, params: Readonly<Record<string, string>>, changes: object = {}): Promise<Reply> {
  const [method = '', path = ''] = route.split(' ');
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? CANARY);
  const request = body ? { ...(typed(body, examples[id]?.request ?? {}) as object), ...changes } : undefined;
  return call(underTest.api, method, at, { headers: { ...who, ...headers() }, ...(request && { body: request }) });
}

/** What each operation that reaches a run needs to be carried out. */
async function commands(shop: World, seller: Headers_, owner: Headers_) {
  const goods = await shop.product();
  const ticket = await shop.product({ fulfillment: { type: 'MANUAL' } });
  const member = await shop.member();
  const [shipped, bulk, kept] = [await shop.order(goods, 2), await shop.order(goods), await shop.order(goods, 1, member)];
  const [provided, providedToo, dropped] = [await shop.order(ticket), await shop.order(ticket), await shop.order(goods)];
  const one = (orderItemId: string) => ({ who: seller, params: { orderItemId } });
  const many = (id: string) => ({ who: seller, params: {}, changes: { orderItemIds: [id] } });
  for (const action of ['confirm', 'dispatch', 'delivered'])
    await shop.act(kept.orderItemId, action, action === 'dispatch' ? { deliveryMethod: 'NONE' } : {});
  const invite = async (email: string) =>
    (await call(underTest.api, 'POST', '/v1/store/invitations', { body: { email, role: 'STAFF' }, headers: owner })).body.data
      .invitationId as string;
  const invited = { who: owner, params: { invitationId: await invite(`one@${shop.store.storeCode}.example`) } };
  const items = [{ orderItemId: bulk.orderItemId, deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: CANARY }];
  return [
    ['orders.hold', one(shipped.orderItemId)],
    ['orders.confirm', one(shipped.orderItemId)],
    ['orders.dispatch', one(shipped.orderItemId)],
    ['orders.correctTracking', one(shipped.orderItemId)],
    ['orders.delivered', one(shipped.orderItemId)],
    ['orders.confirmMany', many(bulk.orderItemId)],
    ['orders.dispatchMany', { ...one(''), changes: { items } }],
    ['orders.deliverMany', many(bulk.orderItemId)],
    ['orders.fulfill', one(provided.orderItemId)],
    ['orders.fulfillMany', many(providedToo.orderItemId)],
    ['orders.cancel', { ...one(dropped.orderItemId), changes: { quantity: 1 } }],
    ['orders.extend', { who: member.headers, params: { orderItemId: kept.orderItemId } }],
    ['orders.decide', { who: member.headers, params: { orderItemId: kept.orderItemId } }],
    ['invitations.resend', invited],
    ['invitations.cancel', invited],
    ['sandbox.advanceClock', { who: seller, params: {}, changes: { advance: 'P1D' } }],
  ] as const;
}
/** Tried without success: what they need is made by a login of the invited, which takes their own client. */
const UNREACHED = ['invitations.accept'];

test('a canary in every text and header of every operation stands in no history, memo, search attribute or pending failure', async () => {
  const shop = await world();
  await people(shop);
  const seller = { authorization: `Bearer ${shop.seller.bearer}` };
  const owner = { authorization: `Bearer ${await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId)}` };
  const buyer = await shop.buyer();
  const table = await commands(shop, seller, owner);
  const reaching = endpoints.filter(({ change }) => change === 'workflow').map(({ id }) => id);
  expect([...table.map(([id]) => id), ...UNREACHED].toSorted((a, b) => a.localeCompare(b))).toEqual(
    reaching.toSorted((a, b) => a.localeCompare(b)),
  );
  const refused: string[] = [];
  for (const [id, { who, params, ...rest }] of table) {
    const reply = await ask(
      endpoints.find((one) => one.id === id)!,
      who,
      params,
      'changes' in rest ? rest.changes : {},
    );
    if (reply.status >= 300 || reply.body.data?.failed > 0)
      refused.push(`${id}: ${reply.status} ${JSON.stringify(reply.body.error ?? reply.body.data)}`);
  }
  expect(refused).toEqual([]);
  for (const endpoint of endpoints) for (const who of [seller, owner, buyer.headers]) await ask(endpoint, who, {}).catch(() => null);
  // The pay screen's addresses are text too.
  const { payUrl } = await shop.payment();
  const { payUrl: canceled } = await shop.payment();
  const [{ pg_order_id: orderId, amount_won: amount } = { pg_order_id: '', amount_won: 0 }] = await query<{
    pg_order_id: string;
    amount_won: number;
  }>('SELECT pg_order_id, amount_won FROM payment_attempt WHERE attempt_id = $1', [new URL(payUrl).searchParams.get('attemptId')]);
  await get(
    `${payUrl.replace('?', '/return?')}&${String(new URLSearchParams({ paymentKey: `${CANARY}-${shop.store.storeId}`, orderId, amount: String(amount) }))}`,
  );
  await get(`${canceled.replace('?', '/fail?')}&code=${CANARY.toUpperCase()}`);

  const client = await temporalClient();
  const runs = await until('every run is loaded', async () => {
    const rows = await query<{ workflow_id: string; loaded_at: Date | null }>(
      'SELECT workflow_id, loaded_at FROM run WHERE store_id = $1',
      [shop.store.storeId],
    );
    return rows.every((row) => row.loaded_at !== null) && rows;
  });
  const found: string[] = [];
  let read = '';
  for (const { workflow_id: id } of runs) {
    const handle = client.workflow.getHandle(id);
    const description = await handle.describe();
    const history = historyToJSON(await handle.fetchHistory());
    const inside = history.replaceAll(/"data":\s*"([^"]+)"/g, (_, data: string) => Buffer.from(data, 'base64').toString('utf8'));
    read += inside;
    const seen = [inside, JSON.stringify(description.memo), JSON.stringify(description.searchAttributes), JSON.stringify(description.raw)];
    if (seen.some((text) => text.toLowerCase().includes(CANARY.toLowerCase()))) found.push(id);
  }
  expect(found).toEqual([]);
  // The keys were there, as SHA-256 only.
  expect(read).toContain(createHash('sha256').update(`${CANARY}-key-0`).digest('hex'));
});

test('a command that was answered under its plain key, as before, is replayed for its 24 hours and not carried out again', async () => {
  const shop = await world();
  const { orderItemId } = await shop.order();
  const confirm = () => shop.seller.call('POST', `/v1/order-items/${orderItemId}/confirm`, {}, { 'idempotency-key': 'of-before' });
  const first = await confirm();
  expect(first.status).toBe(200);
  const rows = await query<{ key: string }>('SELECT key FROM operation WHERE store_id = $1 AND operation_id = $2', [
    shop.store.storeId,
    'orders.confirm',
  ]);
  expect(rows).toEqual([{ key: `sha256:${createHash('sha256').update('of-before').digest('hex')}` }]);
  await query('UPDATE operation SET key = $1 WHERE store_id = $2 AND key = $3', ['of-before', shop.store.storeId, rows[0]!.key]);
  const again = await confirm();
  expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([200, 'true', first.body.data]);
});
