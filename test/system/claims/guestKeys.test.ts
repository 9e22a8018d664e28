/** Idempotency keys of guests: a key is no way around the order's password (docs/contract.md#claims, D51, X15). */
import { expect, test } from '@jest/globals';
import { GUEST } from '../../../bin/dev/client.ts';
import { MAX_WRONG } from '../../../api/kernel/guestOrders.ts';
import { query, world } from '../../kernel/world.ts';

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
