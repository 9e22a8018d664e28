/** The order of locks of claims: item, order, stock. */
import { expect, test } from '@jest/globals';
import { Client } from 'pg';
import { underTest, untilBlockedBy, world } from '../../kernel/world.ts';

test('a claim that waits for its order holds no stock, which a cancel of another item of the order may want', async () => {
  const shop = await world();
  const member = await shop.member();
  const { variantId, productId } = await shop.product();
  const { orderId, orderItemId } = await shop.order({ productId }, 2, member);
  await shop.act(orderItemId, 'confirm');
  const { claimId } = (
    await member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, { type: 'CANCEL', reason: 'OTHER', quantity: 1 })
  ).body.data as { claimId: string };
  const other = new Client({ connectionString: underTest.databaseUrl });
  await other.connect();
  try {
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM orders WHERE order_id = $1 FOR UPDATE', [orderId]);
    const approved = shop.seller.call('POST', `/v1/claims/${claimId}/approve`, {});
    await untilBlockedBy(rows[0]!.pid);
    expect((await other.query('SELECT 1 FROM variant WHERE variant_id = $1 FOR UPDATE NOWAIT', [variantId])).rowCount).toBe(1);
    await other.query('COMMIT');
    expect((await approved).body.data).toMatchObject({ quantity: 1, refundAmount: 10_000 });
  } finally {
    await other.end();
  }
});
