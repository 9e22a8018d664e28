/**
 * Dry runs: every change of the walk through all operations is sent dry first. It leaves nothing, and what it shows is the difference that
 * GET then shows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { type Change, changesBetween } from '../../../domain/audit/changes.ts';
import { call, type Headers_ } from '../../../bin/dev/client.ts';
import { query, repeated, underTest, type World, world } from '../../kernel/world.ts';
import { walk } from './examples.ts';

interface Preview {
  readonly operationId: string;
  readonly target: { readonly type: string; readonly id: string | null } | null;
  readonly changes: readonly Change[];
  readonly facts: Readonly<Record<string, unknown>>;
}
interface DryRun {
  readonly dryRun: true;
  readonly decision: string;
  readonly reason: string;
  readonly preview: Preview;
}

/** Deadlines count from the request. */
const timeless = (value: unknown) => JSON.stringify(value).replaceAll(/"\d{4}-\d\d-\d\dT[^"]+"/g, '"time"');

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

/** Rehearsals, which change nothing themselves, know no dry run. */
const changes = endpoints.filter(({ access, route, change }) => access === 'store' && !route.startsWith('GET ') && change !== 'none');
const routes = changes.map((endpoint) => {
  const [method, path] = endpoint.route.split(' ');
  return { endpoint, method, pattern: new RegExp(`^${path!.replaceAll(/{\w+}/g, '([^/?]+)')}$`) };
});
const managed = (method: string, url: string) => {
  const { pathname } = new URL(url);
  return url.startsWith(underTest.api) ? routes.find((route) => route.method === method && route.pattern.test(pathname)) : undefined;
};

/** The record of the dry run, and what other processes write by themselves. */
const BUSY = ['audit_request', 'run', 'outbox', 'api_request_log', 'operation', 'command_text', 'rate_limit'];
async function everything(storeId: string): Promise<unknown> {
  const tables = await query<{ name: string; has_store: boolean }>(
    `SELECT c.relname AS name, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'store_id') AS has_store
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND NOT (c.relname = ANY ($1)) ORDER BY 1`,
    [BUSY],
  );
  // One statement, without an order: the whole store is read twice for each change.
  const digests = tables
    .filter((table) => table.has_store)
    .map(
      ({ name }) => `SELECT '${name}' AS name, count(*)::int AS n,
        sum(hashtextextended((to_jsonb(t) - 'last_used_at' - 'expires_at')::text, 0))::text AS digest FROM ${name} t WHERE store_id = $1`,
    );
  return query(digests.join(' UNION ALL '), [storeId]);
}
const sequences = () =>
  query(
    `SELECT sequencename AS name, last_value FROM pg_sequences WHERE schemaname = 'public' AND sequencename <> 'outbox_outbox_id_seq'
      ORDER BY 1`,
  );

/** What GET shows of a target; null: nothing, or there is no GET for one. */
const PATHS: Readonly<Record<string, string>> = {
  PRODUCT: '/v1/products/',
  ORDER_ITEM: '/v1/order-items/',
  CLAIM: '/v1/claims/',
  WEBHOOK: '/v1/webhooks/',
  CATEGORY: '/v1/categories/',
  ADDRESS: '/v1/seller-addresses/',
  API_CLIENT: '/v1/store/api-clients/',
};
/** What an operation changes of the store, where that is not `GET /v1/store`. */
const OF_STORE: Readonly<Record<string, string>> = { 'points.replacePolicy': '/v1/store/point-policy' };
async function shown(operation: string, type: string, id: string | null, headers: Headers_): Promise<object | null> {
  if (type === 'STORE') return (await call(underTest.api, 'GET', OF_STORE[operation] ?? '/v1/store', { headers })).body.data as object;
  if (id === null) return null;
  // A busy machine is no difference.
  const { status, body } = await repeated(() => call(underTest.api, 'GET', PATHS[type]! + id, { headers }));
  return status === 200 ? (body.data as object) : null;
}

interface DryReply {
  readonly meta: { readonly code: string };
  readonly data: DryRun;
  readonly error: { readonly code: string } | null;
}
/** Runs in the background change rows at any time: what a dry run leaves, it leaves every time. */
async function dryRun(send: () => Promise<Response>, storeId: string): Promise<{ reply: DryReply; remains: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const before = [await everything(storeId), await sequences()];
    const reply = (await (await send()).json()) as DryReply;
    const remains = JSON.stringify([await everything(storeId), await sequences()]) !== JSON.stringify(before);
    if (!remains || attempt === 6) return { reply, remains };
    await sleep(200 * attempt);
  }
}

type Fetch = typeof globalThis.fetch;
type Sent = Parameters<Fetch>;
type Route = (typeof routes)[number];
const addressOf = ([url]: Sent) => (url instanceof Request ? url.url : url.toString());

/** What has no GET of its own, or one whose values depend on the moment. */
const INCOMPARABLE = new Set(['products.writeCalendar', 'sandbox.advanceClock']);
const listingOf = ({ target }: Route['endpoint']) => target && ('each' in target ? target.each : target);

const isComparable = ({ endpoint }: Route, target: Preview['target']): target is NonNullable<Preview['target']> =>
  target !== null && !('each' in endpoint.target!) && (target.type === 'STORE' || target.type in PATHS) && !INCOMPARABLE.has(endpoint.id);

/** The id that a creation gave. */
async function madeId({ endpoint }: Route, answer: Response): Promise<string | null> {
  const { idField = null } = listingOf(endpoint) ?? {};
  const { data } = (await answer.clone().json()) as { data: Record<string, string> | null };
  return idField === null ? null : (data?.[idField] ?? null);
}

/** Sends a change dry and then for real; returns the dry reply and whatever does not hold. */
async function compare(route: Route, [url, init = {}]: Sent, storeId: string) {
  const { endpoint } = route;
  const headers = { ...(init.headers as Headers_) };
  const { 'content-type': _, 'idempotency-key': _key, ...auth } = headers;
  const dry = () => realFetch(url, { ...init, headers: { ...headers, 'x-svc-dry-run': '1' } });
  const { reply, remains } = await dryRun(dry, storeId);
  const strays: unknown[] = remains ? [[endpoint.id, 'remains']] : [];
  const isDry = reply.meta.code === 'DRY_RUN';
  const target = isDry ? reply.data.preview.target : null;
  const before = isComparable(route, target) ? await shown(endpoint.id, target.type, target.id, auth) : null;
  const answer = await realFetch(url, init);
  if (answer.ok !== isDry) strays.push([endpoint.id, 'dry', reply.meta.code, reply.error, 'real', answer.status]);
  if (!isDry || !answer.ok) return { answer, strays, seen: null };
  if (isComparable(route, target)) {
    const after = await shown(endpoint.id, target.type, target.id ?? (await madeId(route, answer)), auth);
    const differs = changesBetween(before, after, listingOf(endpoint)?.listing);
    if (timeless(differs) !== timeless(reply.data.preview.changes)) strays.push([endpoint.id, reply.data.preview.changes, differs]);
  }
  return { answer, strays, seen: reply.data };
}

test('of every operation: nothing remains, and the preview is what then differs', async () => {
  const shop = await world();
  const seen = new Map<string, DryRun>();
  const strays: unknown[] = [];
  let isNested = false;
  globalThis.fetch = async (...sent) => {
    const route = isNested ? undefined : managed(sent[1]?.method ?? 'GET', addressOf(sent));
    if (!route) return realFetch(...sent);
    isNested = true;
    try {
      const compared = await compare(route, sent, shop.store.storeId);
      strays.push(...compared.strays);
      if (compared.seen) seen.set(route.endpoint.id, compared.seen);
      return compared.answer;
    } finally {
      isNested = false;
    }
  };
  await walk(shop);
  expect(strays).toEqual([]);
  expect(changes.map(({ id }) => id).filter((id) => !seen.has(id))).toEqual([]);
  for (const [id, { decision, reason, preview }] of seen)
    expect([id, decision, reason, preview.operationId]).toEqual([id, 'ALLOW', 'NOT_AGENT', id]);
}, 240_000);

describe('a dry run', () => {
  let shop: World;
  beforeAll(async () => {
    shop = await world();
  });
  const dry = (method: string, path: string, body?: unknown, headers: Headers_ = {}) =>
    shop.seller.call(method, path, body, { 'x-svc-dry-run': '1', ...headers });
  test('tells the amounts of a cancel', async () => {
    const { orderItemId } = await shop.order(undefined, 2);
    const { status, body } = await dry('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OUT_OF_STOCK', quantity: 1 });
    const { preview } = body.data as DryRun;
    expect([status, body.meta.code]).toEqual([200, 'DRY_RUN']);
    expect(preview.facts).toMatchObject({ quantity: 1, canceledQuantity: 1 });
    expect(preview.changes).toContainEqual({ field: 'canceledQuantity', before: 0, after: 1 });
    const real = await shop.act(orderItemId, 'cancel', { reason: 'OUT_OF_STOCK', quantity: 1 });
    expect((real.body.data as { refundAmount: number }).refundAmount).toBe(preview.facts['refundAmount']);
  });
  test('of a bulk tells each result, also of the items that are refused', async () => {
    const [one, other] = [await shop.order(), await shop.order()];
    await shop.act(other.orderItemId, 'confirm');
    const ids = [one.orderItemId, other.orderItemId, 'oit_none'];
    const { body } = await dry('POST', '/v1/order-items/confirm', { orderItemIds: ids });
    const { target, facts, changes: lines } = (body.data as DryRun).preview;
    expect(target).toEqual({ type: 'ORDER_ITEM', id: null });
    expect((facts['results'] as { code: string }[]).map(({ code }) => code)).toEqual(['OK', 'INVALID_STATUS', 'ORDER_ITEM_NOT_FOUND']);
    expect(lines).toContainEqual({ field: `${one.orderItemId}.status`, before: 'PAID', after: 'CONFIRMED' });
    expect((await shop.item(one.orderItemId)).status).toBe('PAID');
  });
  test('is refused like the real request', async () => {
    expect((await dry('DELETE', '/v1/products/prd_none')).body.error?.code).toBe('PRODUCT_NOT_FOUND');
    expect((await dry('POST', '/v1/categories', {})).body.error?.code).toBe('VALIDATION_FAILED');
    expect((await dry('POST', '/v1/order-items/oit_none/confirm', {})).body.error?.code).toBe('ORDER_ITEM_NOT_FOUND');
  });
  test.each(['2', 'true', ''])('with %j for 1 is no request at all', async (value) => {
    const { status, body } = await dry('POST', '/v1/categories', { name: 'n' }, { 'x-svc-dry-run': value });
    expect([status, body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([400, ['x-svc-dry-run']]);
  });
  test('neither reads nor keeps its key', async () => {
    const key = { 'idempotency-key': 'dry' };
    const name = { name: `마른 ${Date.now()}` };
    expect((await dry('POST', '/v1/categories', name, key)).body.meta.code).toBe('DRY_RUN');
    const real = await shop.seller.call('POST', '/v1/categories', name, key);
    expect([real.status, real.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect((await dry('POST', '/v1/categories', { name: `${name.name}!` }, key)).body.meta.code).toBe('DRY_RUN');
  });
  test('lists settings item by item, and a tax registration number in the form in which it is stored', async () => {
    const set = await shop.seller.call('PATCH', '/v1/store', { taxRegistrationNumber: '123-45-67890' });
    expect((set.body.data as { taxRegistrationNumber: string }).taxRegistrationNumber).toBe('1234567890');
    const body = { taxRegistrationNumber: '12-345-67890', shippingPolicy: { jejuSurcharge: 4321 }, autoConfirmDays: 9 };
    const { changes: lines } = ((await dry('PATCH', '/v1/store', body)).body.data as DryRun).preview;
    expect(lines.map(({ field, after }) => [field, after])).toEqual([
      ['autoConfirmDays', 9],
      ['shippingPolicy.jejuSurcharge', 4321],
    ]);
    expect((await dry('PATCH', '/v1/store', { taxRegistrationNumber: '123' })).body.error?.code).toBe('VALIDATION_FAILED');
  });
});
