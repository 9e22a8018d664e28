/** A decision whose worker is killed in the middle of its transaction, before its commit and after it: its purchase earns once. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client as Postgres } from 'pg';
import { Buyer, pay, Seller } from '../../bin/dev/client.ts';
import { until } from '../../bin/dev/until.ts';
import { makeStore } from '../../bin/ops/store/make.ts';
import { answered } from './claimKills.ts';
import { atMostEvery, type Bench, retryOnFailure } from './harness.ts';
import type { Promised } from './load.ts';

/** The points that the decided item has earned, entry by entry. `armed`: the folder of FAILPOINTS_ARMED. */
export async function earnedAfterKills(under: Bench, armed: string, database: Postgres, promised: Promised): Promise<readonly number[]> {
  const { system } = under;
  // Tests earn nothing.
  const request = { code: 'earning', name: 'earning', sandbox: true, withProduct: true, live: true };
  const store = await makeStore(system.databaseUrl, request, system.env['SEALING_KEYS']);
  const seller = await retryOnFailure(() => Seller.login(system.api, store));
  await under.subscribe(seller);
  await database.query(`INSERT INTO point_policy VALUES ($1, false, 0, 0, true, 100, false, 0, 0, 1, 10000, false, 365, now(), now())`, [
    store.storeId,
  ]);
  const { productId } = (await answered(() => seller.call('GET', '/v1/products'))).body.data.items[0] as { productId: string };
  const buyer = await Buyer.join(system.api, 'earning');
  const { checkoutId } = (await answered(() => buyer.checkout(productId))).body.data as { checkoutId: string };
  const { paymentId, payUrl } = (await answered(() => buyer.start(checkoutId, { returnUrl: 'https://shop.example.com/done' }))).body
    .data as Record<'paymentId' | 'payUrl', string>;
  await pay(payUrl).catch(() => null);
  const statusOf = async () => (await buyer.status(paymentId).catch(() => null))?.body.data;
  const orderId = await until('the order', async () => ((await statusOf())?.orderId ?? null) as string | null, 90_000);
  promised.orders.set(paymentId, orderId);
  const order = (await answered(() => seller.call('GET', `/v1/orders/${orderId}`))).body.data;
  const { orderItemId } = order.items[0] as { orderItemId: string };
  const act = (action: string, body: object) =>
    answered(() =>
      seller.call('POST', `/v1/order-items/${orderItemId}/${action}`, body, { 'idempotency-key': `${orderItemId}-${action}` }),
    );
  await act('confirm', {});
  await act('dispatch', { deliveryMethod: 'DIRECT' });
  await act('delivered', {});
  const files = ['before', 'after'].map((when) => join(armed, `transition.${when}-commit@${orderItemId}.decide`));
  for (const file of files) writeFileSync(file, '');
  const path = `/storefront/v1/me/order-items/${orderItemId}/decide`;
  await answered(() => buyer.call('POST', path, {}, { 'idempotency-key': `${orderItemId}-decide` }));
  await until('every kill', () => Promise.resolve(files.every((file) => !existsSync(file))), 90_000);
  await until(
    'the decision',
    async () => (await answered(() => seller.call('GET', `/v1/order-items/${orderItemId}`))).body.data.status === 'PURCHASE_DECIDED',
    90_000,
  );
  promised.items.set(orderItemId, 'DISPATCHED');
  const advance = atMostEvery(1500, () => seller.call('POST', '/v1/sandbox/clock', { advance: 'PT3H' }).catch(() => null));
  await until(
    'every delivery',
    async () => {
      await advance();
      const { rows } = await database.query(`SELECT 1 FROM webhook_delivery WHERE store_id = $1 AND status <> 'SUCCESS'`, [store.storeId]);
      return rows.length === 0;
    },
    90_000,
  );
  const { rows } = await database.query<{ amount: number }>(
    `SELECT amount_won::int AS amount FROM point_history WHERE order_item_id = $1 AND type = 'EARN_PURCHASE'`,
    [orderItemId],
  );
  return rows.map(({ amount }) => amount);
}
