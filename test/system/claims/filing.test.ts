/** Who may file a claim of what, and when; previews are judged like submissions (docs/contract.md#claims). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../kernel/world.ts';
import { type Bought, ClaimShop, codeOf, dataOf, type Fields, MANUAL, MIND, PROOF, rowCounts, type Stage } from './shop.ts';

let shop: ClaimShop;
beforeAll(async () => {
  shop = await ClaimShop.open();
});
const CANCEL = { type: 'CANCEL', ...MIND };
const RETURN = { type: 'RETURN', ...MIND };
const EXCHANGE = { type: 'EXCHANGE', ...MIND };

describe('a member', () => {
  test('files a claim, which item and order show to buyer and seller', async () => {
    const bought = await shop.buy('CONFIRMED', { quantity: 2 });
    const filed = await shop.file(bought.orderItemId, { ...CANCEL, quantity: 1, detail: '두 개를 샀어요' });
    const { claimId, claimNo, requestedAt } = filed.body.data as Record<string, string>;
    expect(filed.status).toBe(201);
    expect(filed.body.data).toMatchObject({
      type: 'CANCEL',
      status: 'REQUESTED',
      orderId: bought.orderId,
      orderNo: bought.orderNo,
      orderItemId: bought.orderItemId,
      optionId: bought.variantId,
      quantity: 1,
      reason: 'CHANGE_OF_MIND',
      detail: '두 개를 샀어요',
      requestedBy: 'MEMBER',
      expectedRefundAmount: 10_000,
      refundAmount: 0,
      testPayment: true,
    });
    expect(claimNo).toMatch(/^C\d{14}$/);
    const claims = [{ claimId, claimNo, type: 'CANCEL', status: 'REQUESTED', quantity: 1, reason: 'CHANGE_OF_MIND', requestedAt }];
    expect((await shop.item(bought.orderItemId)).claims).toEqual(claims);
    expect((await shop.buyersItem(bought)).claims).toEqual(claims);
    const order = dataOf(await shop.world.seller.call('GET', `/v1/orders/${bought.orderId}`));
    expect(order.items[0].claims).toEqual(claims);
    // The hold's reason and a shortfall are the seller's own.
    expect(Object.keys(filed.body.data as object)).not.toEqual(expect.arrayContaining(['holdReason']));
    expect(filed.body.data).not.toHaveProperty('stockShortfall');
  });
  test('does not know the items of others', async () => {
    const { orderItemId } = await shop.buy('PAID', { who: await shop.world.member() });
    const guests = await shop.buy('PAID', { who: await shop.world.buyer() });
    for (const id of [orderItemId, guests.orderItemId, 'oit_none'])
      for (const reply of [await shop.file(id, CANCEL), await shop.preview(id, CANCEL)])
        expect(codeOf(reply)).toEqual([404, 'ORDER_ITEM_NOT_FOUND']);
    expect(await query('SELECT 1 FROM claim WHERE order_item_id = ANY($1)', [[orderItemId, guests.orderItemId]])).toEqual([]);
  });
});

describe('a guest', () => {
  let bought: Bought;
  const claims = (which = bought.orderId, item = bought.orderItemId) => `${which}/items/${item}/claims`;
  beforeAll(async () => {
    bought = await shop.buy('CONFIRMED', { who: await shop.world.buyer(), quantity: 2 });
  });
  test('previews, files and withdraws with the contact and the password of the order, by its id or number', async () => {
    expect((await shop.asGuest(`${claims(bought.orderNo)}/preview`, CANCEL)).body.data).toMatchObject({ expectedRefundAmount: 23_000 });
    const filed = await shop.asGuest(claims(), CANCEL);
    expect([filed.status, filed.body.data]).toMatchObject([201, { requestedBy: 'GUEST', status: 'REQUESTED', quantity: 2 }]);
    const { claimId } = filed.body.data as { claimId: string };
    const withdrawn = await shop.asGuest(`${bought.orderNo}/claims/${claimId}/withdraw`, {});
    expect([withdrawn.status, withdrawn.body.data]).toMatchObject([200, { claimId, status: 'WITHDRAWN' }]);
    expect(withdrawn.body.data).not.toHaveProperty('holdReason');
  });
  test('knows neither items nor claims of another order', async () => {
    const other = await shop.buy('CONFIRMED', { who: await shop.world.buyer() });
    for (const path of [claims(bought.orderId, other.orderItemId), `${claims(bought.orderId, other.orderItemId)}/preview`])
      expect(codeOf(await shop.asGuest(path, CANCEL))).toEqual([404, 'ORDER_ITEM_NOT_FOUND']);
    const { claimId } = dataOf(await shop.asGuest(claims(other.orderId, other.orderItemId), CANCEL)) as { claimId: string };
    for (const id of [claimId, 'clm_none'])
      expect(codeOf(await shop.asGuest(`${bought.orderId}/claims/${id}/withdraw`, {}))).toEqual([404, 'CLAIM_NOT_FOUND']);
    expect(await shop.claim(claimId)).toMatchObject({ status: 'REQUESTED' });
  });
  test('who is a member files as one: the order has no password', async () => {
    const { orderId, orderItemId } = await shop.buy();
    expect(codeOf(await shop.asGuest(claims(orderId, orderItemId), CANCEL))).toEqual([404, 'ORDER_NOT_FOUND']);
  });
  test('has ten wrong attempts for look-ups, claims, previews and withdrawals together', async () => {
    const { orderId, orderNo, orderItemId } = await shop.buy('CONFIRMED', { who: await shop.world.buyer() });
    const wrong = { ...PROOF, orderPassword: 'wrong' };
    const requests: readonly (readonly [string, Fields])[] = [
      [orderId, {}],
      [claims(orderId, orderItemId), CANCEL],
      [`${claims(orderNo, orderItemId)}/preview`, CANCEL],
      [`${orderNo}/claims/clm_none/withdraw`, {}],
    ];
    for (let i = 0; i < 10; i++) {
      const [path, body] = requests[i % requests.length]!;
      expect(codeOf(await shop.asGuest(path, { ...body, ...wrong }))).toEqual([404, 'ORDER_NOT_FOUND']);
    }
    for (const [path, body] of requests) expect(codeOf(await shop.asGuest(path, body))).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(await query('SELECT 1 FROM claim WHERE order_item_id = $1', [orderItemId])).toEqual([]);
  });
});

test('a preview saves nothing', async () => {
  const { orderItemId } = await shop.buy('DISPATCHED', { quantity: 2 });
  const before = [await rowCounts(shop.storeId), await shop.item(orderItemId)];
  for (const request of [RETURN, EXCHANGE, { ...RETURN, quantity: 1 }, { ...RETURN, quantity: 3 }, CANCEL])
    await shop.preview(orderItemId, request);
  expect([await rowCounts(shop.storeId), await shop.item(orderItemId)]).toEqual(before);
});

test('a preview tells what filing then tells, and whether it completes at once', async () => {
  const paid = await shop.buy('PAID', { quantity: 3 });
  const part = { ...CANCEL, quantity: 2 };
  expect((await shop.preview(paid.orderItemId, part)).body.data).toEqual({
    type: 'CANCEL',
    quantity: 2,
    completesAtOnce: true,
    expectedRefundAmount: 20_000,
    expectedDeliveryFeeRefundAmount: 0,
    expectedPointRefundAmount: 0,
    deliveryFeeChargeAmount: 0,
    deliveryFeeChargeRefundAmount: 0,
    couponChargeAmount: 0,
    couponChargeRefundAmount: 0,
    deductAmount: 0,
    claimDeliveryFee: 0,
  });
  expect((await shop.file(paid.orderItemId, part)).body.data).toMatchObject({ status: 'COMPLETED', refundAmount: 20_000 });
  // The rest takes the delivery fee with it.
  const rest = (await shop.preview(paid.orderItemId, CANCEL)).body.data;
  expect(rest).toMatchObject({ quantity: 1, expectedRefundAmount: 13_000, expectedDeliveryFeeRefundAmount: 3000 });
  const confirmed = await shop.buy('CONFIRMED');
  expect((await shop.preview(confirmed.orderItemId, CANCEL)).body.data).toMatchObject({ completesAtOnce: false });
});

describe('the order of refusals', () => {
  const TOO_MANY = { quantity: 9 };
  const prepared: Partial<Record<'empty' | 'claimed' | 'sent' | 'paid' | 'manual' | 'other', Bought>> = {};
  beforeAll(async () => {
    [prepared.empty, prepared.claimed, prepared.sent, prepared.paid, prepared.manual, prepared.other] = await Promise.all([
      shop.buy(),
      shop.buy('DISPATCHED'),
      shop.buy('DISPATCHED'),
      shop.buy('PAID'),
      shop.buy('DELIVERED', { product: MANUAL }),
      shop.buy(),
    ]);
    await shop.world.act(prepared.empty.orderItemId, 'cancel', { reason: 'OTHER' });
    await shop.filed(prepared.claimed.orderItemId, RETURN);
  });
  const foreign = () => ({ exchangeOptionId: prepared.other!.variantId });
  test.each<[string, keyof typeof prepared | null, () => Fields, readonly [number, string]]>([
    ['a bad request, of an item that nobody has', null, () => ({ ...RETURN, quantity: 0 }), [400, 'VALIDATION_FAILED']],
    ['an unknown item', null, () => ({ ...RETURN, ...TOO_MANY }), [404, 'ORDER_ITEM_NOT_FOUND']],
    ['an item of which nothing remains', 'empty', () => ({ ...EXCHANGE, ...TOO_MANY, ...foreign() }), [409, 'INVALID_STATUS']],
    ['an open claim', 'claimed', () => ({ ...EXCHANGE, ...TOO_MANY, ...foreign() }), [409, 'CLAIM_IN_PROGRESS']],
    ['an open claim, and what is not offered', 'claimed', () => ({ ...CANCEL, ...TOO_MANY }), [409, 'CLAIM_IN_PROGRESS']],
    ['what is not shipped', 'manual', () => ({ ...EXCHANGE, ...TOO_MANY, ...foreign() }), [409, 'EXCHANGE_NOT_SUPPORTED']],
    ['another stage', 'paid', () => ({ ...EXCHANGE, ...TOO_MANY, ...foreign() }), [409, 'INVALID_STATUS']],
    ['too many', 'sent', () => ({ ...EXCHANGE, ...TOO_MANY, ...foreign() }), [400, 'INVALID_QUANTITY']],
    ['an option of another product', 'sent', () => ({ ...EXCHANGE, ...foreign() }), [404, 'VARIANT_NOT_FOUND']],
    ['an option that nobody has', 'sent', () => ({ ...EXCHANGE, exchangeOptionId: 'var_none' }), [404, 'VARIANT_NOT_FOUND']],
  ])('%s: the same for preview and submission', async (_, which, request, refusal) => {
    const id = which === null ? 'oit_none' : prepared[which]!.orderItemId;
    const replies = [await shop.preview(id, request()), await shop.file(id, request())];
    expect(replies.map(codeOf)).toEqual([refusal, refusal]);
    expect(replies[0]!.body.error).toEqual(replies[1]!.body.error);
  });
});

describe('quantities', () => {
  test('more than remain are INVALID_QUANTITY, which tells how many do', async () => {
    const { orderItemId } = await shop.buy('PAID', { quantity: 3 });
    await shop.world.act(orderItemId, 'cancel', { reason: 'OTHER', quantity: 1 });
    expect((await shop.file(orderItemId, { ...CANCEL, quantity: 3 })).body.error).toMatchObject({
      code: 'INVALID_QUANTITY',
      details: { activeQuantity: 2 },
    });
    expect((await shop.preview(orderItemId, CANCEL)).body.data).toMatchObject({ quantity: 2 });
  });
  test.each([0, -1, 1.5, '1', 1000, null])('%p is VALIDATION_FAILED', async (quantity) => {
    const { status, body } = await shop.preview('oit_none', { ...CANCEL, quantity });
    expect([status, body.error?.code, body.error?.fieldErrors?.map(({ field }) => field)]).toEqual([
      400,
      'VALIDATION_FAILED',
      ['quantity'],
    ]);
  });
  test('a part leaves the rest in its status', async () => {
    const { orderItemId } = await shop.buy('DELIVERED', { quantity: 3 });
    const claimId = await shop.collected(orderItemId, { type: 'RETURN', quantity: 2 });
    await shop.acted(claimId, 'approve');
    expect(await shop.item(orderItemId)).toMatchObject({ status: 'DELIVERED', canceledQuantity: 2, activeQuantity: 1 });
    expect((await shop.preview(orderItemId, RETURN)).body.data).toMatchObject({ quantity: 1 });
  });
});

test('one claim of an item is open at a time, whatever part it is of; another item of the order is free', async () => {
  const { orderItemId, itemIds } = await shop.buyAll('DISPATCHED', [{ quantity: 3 }, {}]);
  const claimId = await shop.filed(orderItemId, { type: 'RETURN', quantity: 1 });
  for (const request of [{ ...RETURN, quantity: 1 }, EXCHANGE, CANCEL])
    for (const reply of [await shop.preview(orderItemId, request), await shop.file(orderItemId, request)])
      expect(codeOf(reply)).toEqual([409, 'CLAIM_IN_PROGRESS']);
  expect((await shop.file(itemIds[1]!, EXCHANGE)).status).toBe(201);
  await shop.withdraw(claimId);
  expect((await shop.file(orderItemId, EXCHANGE)).status).toBe(201);
});

describe('stages', () => {
  const TYPES = { CANCEL, RETURN, EXCHANGE } as const;
  const accepted: Readonly<Record<Stage, readonly string[]>> = {
    PAID: ['CANCEL'],
    CONFIRMED: ['CANCEL'],
    DISPATCHED: ['RETURN', 'EXCHANGE'],
    DELIVERED: ['RETURN', 'EXCHANGE'],
  };
  const KEYS: Readonly<Record<string, string>> = { CANCEL: 'cancel', RETURN: 'return', EXCHANGE: 'exchange' };
  test.each(Object.entries(accepted))('%s takes %j, and says so in the actions', async (stage, types) => {
    const bought = await shop.buy(stage as Stage);
    for (const [type, request] of Object.entries(TYPES)) {
      const expected = types.includes(type) ? [200, 'OK'] : [409, 'INVALID_STATUS'];
      expect([type, ...codeOf(await shop.preview(bought.orderItemId, request))]).toEqual([type, ...expected]);
    }
    const { actions } = (await shop.buyersItem(bought)) as { actions: { key: string; enabled: boolean }[] };
    const offered = actions.filter(({ key, enabled }) => enabled && Object.values(KEYS).includes(key)).map(({ key }) => key);
    expect(offered).toEqual(types.map((type) => KEYS[type]));
  });
  test('a decided purchase takes none', async () => {
    const bought = await shop.buy('DELIVERED');
    await shop.member.call('POST', `/storefront/v1/me/order-items/${bought.orderItemId}/decide`, {});
    for (const request of Object.values(TYPES))
      expect(codeOf(await shop.preview(bought.orderItemId, request))).toEqual([409, 'INVALID_STATUS']);
    expect((await shop.buyersItem(bought)).actions).toEqual([]);
  });
  test('of what is provided: a return, and never an exchange', async () => {
    for (const [stage, types] of [
      ['PAID', ['CANCEL']],
      ['CONFIRMED', ['CANCEL']],
      ['DELIVERED', ['RETURN']],
    ] as const) {
      const { orderItemId } = await shop.buy(stage, { product: MANUAL });
      for (const [type, request] of Object.entries(TYPES)) {
        const refusal = type === 'EXCHANGE' ? [409, 'EXCHANGE_NOT_SUPPORTED'] : [409, 'INVALID_STATUS'];
        const expected = (types as readonly string[]).includes(type) ? [200, 'OK'] : refusal;
        expect([stage, type, ...codeOf(await shop.preview(orderItemId, request))]).toEqual([stage, type, ...expected]);
      }
    }
  });
});
