/** A buyer asks for another shipping address before dispatch, and the seller decides (docs/contract.md#address-changes). */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Buyer, GUEST } from '../../../bin/dev/client.ts';
import { type Paid, type World, world } from '../../kernel/world.ts';

const ADDRESS = { receiverName: '김새집', phone: '010-9999-0000', zipCode: '06237', address1: '새길 2', address2: '3층' };
const JEJU = { ...ADDRESS, zipCode: '63100' };
let shop: World;
let member: Buyer;
let product: { productId: string };
beforeAll(async () => {
  shop = await world();
  [member, product] = await Promise.all([shop.member(), shop.product({ stockQuantity: 100 })]);
});

const order = (): Promise<Paid> => shop.order(product, 1, member);
const send = ({ orderId }: Paid, shippingAddress: object = ADDRESS, headers = {}) =>
  member.call('POST', `/storefront/v1/me/orders/${orderId}/address-change`, { shippingAddress }, headers);
const requestOf = async (paid: Paid): Promise<string> => (await send(paid)).body.data.addressChange.addressChangeId as string;
const decide = ({ orderId }: Paid, decision: 'accept' | 'reject', body: object, headers = {}) =>
  shop.seller.call('POST', `/v1/orders/${orderId}/address-change/${decision}`, body, headers);
const read = async ({ orderId }: Paid) => (await shop.seller.call('GET', `/v1/orders/${orderId}`)).body.data;
const eventsOf = ({ orderId }: Paid) => shop.events({ type: 'ORDER.ADDRESS_CHANGE_REQUESTED', about: orderId });

describe('a buyer', () => {
  test('asks, and the seller’s acceptance sends the order there; nothing personal is in the event', async () => {
    const paid = await order();
    const reply = await send(paid);
    expect(reply.status).toBe(200);
    const { addressChange } = reply.body.data;
    expect(addressChange).toMatchObject({ status: 'REQUESTED', shippingAddress: ADDRESS, decidedAt: null, reason: null });
    expect(reply.body.data.shippingAddress).not.toMatchObject({ zipCode: ADDRESS.zipCode });
    const [event] = await eventsOf(paid);
    expect(event!.data).toEqual({ orderId: paid.orderId, status: 'PAID', testPayment: true });
    const accepted = await decide(paid, 'accept', { addressChangeId: addressChange.addressChangeId });
    expect(accepted.body.data).toMatchObject({
      shippingAddress: ADDRESS,
      delivery: { zipCode: '06237' },
      addressChange: { status: 'ACCEPTED' },
    });
    expect(await read(paid)).toEqual(accepted.body.data);
    const again = await decide(paid, 'accept', { addressChangeId: addressChange.addressChangeId });
    expect([again.status, again.body.error?.code]).toEqual([409, 'INVALID_STATUS']);
  });
  test('who asks again replaces the request; a decision about the first is CONCURRENT_UPDATE; the same address again changes nothing', async () => {
    const paid = await order();
    const first = await requestOf(paid);
    expect(await requestOf(paid)).toBe(first);
    const second = (await send(paid, { ...ADDRESS, address1: '다른길 3' })).body.data.addressChange.addressChangeId;
    expect(second).not.toBe(first);
    expect((await decide(paid, 'accept', { addressChangeId: first })).body.error?.code).toBe('CONCURRENT_UPDATE');
    expect(await eventsOf(paid)).toHaveLength(2);
    const rejected = await decide(paid, 'reject', { addressChangeId: second, reason: '이미 포장했습니다' });
    expect(rejected.body.data.addressChange).toMatchObject({ status: 'REJECTED', reason: '이미 포장했습니다' });
    expect(rejected.body.data.shippingAddress).not.toMatchObject({ address1: '다른길 3' });
  });
  test('is told that the delivery fee was for another area', async () => {
    const refused = await send(await order(), JEJU);
    expect(refused.body.error).toMatchObject({ code: 'DELIVERY_AREA_MISMATCH', details: { charged: 'NONE', requested: 'JEJU' } });
  });
  test('asks ten times for an order at most', async () => {
    const paid = await order();
    const codes = [];
    for (let n = 0; n < 11; n++) codes.push((await send(paid, { ...ADDRESS, address1: `길 ${n}` })).body.error?.code ?? 'OK');
    expect(codes).toEqual([...Array.from({ length: 10 }, () => 'OK'), 'ADDRESS_CHANGE_LIMIT_EXCEEDED']);
  });
  test('after the dispatch is refused, and so is the seller’s acceptance', async () => {
    const paid = await order();
    const addressChangeId = await requestOf(paid);
    await shop.act(paid.orderItemId, 'confirm');
    await shop.act(paid.orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
    expect((await send(paid, { ...ADDRESS, address1: '늦은길 1' })).body.error?.code).toBe('INVALID_STATUS');
    expect((await decide(paid, 'accept', { addressChangeId })).body.error?.code).toBe('INVALID_STATUS');
    expect((await decide(paid, 'reject', { addressChangeId, reason: '보냈습니다' })).status).toBe(200);
  });
  test('of another order hears 404; so does a seller of another store; every problem of the body at once', async () => {
    const [paid, other, rival] = await Promise.all([order(), shop.member(), world()]);
    const path = `/storefront/v1/me/orders/${paid.orderId}/address-change`;
    expect((await other.call('POST', path, { shippingAddress: ADDRESS })).body.error?.code).toBe('ORDER_NOT_FOUND');
    const foreign = await rival.seller.call('POST', `/v1/orders/${paid.orderId}/address-change/accept`, { addressChangeId: 'x' });
    expect([foreign.status, foreign.body.error?.code]).toEqual([404, 'ORDER_NOT_FOUND']);
    const fields = (await send(paid, { ...ADDRESS, zipCode: '1', address1: '', foo: 1 })).body.error!.fieldErrors!.map(
      ({ field }: { field: string }) => field,
    );
    expect(new Set(fields)).toEqual(new Set(['shippingAddress.zipCode', 'shippingAddress.address1', 'shippingAddress.foo']));
  });
  test('under one key asks once', async () => {
    const paid = await order();
    const [one, two] = [await send(paid, ADDRESS, { 'idempotency-key': 'once' }), await send(paid, ADDRESS, { 'idempotency-key': 'once' })];
    expect(two.body.data).toEqual(one.body.data);
    expect(await eventsOf(paid)).toHaveLength(1);
  });
});

test('a guest asks with contact and order password', async () => {
  const paid = await shop.order(product);
  const path = `/storefront/v1/guest/orders/${paid.orderId}/address-change`;
  const guest = await shop.buyer();
  const wrong = await guest.call('POST', path, { contact: GUEST.phone, orderPassword: 'wrong-1', shippingAddress: ADDRESS });
  expect([wrong.status, wrong.body.error?.code]).toEqual([404, 'ORDER_NOT_FOUND']);
  const reply = await guest.call('POST', path, { contact: GUEST.phone, orderPassword: GUEST.orderPassword, shippingAddress: ADDRESS });
  expect(reply.body.data.addressChange).toMatchObject({ status: 'REQUESTED', shippingAddress: ADDRESS });
});

test('a dispatch and an acceptance at the same moment: what is dispatched goes where the order says', async () => {
  for (let n = 0; n < 4; n++) {
    const paid = await order();
    const addressChangeId = await requestOf(paid);
    await shop.act(paid.orderItemId, 'confirm');
    const [dispatched, accepted] = await Promise.all([
      shop.act(paid.orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' }),
      decide(paid, 'accept', { addressChangeId }),
    ]);
    expect(dispatched.status).toBe(200);
    const { shippingAddress, addressChange } = await read(paid);
    expect([200, 409]).toContain(accepted.status);
    expect([addressChange.status, shippingAddress.zipCode === ADDRESS.zipCode]).toEqual(
      accepted.status === 200 ? ['ACCEPTED', true] : ['REQUESTED', false],
    );
  }
});
