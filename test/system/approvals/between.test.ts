/**
 * Generated requests of an agent, each with something that comes between request and approval: what is carried out is the difference that
 * its approver was shown, or nothing.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { call, type Reply } from '../../../bin/dev/client.ts';
import { PRODUCT } from '../../../api/products/subject.ts';
import { type Change, changesBetween, type Listing } from '../../../domain/audit/changes.ts';
import { ITEM_LISTING } from '../../../db/orders/listings.ts';
import { type Agent, Desk } from '../../kernel/approvals.ts';
import { query, underTest, world } from '../../kernel/world.ts';

let desk: Desk;
let agent: Agent;
beforeAll(async () => {
  desk = await Desk.open(await world());
  agent = await desk.agent(['product:rw', 'order:rw']);
  // Live: nothing is skipped.
  await query('UPDATE store SET ever_public_at = now() WHERE store_id = $1', [desk.shop.store.storeId]);
});
afterAll(() => desk.close());

const CASES = Number(process.env['APPROVAL_CASES'] ?? 16);

interface Made {
  readonly productId: string;
  readonly variantId: string;
  readonly orderItemId: string;
}
interface Sent {
  readonly method: string;
  readonly path: (made: Made) => string;
  readonly body?: (made: Made) => object;
}
const product =
  (suffix = '') =>
  ({ productId }: Made) =>
    `/v1/products/${productId}${suffix}`;
const priced = (salePrice: number): Sent => ({ method: 'PATCH', path: product(), body: () => ({ salePrice }) });
const canceled = (quantity: number): Sent => ({
  method: 'POST',
  path: ({ orderItemId }) => `/v1/order-items/${orderItemId}/cancel`,
  body: () => ({ reason: 'OUT_OF_STOCK', quantity }),
});
const won = fc.integer({ min: 100, max: 900 }).map((n) => n * 100);
const stocked = (stockQuantity: number): Sent => ({
  method: 'PATCH',
  path: product(),
  body: () => ({ variants: [{ optionValues: [], stockQuantity }] }),
});
const discounted = (value: number): Sent => ({
  method: 'PUT',
  path: product('/discount'),
  body: () => ({ method: 'RATE', value, startDate: '2026-01-01', endDate: '2099-12-31' }),
});
const requests = fc.oneof(
  won.map(priced),
  fc.integer({ min: 0, max: 500 }).map(stocked),
  fc.integer({ min: 1, max: 50 }).map(discounted),
  fc.constant<Sent>({ method: 'DELETE', path: product() }),
  fc.integer({ min: 1, max: 2 }).map(canceled),
  fc.constant<Sent>({
    method: 'POST',
    path: ({ orderItemId }) => `/v1/order-items/${orderItemId}/actions/confirm`,
    body: () => ({}),
  }),
);
/** What a person, or a buyer, does meanwhile. */
const between = fc.oneof(
  fc.constant<Sent | 'sale' | null>(null),
  fc.constant<Sent | 'sale' | null>('sale'),
  won.map(priced),
  fc.integer({ min: 0, max: 500 }).map(stocked),
  fc.integer({ min: 1, max: 50 }).map(discounted),
  fc.constant(canceled(1)),
  fc.constant<Sent>({ method: 'PATCH', path: product(), body: () => ({ name: '다른 이름' }) }),
);

const send = ({ method, path, body }: Sent, made: Made, headers: Agent['headers'] | null): Promise<Reply> =>
  headers
    ? call(underTest.api, method, path(made), { headers, ...(body && { body: body(made) }) })
    : desk.shop.seller.call(method, path(made), body?.(made));

interface Shown {
  readonly product: object | null;
  readonly item: object;
}
async function shown({ productId, orderItemId }: Made): Promise<Shown> {
  const { status, body } = await desk.shop.seller.call('GET', `/v1/products/${productId}`);
  return { product: status === 200 ? (body.data as object) : null, item: await desk.shop.item(orderItemId) };
}
const LISTED: Readonly<Record<string, readonly ['product' | 'item', Listing]>> = {
  PRODUCT: ['product', PRODUCT.listing],
  ORDER_ITEM: ['item', ITEM_LISTING],
};
/** Deadlines count from the moment at which it is carried out. */
const timeless = (changes: readonly Change[]) => changes.filter(({ field }) => field !== 'autoDecisionDate');

interface Preview {
  readonly target: { readonly type: string };
  readonly changes: readonly Change[];
}
/** Approves what is shown; whether it was carried out, which is then what was shown, and nothing else. */
async function approved(approvalId: string, made: Made): Promise<'done' | 'stale' | 'refused'> {
  const { preview, previewDigest } = (await desk.read(approvalId)).body.data as { preview: Preview; previewDigest: string };
  const before = await shown(made);
  const reply = await desk.decide(approvalId, 'approve', 'owner', { previewDigest });
  const after = await shown(made);
  const [what, listing] = LISTED[preview.target.type]!;
  const { status } = (reply.body.data ?? {}) as { status?: string };
  if (reply.status === 409) expect(reply.body.error?.code).toBe('APPROVAL_STALE');
  else expect(['SUCCEEDED', 'FAILED']).toContain(status);
  const done = status === 'SUCCEEDED';
  const differs = changesBetween(before[what], after[what], listing);
  expect(timeless(differs)).toEqual(done ? timeless(preview.changes) : []);
  if (done) return 'done';
  return reply.status === 409 ? 'stale' : 'refused';
}

test('what is carried out is what its approver was shown, whatever came between', async () => {
  const seen = new Set<string>();
  const cases = fc.sample(fc.tuple(requests, between), CASES);
  for (const [request, meanwhile] of cases) {
    const fresh = await desk.shop.product();
    const { orderItemId } = await desk.shop.order(fresh, 2);
    const made = { ...fresh, orderItemId };
    const requested = await send(request, made, agent.headers);
    // Refused, or nothing would change.
    if (requested.status !== 202) continue;
    if (meanwhile === 'sale') await desk.shop.order(made);
    else if (meanwhile) await send(meanwhile, made, null);
    const { approvalId } = requested.body.data as { approvalId: string };
    const first = await approved(approvalId, made);
    seen.add(meanwhile === null ? `undisturbed: ${first}` : first);
    // Decided on what is shown now.
    if (first === 'stale') expect(await approved(approvalId, made)).not.toBe('stale');
  }
  expect([...seen].filter((one) => one.startsWith('undisturbed')).every((one) => one === 'undisturbed: done')).toBe(true);
}, 300_000);
