/** A cancel against a dispatch, a deadline and a refund that is under way: one of them wins, and the money says which. */
import { afterAll, expect, test } from '@jest/globals';
import { call } from '../../../bin/dev/client.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

/** `npm run faults` has the full count of 200. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 6);
const shops: World[] = [];
const shopOf = async () => {
  const shop = await world();
  shops.push(shop);
  return shop;
};
const cancel = (shop: World, id: string, quantity?: number) =>
  shop.act(id, 'cancel', { reason: 'OTHER', ...(quantity !== undefined && { quantity }) });
const refunds = (id: string) =>
  query<{ n: number; won: string | null }>('SELECT count(*)::int AS n, sum(amount_won) AS won FROM refund WHERE order_item_id = $1', [id]);

const contests: Readonly<Record<string, () => Promise<void>>> = {
  async dispatch() {
    const shop = await shopOf();
    const { orderItemId: id } = await shop.order();
    await shop.act(id, 'confirm');
    const [canceled, dispatched] = await Promise.all([cancel(shop, id), shop.act(id, 'dispatch', { deliveryMethod: 'NONE' })]);
    expect(new Set([canceled.status, dispatched.status])).toEqual(new Set([200, 409]));
    const { status } = await shop.item(id);
    expect(status).toBe(canceled.status === 200 ? 'CANCELED' : 'DISPATCHED');
    expect((await refunds(id))[0]!.n).toBe(canceled.status === 200 ? 1 : 0);
  },
  async deadline() {
    const shop = await shopOf();
    const { orderItemId: id } = await shop.order(await shop.product({ fulfillment: { type: 'MANUAL' } }));
    await shop.act(id, 'fulfill');
    const [canceled] = await Promise.all([cancel(shop, id), shop.advance('P8D')]);
    const { status } = await shop.item(id);
    expect([canceled.status, status]).toEqual(canceled.status === 200 ? [200, 'CANCELED'] : [409, 'PURCHASE_DECIDED']);
    expect((await refunds(id))[0]!.n).toBe(canceled.status === 200 ? 1 : 0);
  },
  async settlement() {
    const shop = await shopOf();
    const { orderItemId: id } = await shop.order(undefined, 3);
    const answers = [await cancel(shop, id, 1), ...(await Promise.all([cancel(shop, id, 1), cancel(shop, id, 1)]))];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await refunds(id)).toEqual([{ n: 3, won: '33000' }]);
  },
};

test.each(Object.keys(contests))(
  `a cancel and a %s, ${Math.ceil(ROUNDS / 3)} rounds`,
  async (name) => {
    const rounds = Math.ceil(ROUNDS / 3);
    for (let i = 0; i < rounds; i += 4) await Promise.all(Array.from({ length: Math.min(4, rounds - i) }, () => contests[name]!()));
  },
  600_000,
);

/** What was paid = what orders still say + what the provider paid back, entry by entry. */
afterAll(async () => {
  const ids = shops.map(({ store }) => store.storeId);
  await until(
    'all refunds are settled',
    async () => (await query(`SELECT 1 FROM refund WHERE store_id = ANY($1) AND status <> 'DONE'`, [ids])).length === 0,
  );
  const ledger = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as {
    paymentKey: string;
    cancels: { amount: number }[];
  }[];
  const paidBack = new Map(
    ledger.map(({ paymentKey, cancels }) => [paymentKey, cancels.map(({ amount }) => amount).toSorted((a, b) => a - b)]),
  );
  const expected = await query<{ payment_key: string; amounts: number[] | null }>(
    `SELECT a.payment_key, (SELECT array_agg(r.amount_won ORDER BY r.amount_won) FROM refund r WHERE r.payment_id = a.payment_id) AS amounts
     FROM payment_attempt a WHERE a.store_id = ANY($1) AND a.status = 'APPROVED'`,
    [ids],
  );
  for (const { payment_key: key, amounts } of expected) expect([key, paidBack.get(key)]).toEqual([key, amounts ?? []]);
  const stock = await query(
    `SELECT v.variant_id FROM variant v WHERE v.store_id = ANY($1) AND stock_quantity <> (SELECT sum(quantity) FROM stock_movement m
     WHERE m.variant_id = v.variant_id)`,
    [ids],
  );
  expect(stock).toEqual([]);
});
