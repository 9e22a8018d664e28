/** A provider that is down, refuses the keys or is slow while its buyers pay: no payment twice, none lost. */
import { describe, expect, test } from '@jest/globals';
import { pay } from '../../../bin/dev/client.ts';
import { query, until } from '../../kernel/world.ts';
import {
  type Begun,
  moneyProblems,
  optionOf,
  otherThan,
  PaidShop,
  pathOf,
  payOnce,
  type Provider,
  PROVIDERS,
  keysOf,
  refundsOf,
  SETTINGS,
  untilRefunded,
  verificationsBy,
} from './shop.ts';

/** More than the failures that open a circuit; `npm run stress` has twenty. */
const PAYMENTS = Number(process.env['OUTAGE_PAYMENTS'] ?? 6);
const begin = (shop: PaidShop, pg: Provider) => Promise.all(Array.from({ length: PAYMENTS }, () => shop.begin(pg)));
const idsOf = (begun: readonly Begun[]) => begun.map(({ paymentId }) => paymentId);
const resultOf = (url: URL) => url.searchParams.get('svcResult');
const statusesOf = async (paymentIds: readonly string[]) =>
  (await query<{ status: string }>('SELECT DISTINCT status FROM payment WHERE payment_id = ANY($1)', [paymentIds])).map(
    ({ status }) => status,
  );
/** Moves the end of the open circuit: a minute is long for a test, and short for a busy machine. */
const openFor = async ({ world: { store } }: PaidShop, interval: string) => {
  const moved = await query('UPDATE payment_circuit SET open_until = now() + $2::interval WHERE store_id = $1 RETURNING 1 AS ok', [
    store.storeId,
    interval,
  ]);
  expect(moved).toHaveLength(1);
};
const stockOf = async ({ productId }: PaidShop) =>
  (await query<{ n: number }>('SELECT stock_quantity AS n FROM variant WHERE product_id = $1', [productId]))[0]!.n;

describe.each(PROVIDERS)('%s under load', (pg) => {
  const other = otherThan(pg);

  test('is DOWN: its circuit opens, the other takes over; closed again by one reading', async () => {
    const shop = await PaidShop.open();
    const earlier = await shop.buy(pg);
    const begun = await begin(shop, pg);
    await shop.setState(pg, 'DOWN');
    const failing = begun.map(({ payUrl }) => payOnce(payUrl));
    const since = performance.now();
    await until('the circuit opens', async () => (await shop.exclusionOf(pg)) === 'CIRCUIT_OPEN', 30_000);
    const openedAfterMs = Math.round(performance.now() - since);
    await openFor(shop, '10 min');
    await Promise.all(failing);
    expect(await statusesOf(idsOf(begun))).toEqual(['processing']);

    const moved = await shop.begin(pg);
    expect(moved.option.pg).toBe(other);
    expect(resultOf(await pay(moved.payUrl))).toBe('COMPLETED');
    await shop.change('PUT', SETTINGS, { routing: 'PRIORITY_DISPLAY' });
    await openFor(shop, '50 s');
    const { reply } = await shop.start(pg);
    expect([reply.status, reply.body.error?.code]).toEqual([503, 'PAYMENT_PROVIDER_UNAVAILABLE']);
    const retryAfter = Number(reply.headers.get('retry-after'));
    expect(retryAfter > 0 && retryAfter <= 50).toBe(true);

    // It answers again, and what runs goes on although the circuit is open.
    await openFor(shop, '10 min');
    await shop.setState(pg, 'OK');
    await shop.resolve(idsOf(begun));
    expect(await statusesOf(idsOf(begun))).toEqual(['completed']);
    await shop.cancel(earlier.paymentId);
    await untilRefunded(earlier.paymentId);
    expect(await shop.exclusionOf(pg)).toBe('CIRCUIT_OPEN');

    // Its time is over while the provider is down: of five starts one reads, and the circuit stays open.
    await shop.setState(pg, 'DOWN');
    const before = await verificationsBy(pg, shop.merchant);
    await openFor(shop, '-1 s');
    const refused = await Promise.all(Array.from({ length: 5 }, () => shop.start(pg)));
    expect(refused.map((one) => one.reply.status)).toEqual([503, 503, 503, 503, 503]);
    expect(await verificationsBy(pg, shop.merchant)).toBe(before + 1);
    expect(await shop.exclusionOf(pg)).toBe('CIRCUIT_OPEN');

    // And while it is up: the next start reads, closes it, and is made there.
    await shop.setState(pg, 'OK');
    await openFor(shop, '-1 s');
    const trial = performance.now();
    const back = await shop.begin(pg);
    const closedAfterMs = Math.round(performance.now() - trial);
    expect([back.option.pg, await shop.exclusionOf(pg), await verificationsBy(pg, shop.merchant)]).toEqual([pg, null, before + 2]);
    expect(resultOf(await pay(back.payUrl))).toBe('COMPLETED');

    expect(await moneyProblems(idsOf([earlier, ...begun, moved, back]))).toEqual([]);
    // Beside these, three were bought, and one of them was canceled.
    expect(await stockOf(shop)).toBe(1000 - PAYMENTS - 2);
    expect([openedAfterMs < 15_000, closedAfterMs < 10_000]).toEqual([true, true]);
    if (process.env['PAYMENT_TIMES']) process.stderr.write(`${pg}: open after ${openedAfterMs} ms, closed after ${closedAfterMs} ms\n`);
  }, 180_000);

  test('refuses the keys: nothing is charged, the other takes over, a refund waits for other keys', async () => {
    const shop = await PaidShop.open();
    const earlier = await shop.buy(pg);
    const begun = await begin(shop, pg);
    await shop.setState(pg, 'REVOKED');
    await Promise.all(begun.map(({ payUrl }) => payOnce(payUrl)));
    for (const { buyer, paymentId } of begun) {
      const { status, lastFailure } = (await buyer.status(paymentId)).body.data;
      expect([status, lastFailure]).toMatchObject(['pending', { category: 'CONFIGURATION', optionUnavailable: true }]);
    }
    expect(await moneyProblems(idsOf(begun))).toEqual([]);
    expect([await shop.exclusionOf(pg), await stockOf(shop)]).toEqual(['CREDENTIALS_REJECTED', 999]);

    await shop.cancel(earlier.paymentId);
    const isBlocked = () => query(`SELECT 1 FROM payment WHERE payment_id = $1 AND call ->> 'isBlocked' = 'true'`, [earlier.paymentId]);
    await until('the refund waits', async () => (await isBlocked()).length === 1, 30_000);
    expect(await refundsOf(earlier.paymentId)).toEqual([{ status: 'PENDING' }]);
    await Promise.all(
      begun.map(async ({ buyer, paymentId }) => {
        const again = await buyer.call('POST', `/storefront/v1/payments/${paymentId}/attempts`, { option: optionOf(pg) });
        const { option, payUrl } = again.body.data as Begun;
        expect(option.pg).toBe(other);
        await payOnce(payUrl);
      }),
    );
    await shop.resolve(idsOf(begun));
    expect(await statusesOf(idsOf(begun))).toEqual(['completed']);

    await shop.change('PUT', pathOf(pg), keysOf(pg, `${shop.merchant}v2`));
    await shop.change('POST', `${pathOf(pg)}/verify`);
    await untilRefunded(earlier.paymentId);
    const back = await shop.buy(pg);
    expect(back.option.pg).toBe(pg);
    expect(await moneyProblems(idsOf([earlier, ...begun, back]))).toEqual([]);
  }, 180_000);

  test('is SLOW: every payment is approved once, and its circuit stays closed', async () => {
    const shop = await PaidShop.open();
    const begun = await begin(shop, pg);
    await shop.setState(pg, 'SLOW');
    await Promise.all(begun.map(({ payUrl }) => payOnce(payUrl)));
    await shop.resolve(idsOf(begun));
    expect(await statusesOf(idsOf(begun))).toEqual(['completed']);
    expect(await shop.exclusionOf(pg)).toBeNull();
    const next = await shop.begin(pg);
    expect(next.option.pg).toBe(pg);
    expect(await moneyProblems(idsOf(begun))).toEqual([]);
  }, 180_000);
});
