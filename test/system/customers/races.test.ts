/** A withdrawal beside everything else of the same member: one of the two wins, and there is no half state. */
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import type { Reply } from '../../../bin/dev/client.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';
import { errorOf, join, PASSWORD, type Person, shopping } from './member.ts';

const ROUNDS = Number(process.env['WITHDRAWAL_ROUNDS'] ?? 6);
let shop: World;
let product: { productId: string };
beforeAll(async () => {
  shop = await world();
  product = await shop.product({ stockQuantity: 10_000 });
});
const bySeller = ({ customerId, email }: Person) =>
  shop.seller.call('POST', `/v1/customers/${customerId}/withdraw`, { reason: 'r', confirmation: email });
const byBuyer = ({ buyer }: Person) => buyer.call('POST', '/storefront/v1/auth/withdraw', { password: PASSWORD });

/** Requests that all wait for the member's row, and go on at the same moment. */
async function together({ customerId }: Person, requests: readonly (() => Promise<Reply>)[]): Promise<Reply[]> {
  const holder = new Client({ connectionString: underTest.databaseUrl });
  await holder.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM customer WHERE customer_id = $1 FOR UPDATE', [customerId]);
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const sent: Promise<Reply>[] = [];
    for (const request of requests) {
      sent.push(request());
      await until('it waits', async () => {
        const waiting = await query<{ n: number }>(
          `WITH RECURSIVE behind (pid) AS (SELECT $1::int UNION SELECT a.pid FROM pg_stat_activity a JOIN behind b
             ON b.pid = ANY(pg_blocking_pids(a.pid))) SELECT count(*)::int - 1 AS n FROM behind`,
          [rows[0]!.pid],
        );
        return waiting[0]!.n >= sent.length;
      });
    }
    await holder.query('COMMIT');
    return await Promise.all(sent);
  } finally {
    await holder.end();
  }
}
const isThere = async ({ customerId }: Person) => (await query('SELECT 1 FROM customer WHERE customer_id = $1', [customerId])).length > 0;
const codes = (replies: readonly Reply[]) => replies.map((reply) => errorOf(reply));

test('a payment starts, or the member is gone', async () => {
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const me = await join(shop);
    const { checkoutId } = (await me.buyer.checkout(product.productId)).body.data as { checkoutId: string };
    const both = [() => me.buyer.start(checkoutId), () => (round % 3 === 0 ? byBuyer(me) : bySeller(me))];
    const order = round % 2 === 0 ? both : both.toReversed();
    const replies = round < 4 ? await together(me, order) : await Promise.all(order.map((request) => request()));
    const [paid, left] = round % 2 === 0 ? replies : replies.toReversed();
    const payments = await query('SELECT 1 FROM payment WHERE checkout_id = $1', [checkoutId]);
    if (paid!.status === 200) {
      expect(left!.body.error).toMatchObject({ code: 'WITHDRAWAL_BLOCKED', details: { orderItems: 0, claims: 0, payments: 1 } });
      expect([payments.length, await isThere(me)]).toEqual([1, true]);
    } else {
      expect(codes([paid!, left!])).toEqual([
        [401, 'UNAUTHORIZED'],
        [200, 'OK'],
      ]);
      expect([payments.length, await isThere(me)]).toEqual([0, false]);
    }
    seen.add(String(paid!.status));
  }
  expect([...seen].toSorted()).toEqual(['200', '401']);
});

test('what enters cart, address book and wishlist at that moment is not left behind', async () => {
  const home = { receiverName: '김수령', phone: '010-2222-3333', zipCode: '06236', address1: '테헤란로 1' };
  for (let round = 0; round < ROUNDS; round++) {
    const me = await join(shop);
    const own = [
      () => me.buyer.call('POST', '/storefront/v1/cart/items', { productId: product.productId, quantity: 1 }),
      () => me.buyer.call('POST', '/storefront/v1/me/addresses', home, { 'idempotency-key': 'k' }),
      () => me.buyer.call('POST', '/storefront/v1/me/wishlist', { productId: product.productId }),
      () => me.buyer.call('POST', '/storefront/v1/me/consents', { kind: 'MARKETING', action: 'AGREE' }),
    ];
    const requests = own.toSpliced(round % 5, 0, () => bySeller(me));
    const replies = await together(me, requests);
    expect(replies[round % 5]!.status).toBe(200);
    for (const [table, owner] of [
      ['cart_item', 'session_id'],
      ['customer_address', 'customer_id'],
      ['wishlist_item', 'customer_id'],
      ['customer_consent', 'customer_id'],
      ['operation', 'principal'],
    ] as const)
      expect([round, table, await query(`SELECT 1 FROM ${table} WHERE ${owner} = $1`, [me.customerId])]).toEqual([round, table, []]);
    expect(codes(replies).every((one) => ['200,OK', '201,OK', '401,UNAUTHORIZED'].includes(String(one)))).toBe(true);
  }
});

test('a claim is filed by a member who is there, and then they stay', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const me = await join(shop);
    const { orderItemId } = await shop.order(product, 1, me.buyer);
    await shop.act(orderItemId, 'confirm');
    const claim = () => me.buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, { type: 'CANCEL', reason: 'OTHER' });
    const [filed, left] = await together(me, [claim, () => bySeller(me)]);
    expect(codes([filed!, left!])).toEqual([
      [201, 'OK'],
      [409, 'WITHDRAWAL_BLOCKED'],
    ]);
    expect(await isThere(me)).toBe(true);
  }
});

test('of requests at the same moment one withdraws, and there is one record', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const me = await join(shop);
    const requests = [() => bySeller(me), () => byBuyer(me), () => bySeller(me), () => byBuyer(me)];
    const replies = round % 2 === 0 ? await together(me, requests) : await Promise.all(requests.map((request) => request()));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200))
      expect(['404,CUSTOMER_NOT_FOUND', '401,UNAUTHORIZED']).toContain(String(errorOf(reply)));
    expect(await query(`SELECT 1 FROM audit_domain WHERE action = 'CUSTOMER_WITHDRAWN' AND target_id = $1`, [me.customerId])).toHaveLength(
      1,
    );
  }
});

test('a login that is under way is one of nobody', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const me = await join(shop);
    const guest = await shop.buyer();
    await guest.call('POST', '/storefront/v1/cart/items', { productId: product.productId, quantity: 1 });
    const login = () => shopping(shop, '/auth/login', { email: me.email, password: PASSWORD, cartToken: guest.headers['x-cart-token'] });
    const [left, back] = await together(me, round % 2 === 0 ? [() => bySeller(me), login] : [login, () => bySeller(me)].toReversed());
    expect(left!.status).toBe(200);
    if (back!.status !== 200) expect(errorOf(back!)).toEqual([401, 'LOGIN_FAILED']);
    expect(await query('SELECT 1 FROM cart_item WHERE session_id = $1', [me.customerId])).toEqual([]);
  }
});
