import { beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Buyer, get, pay } from '../../../bin/dev/client.ts';
import { sharedApi } from '../../kernel/secondApi.ts';
import { query, repeated, underTest, until, world } from '../../kernel/world.ts';

/** Buyers at the same moment; more of them queue. */
const AT_ONCE = 100;
let apis: readonly string[];
beforeAll(async () => {
  apis = [underTest.api, await sharedApi()];
});

describe('two API processes', () => {
  // `npm run faults` has the full count of 20.
  const ROUNDS = Number(process.env['STOCK_ROUNDS'] ?? 2);
  const BUYERS = Number(process.env['STOCK_BUYERS'] ?? 24);
  const UNITS = Number(process.env['STOCK_UNITS'] ?? 8);
  test.each(Array.from({ length: ROUNDS }, (_, i) => i + 1))(
    `${BUYERS} buyers, stock ${UNITS}: exactly ${UNITS} orders (round %i)`,
    async () => {
      const shop = await world();
      const { productId, variantId } = await shop.product({ stockQuantity: UNITS });
      const buy = async (i: number): Promise<string> => {
        // 503 asks a client to come again.
        const request = <T>(what: string, work: () => Promise<T & { status: number }>) =>
          until(what, async () => {
            const reply = await work();
            return reply.status !== 503 && reply;
          });
        const buyer = await until('a session', () => Buyer.arrive(apis[i % 2]!, shop.store.storeCode).catch(() => null));
        const opened = await request('a checkout', () => buyer.checkout(productId));
        if (opened.status !== 201) return opened.body.error!.code;
        for (let tries = 0; ; tries++) {
          const started = await request('a payment', () => buyer.start(opened.body.data.checkoutId as string));
          const code = started.body.error?.code;
          // Paid after all: the answer to the return was late, not the payment.
          if (code === 'ALREADY_PAID') return 'COMPLETED';
          if (code === 'PAYMENT_IN_PROGRESS' && tries < 20) {
            await sleep(500);
            continue;
          }
          if (started.status !== 200) return code!;
          const end = await pay(started.body.data.payUrl as string);
          // None: the page that waits for the payment.
          const result = end.searchParams.get('svcResult') ?? 'PENDING';
          // A return that a crowd held up for too long was never carried out: the buyer pays again.
          if (result !== 'PENDING' || tries > 20) return result;
        }
      };
      let next = 0;
      const ends: string[] = [];
      const line = async () => {
        while (next < BUYERS) ends.push(await buy(next++));
      };
      await Promise.all(Array.from({ length: Math.min(BUYERS, AT_ONCE) }, line));
      expect(ends.filter((end) => end === 'COMPLETED')).toHaveLength(UNITS);
      expect(ends.filter((end) => !['COMPLETED', 'FAILED', 'OUT_OF_STOCK', 'CHECKOUT_STALE'].includes(end))).toEqual([]);
      expect(await query('SELECT count(*)::int AS n FROM orders WHERE store_id = $1', [shop.store.storeId])).toEqual([{ n: UNITS }]);
      const emptied = `SELECT count(*)::int AS n FROM event WHERE store_id = $1 AND type = 'PRODUCT.OUT_OF_STOCK'`;
      expect(await query(emptied, [shop.store.storeId])).toEqual([{ n: 1 }]);
      const [stock] = await query(
        `SELECT stock_quantity AS n, (SELECT sum(quantity)::int FROM stock_movement m WHERE m.variant_id = v.variant_id) AS moved
         FROM variant v WHERE variant_id = $1`,
        [variantId],
      );
      expect(stock).toEqual({ n: 0, moved: 0 });
    },
    30_000 + BUYERS * 1000,
  );

  test('100 parallel payment starts on one checkout make one order', async () => {
    const shop = await world();
    const { productId } = await shop.product();
    const buyer = await shop.buyer();
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    const other = new Buyer(apis[1]!, buyer.headers);
    const started = await Promise.all(
      Array.from({ length: 100 }, (_, i) => repeated((headers) => (i % 2 ? buyer : other).start(checkoutId, {}, headers))),
    );
    const answered = started.filter(({ status }) => status === 200);
    expect(started.filter(({ status }) => status !== 200 && status !== 503).map(({ body }) => body.error?.code)).toEqual([]);
    expect(new Set(answered.map(({ body }) => body.data.paymentId as string)).size).toBe(1);
    const screen = (url: string) =>
      until('the screen is shown', async () => {
        const shown = await get(url);
        return shown.status < 400 && shown;
      });
    // All are opened before one is paid: while a payment is processed, every screen of it says so.
    const opened = await Promise.all(
      answered.map(async ({ body }) => ({
        url: body.data.payUrl as string,
        isSuperseded: (await screen(body.data.payUrl as string)).location !== null,
      })),
    );
    const payable = opened.filter(({ isSuperseded }) => !isSuperseded);
    expect(payable).toHaveLength(1);
    await pay(payable[0]!.url);
    expect(await query('SELECT count(*)::int AS n FROM orders WHERE checkout_id = $1', [checkoutId])).toEqual([{ n: 1 }]);
    expect((await buyer.start(checkoutId)).body.error?.code).toBe('ALREADY_PAID');
  });

  test('twenty returns of one buyer at once make one order', async () => {
    const shop = await world();
    const { payUrl, paymentId } = await shop.payment();
    const submit = await get(payUrl);
    const { formOf } = await import('../../../bin/dev/client.ts');
    const form = formOf(submit.text, 'pay')!;
    const filled = new URLSearchParams({ ...form.fields, card: '4111111111110000', outcome: 'pay' });
    const { location } = await get(`${underTest.simulator}/window/toss/submit?${filled.toString()}`);
    // A busy machine may not say in time how it ends: the buyer, or the shop, asks again.
    const ended = () =>
      until('an end', async () => {
        const result = (await get(location!.href)).location?.searchParams.get('svcResult');
        return result !== 'PENDING' && result;
      });
    expect(new Set(await Promise.all(Array.from({ length: 20 }, ended)))).toEqual(new Set(['COMPLETED']));
    expect(await query('SELECT count(*)::int AS n FROM orders WHERE payment_id = $1', [paymentId])).toEqual([{ n: 1 }]);
  });
});
