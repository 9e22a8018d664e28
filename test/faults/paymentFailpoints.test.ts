/** Kills a worker at each step of what moves money: approvals of payments, refunds, claims, points. Each happens exactly once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../../bin/dev/client.ts';
import { type ProviderName, PROVIDERS } from '../../domain/payments/providers.ts';
import { answered, ClaimKills } from './claimKills.ts';
import { Killing, until } from './killing.ts';
import { earnedAfterKills } from './pointKills.ts';

let kills: Killing;
let claims: ClaimKills;
beforeAll(async () => {
  kills = await Killing.open();
  claims = await ClaimKills.start(kills.under, kills.armed, kills.promised);
}, 120_000);
afterAll(() => kills?.close(), 60_000);

interface Booked {
  readonly orderId: string;
  readonly status: string;
  readonly cancels: readonly object[];
  readonly confirmKeys: readonly string[];
}
/** The attempt of a payment, and what its provider has on record. */
async function booked(paymentId: string): Promise<{ attemptId: string; charges: Booked[] }> {
  const { rows } = await kills.database.query<{ attempt_id: string; pg_order_id: string }>(
    'SELECT attempt_id, pg_order_id FROM payment_attempt WHERE payment_id = $1',
    [paymentId],
  );
  const { attempt_id: attemptId, pg_order_id: orderId } = rows[0]!;
  const ledger = (await call(kills.under.system.simulator, 'GET', '/__sim/payments')).body as unknown as Booked[];
  return { attemptId, charges: ledger.filter((one) => one.orderId === orderId) };
}
/**
 * `npm run faults` kills at every point, at both providers; a test run where PortOne differs from TossPayments, which every failpoint has.
 */
const ALL_KILLS = process.env['PAYMENT_KILLS'] === 'all';
/** The worker is killed when the approval is planned, or after the provider's answer to it. */
async function approvedAfterKills(pg: ProviderName, card: string) {
  const payment = await kills.started(pg);
  const { paymentId } = payment;
  const { attemptId } = await booked(paymentId);
  const [planned, answer] = [`transition.after-commit@${paymentId}.pay`, `provider.after-answer@${attemptId}`];
  const outcomes = ['before', 'after'].map((when) => `transition.${when}-commit@${paymentId}.outcome`);
  const killed = kills.arm(ALL_KILLS ? [planned, answer, ...outcomes] : [card.endsWith('0070') ? planned : answer]);
  const { orderId } = await kills.paid(payment, card);
  await killed();
  const { charges } = await booked(paymentId);
  expect(charges.map(({ status }) => status)).toEqual([pg === 'portone' ? 'PAID' : 'DONE']);
  const orders = await kills.count('FROM orders WHERE payment_id = $1 AND order_id = $2', [paymentId, orderId]);
  return { charges: charges.length, orders, keys: new Set(charges[0]!.confirmKeys).size };
}

/** The worker is killed after the provider's answer to a cancel that it carries out later; how many cancels the provider has. */
async function refundedAfterKill(pg: ProviderName): Promise<number> {
  const payment = await kills.started(pg);
  const { orderItemId } = await kills.paid(payment, '4111111111110041');
  const { attemptId } = await booked(payment.paymentId);
  const killed = kills.arm([`provider.after-answer@${attemptId}`]);
  const key = { 'idempotency-key': `${orderItemId}-cancel` };
  const canceled = await answered(() => kills.under.seller.call('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OTHER' }, key));
  expect(canceled.status).toBe(200);
  kills.promised.canceled.set(orderItemId, 1);
  await killed();
  await until(
    'the refund',
    async () => (await kills.count(`FROM refund WHERE payment_id = $1 AND status = 'DONE'`, [payment.paymentId])) === 1,
  );
  return (await booked(payment.paymentId)).charges.reduce((sum, { cancels }) => sum + cancels.length, 0);
}

describe('killed', () => {
  describe('between our commit and a provider’s answer', () => {
    test('of an approval: it is charged once, at both providers and by a channel that approves by itself', async () => {
      const kinds = [
        ...(ALL_KILLS ? [['tosspayments', '0000', 1] as const] : []),
        ['portone', '0000', 1] as const,
        ['portone', '0070', 0] as const,
      ];
      await kills.quiet();
      // One after the other: a kill interrupts the others too.
      for (const [pg, card, keys] of kinds)
        expect([pg, card, await approvedAfterKills(pg, `411111111111${card}`)]).toEqual([pg, card, { charges: 1, orders: 1, keys }]);
    }, 300_000);
    test('of a refund that is carried out later: it is made once, at both providers', async () => {
      await kills.quiet();
      for (const pg of ALL_KILLS ? PROVIDERS : (['portone'] as const)) expect([pg, await refundedAfterKill(pg)]).toEqual([pg, 1]);
    }, 300_000);
  });
  describe('every step of a claim', () => {
    test.each(['request.before-commit', 'request.after-commit'] as const)(
      '%s: a cancel is filed and completed at once, once',
      async (failpoint) => {
        const replies = await claims.filedAt(failpoint, 'CANCEL');
        expect(replies.map(({ status, body }) => [status, body.data?.status])).toEqual(replies.map(() => [201, 'COMPLETED']));
      },
      120_000,
    );
    test('the transitions of its run, and the refund that they bring', async () => {
      const replies = await claims.all();
      expect(replies.map(({ status, body }) => [status, body.error])).toEqual(replies.map(() => [200, null]));
    }, 400_000);
  });
  test('a decision: its purchase earns points once', async () => {
    await kills.quiet();
    expect(await earnedAfterKills(kills.under, kills.armed, kills.database, kills.promised)).toEqual([100]);
  }, 300_000);
  test('every one of them loses and repeats nothing', async () => {
    expect(await kills.violations()).toEqual([]);
  }, 120_000);
});
