/** Idempotency keys of guests: a key is no way around the order's password (docs/contract.md#claims). */
import { describe, expect, test } from '@jest/globals';
import { call, GUEST, type Headers_ } from '../../../bin/dev/client.ts';
import { MAX_WRONG } from '../../../api/orders/guestOrders.ts';
import { query, underTest, world } from '../../kernel/world.ts';

test('whoever lacks the password learns nothing from a key, is counted, and spoils it for nobody', async () => {
  const shop = await world();
  const { orderId, orderItemId } = await shop.order(undefined, 3);
  const [guest, stranger] = [await shop.buyer(), await shop.buyer()];
  const request = { contact: GUEST.phone, type: 'CANCEL', reason: 'CHANGE_OF_MIND', quantity: 1 };
  const file = (who: typeof guest, orderPassword: string) =>
    who.call(
      'POST',
      `/storefront/v1/guest/orders/${orderId}/items/${orderItemId}/claims`,
      { ...request, orderPassword },
      { 'idempotency-key': '1' },
    );
  // Before the guest: nothing is stored under the key that they will use.
  expect((await file(stranger, 'guessed')).body.error?.code).toBe('ORDER_NOT_FOUND');
  const first = await file(guest, GUEST.orderPassword);
  expect([first.status, first.body.data?.status]).toEqual([201, 'COMPLETED']);
  const again = await file(guest, GUEST.orderPassword);
  expect([again.status, again.headers.get('idempotent-replayed'), again.body.data]).toEqual([201, 'true', first.body.data]);
  // After the guest: every guess is counted, and a locked order answers nobody.
  const guesses = [];
  for (let i = 0; i < MAX_WRONG; i++) guesses.push((await file(stranger, `guess-${i}`)).body.error?.code);
  expect(guesses).toEqual(Array.from({ length: MAX_WRONG }, () => 'ORDER_NOT_FOUND'));
  expect((await file(stranger, GUEST.orderPassword)).status).toBe(429);
  expect(await query('SELECT canceled_quantity FROM order_item WHERE order_item_id = $1', [orderItemId])).toEqual([
    { canceled_quantity: 1 },
  ]);
});

describe('an order by its id, its number, and its number with hyphens', () => {
  const asSent = (orderNo: string) => `${orderNo.slice(0, 6)}-${orderNo.slice(6)}`;
  const open = async () => {
    const shop = await world();
    const { orderId, orderNo, orderItemId } = await shop.order(undefined, 4);
    const names = [orderId, orderNo, asSent(orderNo)];
    /** `who`: the headers of a guest session, none without one. */
    const send = (which: string, path: string, body: object, key: string, who: Headers_ = { 'x-store-code': shop.store.storeCode }) =>
      call(underTest.api, 'POST', `/storefront/v1/guest/orders/${which}/${path}`, {
        body: { contact: GUEST.phone, orderPassword: GUEST.orderPassword, ...body },
        headers: { ...who, 'idempotency-key': key },
      });
    return { shop, orderItemId, names, send, claims: `items/${orderItemId}/claims` };
  };
  const CANCEL = { type: 'CANCEL', reason: 'CHANGE_OF_MIND', quantity: 1 };

  test.each([
    ['without a session', false],
    ['of a guest’s session', true],
  ])('is one principal %s: a key cancels once', async (_, hasSession) => {
    const { shop, orderItemId, names, send, claims } = await open();
    const who = hasSession ? (await shop.buyer()).headers : undefined;
    const replies = [];
    for (const which of names) replies.push(await send(which, claims, CANCEL, 'one', who));
    expect(replies.map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual([
      [201, null],
      [201, 'true'],
      [201, 'true'],
    ]);
    for (const { body } of replies) expect(body.data).toEqual(replies[0]!.body.data);
    expect(await shop.item(orderItemId)).toMatchObject({ canceledQuantity: 1 });
    for (const which of names)
      expect((await send(which, claims, { ...CANCEL, quantity: 2 }, 'one', who)).body.error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await query('SELECT 1 FROM claim WHERE order_item_id = $1', [orderItemId])).toHaveLength(1);
  });
  test('is one principal of duplicates at the same moment, and of a withdrawal', async () => {
    const { shop, orderItemId, names, send, claims } = await open();
    await shop.act(orderItemId, 'confirm');
    const replies = await Promise.all(names.map((which) => send(which, claims, CANCEL, 'twins')));
    expect([new Set(replies.map(({ status }) => status)), new Set(replies.map(({ body }) => body.data?.claimId as string)).size]).toEqual([
      new Set([201]),
      1,
    ]);
    const { claimId } = replies[0]!.body.data as { claimId: string };
    const withdrawn = [];
    for (const which of names) withdrawn.push(await send(which, `claims/${claimId}/withdraw`, {}, 'back'));
    expect(withdrawn.map(({ body, headers }) => [body.data?.status, headers.get('idempotent-replayed')])).toEqual([
      ['WITHDRAWN', null],
      ['WITHDRAWN', 'true'],
      ['WITHDRAWN', 'true'],
    ]);
  });
});
