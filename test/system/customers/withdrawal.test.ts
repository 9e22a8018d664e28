/** A member leaves: what stands in the way, what is deleted, what stays (docs/contract.md#members-of-the-shop). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { grantPoints } from '../../../db/points/ledger.ts';
import { columnsOf, REGISTER } from '../../../db/personalData/register.ts';
import { Desk } from '../../kernel/approvals.ts';
import { support } from '../../kernel/support.ts';
import { query, until, type World, world } from '../../kernel/world.ts';
import { bought, delegated, errorOf, fieldsOf, join, liveWorld, PASSWORD, type Person, shopping } from './member.ts';

let shop: World;
let product: { productId: string };
let desk: Desk;
beforeAll(async () => {
  shop = await world();
  desk = await Desk.open(shop);
  product = await shop.product();
});
afterAll(() => desk.close());
const at = ({ customerId }: Person) => `/v1/customers/${customerId}`;
const withdraw = (person: Person, changes: object = {}, from = shop) =>
  from.seller.call('POST', `${at(person)}/withdraw`, { reason: '본인 요청', confirmation: person.email, ...changes });
const leave = ({ buyer }: Person, body: object) => buyer.call('POST', '/storefront/v1/auth/withdraw', body);
const records = (customerId: string) =>
  query<{ actor_type: string; request_id: string | null; metadata: object }>(
    `SELECT actor_type, request_id, metadata FROM audit_domain WHERE action = 'CUSTOMER_WITHDRAWN' AND target_id = $1`,
    [customerId],
  );

describe('is blocked by what is in progress', () => {
  test('by items until they end, by open claims, by payments', async () => {
    const me = await join(shop);
    const { orderItemId } = await shop.order(product, 1, me.buyer);
    const { checkoutId } = (await me.buyer.checkout(product.productId)).body.data as { checkoutId: string };
    await me.buyer.checkout(product.productId);
    const blocked = async (details: object) => {
      const refused = await withdraw(me);
      expect(errorOf(refused)).toEqual([409, 'WITHDRAWAL_BLOCKED']);
      expect(refused.body.error!.details).toEqual(details);
      expect((await leave(me, { password: PASSWORD })).body.error).toMatchObject({ code: 'WITHDRAWAL_BLOCKED', details });
    };
    await blocked({ orderItems: 1, claims: 0, payments: 0 });
    await me.buyer.start(checkoutId);
    await blocked({ orderItems: 1, claims: 0, payments: 1 });
    await shop.act(orderItemId, 'confirm');
    await me.buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, { type: 'CANCEL', reason: 'OTHER' });
    await blocked({ orderItems: 1, claims: 1, payments: 1 });
    // The confirmation comes first.
    expect(fieldsOf(await withdraw(me, { confirmation: 'x' }))).toEqual(['confirmation MISMATCH']);
    expect(fieldsOf(await leave(me, { password: 'wrong' }))).toEqual(['password MISMATCH']);
    expect((await me.buyer.call('GET', '/storefront/v1/me/consents')).status).toBe(200);
    expect(await records(me.customerId)).toEqual([]);
  });
  test('not by an open checkout, a decided item, a held refund', async () => {
    const me = await join(shop);
    const { orderId, orderItemId } = await shop.order(product, 2, me.buyer);
    const { refundId } = (await shop.act(orderItemId, 'cancel', { reason: 'OTHER', quantity: 2, holdRefund: true })).body.data as {
      refundId: string;
    };
    const decided = await shop.order(product, 1, me.buyer);
    for (const [action, body] of [
      ['confirm', {}],
      ['dispatch', { deliveryMethod: 'DIRECT' }],
      ['delivered', {}],
    ] as const)
      await shop.act(decided.orderItemId, action, body);
    await me.buyer.call('POST', `/storefront/v1/me/order-items/${decided.orderItemId}/decide`, {});
    await me.buyer.checkout(product.productId);
    const done = await withdraw(me, { confirmation: ` ${me.email.toUpperCase()} ` });
    expect([done.status, done.body.data]).toEqual([200, { customerId: me.customerId, withdrawnAt: expect.stringMatching(/\+09:00$/) }]);
    expect((await shop.seller.call('POST', `/v1/payments/refunds/${refundId}/process`)).status).toBe(200);
    await until('given back', async () => {
      const [row] = await query<{ status: string }>('SELECT status FROM refund WHERE refund_id = $1', [refundId]);
      return row!.status === 'DONE';
    });
    const order = (await shop.seller.call('GET', `/v1/orders/${orderId}`)).body.data as { buyer: object };
    expect(order.buyer).toMatchObject({ customerId: me.customerId, email: me.email, name: '김회원' });
  });
});

describe('is the end of the member', () => {
  const HOME = { receiverName: '김수령', phone: '010-2222-3333', zipCode: '06236', address1: '테헤란로 1' };
  test('nothing that is theirs alone is left, wherever the register has a column for it', async () => {
    const me = await join(shop, { name: '사라질회원' });
    const { buyer, customerId, email } = me;
    await buyer.call('POST', '/storefront/v1/me/addresses', HOME, { 'idempotency-key': 'k' });
    await buyer.call('POST', '/storefront/v1/me/wishlist', { productId: product.productId });
    await buyer.call('POST', '/storefront/v1/cart/items', { productId: product.productId, quantity: 1 });
    await buyer.call('POST', `/storefront/v1/products/${product.productId}/inquiries`, { content: '언제 오나요?' });
    await shop.act((await shop.order(product, 1, buyer)).orderItemId, 'cancel', { reason: 'OTHER' });
    const [amountWon, expiresAt] = [500, new Date('2030-01-01T00:00:00Z')];
    const granted = await desk.inTenant((tx) => grantPoints(tx, { customerId, type: 'ADJUST', amountWon, expiresAt }));
    expect(granted).toMatchObject({ balanceWon: 500 });
    const before = (await support('personal-data', customerId, '--json')) as { data: Record<string, object[]> };
    expect(before.data['customer']).toMatchObject([{ email, name: '사라질회원' }]);
    expect(Object.keys(before.data)).toEqual(
      expect.arrayContaining([
        'customer_address',
        'wishlist_item',
        'cart_item',
        'customer_consent',
        'customer_stats',
        'point_lot',
        'inquiry',
        'orders',
        'payment',
      ]),
    );
    expect(JSON.stringify(before)).not.toContain('argon2');

    const done = await leave(me, { password: PASSWORD });
    expect(done.body.data).toEqual({ customerId, withdrawnAt: expect.any(String) });
    for (const [table, { customer, hidden, record }] of Object.entries(REGISTER).filter(([, { of }]) => of !== undefined)) {
      if (record !== undefined || columnsOf(customer).length + columnsOf(hidden).length === 0) continue;
      const owner = { cart_item: 'session_id', operation: 'principal' }[table] ?? 'customer_id';
      expect([table, await query(`SELECT 1 FROM ${table} WHERE ${owner} = $1`, [customerId])]).toEqual([table, []]);
    }
    const after = (await support('personal-data', customerId, '--json')) as { data: Record<string, object[]> };
    expect(Object.keys(after.data).toSorted()).toEqual(
      ['checkout', 'customer_withdrawal', 'flow_step', 'inquiry', 'order_item', 'orders', 'payment', 'payment_attempt'].toSorted(),
    );
    expect(await records(customerId)).toEqual([{ actor_type: 'SYSTEM', request_id: null, metadata: { by: 'BUYER', reason: null } }]);
  });
  test('every address of theirs is 404, tokens and logins are refused, and the e-mail begins anew with nothing', async () => {
    const me = await join(shop);
    const { buyer, email } = me;
    await shop.act((await shop.order(product, 1, buyer)).orderItemId, 'cancel', { reason: 'OTHER' });
    expect((await withdraw(me)).status).toBe(200);
    for (const path of ['', '/orders', '/consents'])
      expect(errorOf(await shop.seller.call('GET', `${at(me)}${path}`))).toEqual([404, 'CUSTOMER_NOT_FOUND']);
    expect(errorOf(await withdraw(me))).toEqual([404, 'CUSTOMER_NOT_FOUND']);
    const consent = { kind: 'MARKETING', action: 'AGREE' };
    expect(errorOf(await shop.seller.call('POST', `${at(me)}/consents`, consent))).toEqual([404, 'CUSTOMER_NOT_FOUND']);
    for (const path of ['/me/orders', '/me/addresses', '/me/consents', '/me/wishlist', '/cart/items'])
      expect([path, (await buyer.call('GET', `/storefront/v1${path}`)).status]).toEqual([path, 401]);
    expect((await leave(me, { password: PASSWORD })).status).toBe(401);
    expect(errorOf(await shopping(shop, '/auth/login', { email, password: PASSWORD }))).toEqual([401, 'LOGIN_FAILED']);
    const again = await join(shop, { email });
    expect(again.customerId).not.toBe(me.customerId);
    expect((await again.buyer.call('GET', '/storefront/v1/me/orders')).body.data.items).toEqual([]);
    const seen = (await shop.seller.call('GET', `${at(again)}?includeTest=true`)).body.data as object;
    expect(seen).toMatchObject({ stats: { orderCount: 0 }, addresses: [] });
    const [record] = await records(me.customerId);
    expect(record).toMatchObject({ request_id: expect.stringMatching(/^req_/), metadata: { reason: '본인 요청' } });
  });
  test('a member without a password proves it with the e-mail, one with a password by it', async () => {
    const [server, me] = [await delegated(shop), await join(shop)];
    expect(fieldsOf(await leave(server, { password: PASSWORD }))).toEqual(['confirmation REQUIRED']);
    expect(fieldsOf(await leave(server, { confirmation: 'other@x.example' }))).toEqual(['confirmation MISMATCH']);
    expect((await leave(server, { confirmation: server.email.toUpperCase() })).status).toBe(200);
    expect(fieldsOf(await leave(me, { confirmation: me.email }))).toEqual(['password REQUIRED']);
    expect(fieldsOf(await leave(me, {}))).toEqual(['password REQUIRED']);
    const guesses = await Promise.all(Array.from({ length: 12 }, () => leave(me, { password: 'wrong' })));
    expect(guesses.filter(({ status }) => status === 400)).toHaveLength(10);
    expect((await leave(me, { password: PASSWORD })).status).toBe(429);
    const withdrawn = await withdraw(me, { reason: '', confirmation: '' });
    expect(fieldsOf(withdrawn).map((field) => field.split(' ')[0])).toEqual(expect.arrayContaining(['reason', 'confirmation']));
    expect(errorOf(await withdraw(me, { reason: 'r'.repeat(201) }))).toEqual([400, 'VALIDATION_FAILED']);
  });
});

test('a refund that the provider pays back afterwards changes no number of anybody', async () => {
  const live = await liveWorld();
  const me = await join(live);
  const orderId = await bought(await live.product(), me.buyer);
  const { items } = (await live.seller.call('GET', `/v1/orders/${orderId}`)).body.data as { items: { orderItemId: string }[] };
  const cancel = await live.act(items[0]!.orderItemId, 'cancel', { reason: 'OTHER', holdRefund: true });
  expect((await withdraw(me, {}, live)).status).toBe(200);
  await live.seller.call('POST', `/v1/payments/refunds/${cancel.body.data.refundId as string}/process`);
  await until('given back', async () => {
    const [row] = await query<{ status: string }>('SELECT status FROM refund WHERE refund_id = $1', [cancel.body.data.refundId]);
    return row!.status === 'DONE';
  });
  expect((await live.seller.call('GET', '/v1/customers?includeTest=true')).body.data).toMatchObject({ total: 0, items: [] });
});

describe('an agent’s request', () => {
  test('waits for an approval, shows nothing of the member, and loses its confirmation with the withdrawal', async () => {
    const me = await join(shop);
    const agent = await desk.agent(['customer:rw']);
    const body = { reason: '요청', confirmation: me.email };
    const request = (headers: object = {}) => shop.seller.call('POST', `${at(me)}/withdraw`, body, { ...agent.headers, ...headers });
    const dry = await request({ 'x-svc-dry-run': '1' });
    expect(dry.body.data).toMatchObject({
      decision: 'APPROVAL_REQUIRED',
      preview: { target: { type: 'CUSTOMER', id: me.customerId }, changes: [{ field: 'deleted', before: false, after: true }] },
    });
    const [one, two] = [await request({ 'idempotency-key': 'one' }), await request({ 'idempotency-key': 'two' })];
    expect([one.status, two.status]).toEqual([202, 202]);
    const read = async ({ body: { data } }: typeof one) =>
      (await desk.read(data.approvalId as string)).body.data as {
        status: string;
        result: { code: string } | null;
        request: { body: object };
      };
    expect((await read(one)).request.body).toEqual(body);
    await desk.decide(one.body.data.approvalId as string, 'approve');
    const executed = await until('carried out', async () => {
      const now = await read(one);
      return now.result && now;
    });
    expect(executed).toMatchObject({
      status: 'SUCCEEDED',
      result: { code: 'OK' },
      request: { body: { reason: '요청', confirmation: null } },
    });
    expect((await read(two)).request.body).toEqual({ reason: '요청', confirmation: null });
    expect(await records(me.customerId)).toMatchObject([{ actor_type: 'AGENT', metadata: { reason: '요청' } }]);
    await desk.decide(two.body.data.approvalId as string, 'approve');
    const late = await until('refused', async () => {
      const now = await read(two);
      return now.result && now;
    });
    expect(late.result).toMatchObject({ code: 'CUSTOMER_NOT_FOUND' });
  });
  test('for points keeps neither reason nor balance, and is answered CUSTOMER_NOT_FOUND afterwards', async () => {
    const live = await liveWorld();
    const counter = await Desk.open(live);
    const [me, other] = [await join(live), await join(live)];
    await bought(await live.product(), other.buyer);
    const agent = await counter.agent(['customer:rw', 'promotion:rw']);
    const filed = async (key: string, amount: number) => {
      const body = { amount, reason: `카나리아사유 ${key}`, ...(amount > 0 && { expiresAt: '2027-10-01T00:00:00+09:00' }) };
      const headers = { ...agent.headers, 'idempotency-key': key };
      const reply = await live.seller.call('POST', `${at(me)}/points/adjustments`, body, headers);
      expect(reply.status).toBe(202);
      return reply.body.data.approvalId as string;
    };
    const read = async (approvalId: string) =>
      (await counter.read(approvalId)).body.data as {
        status: string;
        preview: object;
        result: { code: string; data: object | null; error: object | null } | null;
        request: { body: object };
      };
    const carriedOut = async (approvalId: string) => {
      await counter.decide(approvalId, 'approve');
      return until('carried out', async () => {
        const now = await read(approvalId);
        return now.result && now;
      });
    };
    const granted = await filed('granted', 777);
    expect((await carriedOut(granted)).result).toMatchObject({ code: 'OK', data: { amount: 777, memo: '카나리아사유 granted' } });
    const exported = async () => ((await support('personal-data', me.customerId, '--json')) as { data: object }).data;
    expect(await exported()).toMatchObject({
      approval_request: [{ body: { reason: '카나리아사유 granted' }, result_data: { memo: '카나리아사유 granted', balance: 777 } }],
    });
    const [refused, waiting] = [await filed('refused', -700), await filed('waiting', 333)];
    await live.seller.call('POST', `${at(me)}/points/adjustments`, { amount: -700, reason: 'r' }, { 'idempotency-key': 'direct' });
    expect((await carriedOut(refused)).result).toMatchObject({ code: 'POINT_BALANCE_INSUFFICIENT', error: { details: { balance: 77 } } });
    expect((await withdraw(me, {}, live)).status).toBe(200);

    const cleared = { preview: { changes: [], facts: {} }, request: { body: { reason: null } } };
    expect(await read(granted)).toMatchObject({ ...cleared, status: 'SUCCEEDED', result: { code: 'OK', data: null } });
    expect((await read(refused)).result).toMatchObject({ code: 'POINT_BALANCE_INSUFFICIENT' });
    expect(await read(refused)).not.toHaveProperty('result.error.details');
    expect(await read(waiting)).toMatchObject({ ...cleared, status: 'PENDING' });
    expect((await carriedOut(waiting)).result).toMatchObject({ code: 'CUSTOMER_NOT_FOUND' });
    expect(JSON.stringify(await exported())).not.toMatch(/카나리아사유|"balance"/);
    const replies = await query('SELECT body FROM operation WHERE principal = $1', [`approval/${granted}`]);
    expect(replies).toEqual([{ body: {} }]);
    await counter.close();
  });
  test('leaves nothing of what sellers were answered about them, at once', async () => {
    const me = await join(shop);
    const adjust = (key: string, amount: number, reason: string) =>
      shop.seller.call('POST', `${at(me)}/points/adjustments`, { amount, reason }, { 'idempotency-key': key });
    const keys = [`granted-${me.customerId}`, `refused-${me.customerId}`];
    const replies = () => query('SELECT key FROM operation WHERE customer_id = $1 AND operation_id = $2', [me.customerId, 'points.adjust']);
    const grant = () =>
      shop.seller.call(
        'POST',
        `${at(me)}/points/adjustments`,
        { amount: 5, reason: '카나리아사유', expiresAt: '2027-10-01T00:00:00+09:00' },
        { 'idempotency-key': keys[0]! },
      );
    expect((await grant()).status).toBe(201);
    expect((await adjust(keys[1]!, -700, '카나리아사유')).body.error!.code).toBe('POINT_BALANCE_INSUFFICIENT');
    expect(await replies()).toHaveLength(2);
    const leaving = `leaving-${me.customerId}`;
    const body = { reason: '본인 요청', confirmation: me.email };
    const leave = () => shop.seller.call('POST', `${at(me)}/withdraw`, body, { 'idempotency-key': leaving });
    expect((await leave()).status).toBe(200);
    expect(await replies()).toEqual([]);
    expect(await query(`SELECT 1 FROM operation WHERE store_id = $1 AND body::text LIKE '%카나리아사유%'`, [shop.store.storeId])).toEqual(
      [],
    );
    expect(await grant()).toMatchObject({ status: 404, body: { error: { code: 'CUSTOMER_NOT_FOUND' } } });
    expect((await leave()).status).toBe(200);
  });
  test('of a consent to marketing is carried out, and its record has no personal data', async () => {
    const me = await join(shop);
    const agent = await desk.agent(['customer:rw']);
    const changed = await shop.seller.call('POST', `${at(me)}/consents`, { kind: 'MARKETING', action: 'AGREE' }, agent.headers);
    expect(changed.status).toBe(200);
    const [record] = await query<{ metadata: { changes: { field: string }[] } }>(
      `SELECT metadata FROM audit_request WHERE action = 'customers.changeConsent' AND target_id = $1`,
      [me.customerId],
    );
    expect(record!.metadata.changes.map(({ field }) => field)).toContain('marketingConsent');
    expect(JSON.stringify(record)).not.toContain(me.email);
  });
});
