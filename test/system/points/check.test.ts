/** The nightly check of points as its Schedule runs it: what disagrees raises the count that the alert PointsDisagree looks at. */
import { afterEach, expect, test } from '@jest/globals';
import { adjust, joined } from '../../kernel/points.ts';
import { support } from '../../kernel/support.ts';
import { query, temporalClient, underTest, until, world } from '../../kernel/world.ts';

const { origin: worker } = new URL(underTest.metrics.worker);
const counted = async (): Promise<number> => {
  const metrics = await (await fetch(`${worker}/metrics`)).text();
  return Number(/^sangjeom_point_differences_total (\d+)$/m.exec(metrics)![1]);
};
const check = async () => (await temporalClient()).schedule.getHandle('point-check').trigger();

let repair: () => Promise<unknown> = async () => null;
afterEach(() => repair());

test('an account that was tampered with is counted every night until it is mended', async () => {
  const shop = await world();
  const { customerId } = await joined(shop);
  await adjust(shop, customerId, { amount: 500, reason: 'r', expiresAt: '2030-01-01T00:00:00+09:00' });
  const add = (won: number) => query('UPDATE point_account SET balance_won = balance_won + $1 WHERE customer_id = $2', [won, customerId]);
  repair = () => add(-1);
  await add(1);
  for (let night = 0; night < 2; night++) {
    const before = await counted();
    await check();
    await until('the difference is counted', async () => (await counted()) > before);
  }
  expect(await support('points', customerId, '--json')).toMatchObject({
    differences: ['the account has 501; its entries add up to 500', 'the account has 501; 500 are left in its lots'],
  });
});
