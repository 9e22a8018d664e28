/** Operators' commands about points: opening balances, and the ledger of a customer. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { root } from '../../../bin/kernel/paths.ts';
import { DAY, korean } from '../../../domain/kernel/time.ts';
import { adjust, entriesOf, joined, nowOf, pointsOf } from '../../kernel/points.ts';
import { support } from '../../kernel/support.ts';
import { query, underTest, world } from '../../kernel/world.ts';

async function open(
  code: string,
  lines: readonly unknown[],
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const child = spawn(process.execPath, [join(root, 'bin/ops/store.ts'), 'open-points', '--code', code], {
    env: { ...process.env, DATABASE_URL: underTest.databaseUrl },
  });
  child.stdin.end(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const [out, err, ended] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { code: ended, out, err };
}

test('opening balances are opened once for ever, and expire from the first policy on', async () => {
  const shop = await world();
  const [one, two] = [await joined(shop, 'Opening-One@example.com'.toLowerCase()), await joined(shop, 'opening-two@example.com')];
  const lines = [
    { email: 'OPENING-ONE@example.com', balance: 1200 },
    { email: 'opening-two@example.com', balance: 0 },
    { email: 'nobody@example.com', balance: 5 },
    '',
  ];
  const early = await open(shop.store.storeCode, lines);
  expect([early.code, early.err]).toEqual([1, expect.stringContaining('POINT_EXPIRY_REQUIRED')]);
  await shop.seller.call('PUT', '/v1/store/point-policy', { expiryDays: 100 });
  const day = korean((await nowOf(shop)) + 100 * DAY).slice(0, 10);
  await shop.advance('P10D');
  await shop.seller.call('PUT', '/v1/store/point-policy', { use: { unit: 10 } });
  for (const opened of [1, 0]) {
    const { code, out } = await open(shop.store.storeCode, lines);
    expect([code, JSON.parse(out)]).toEqual([0, { opened, skipped: 3 - opened }]);
  }
  expect(await pointsOf(shop, one.customerId)).toMatchObject({
    balance: 1200,
    lots: [{ type: 'OPENING', amount: 1200, expiresAt: `${day}T23:59:59+09:00` }],
  });
  expect(await entriesOf(shop, two.customerId)).toEqual([]);
  await shop.advance('P100D');
  expect(JSON.parse((await open(shop.store.storeCode, [{ email: 'opening-two@example.com', balance: 7 }])).out)).toEqual({
    opened: 0,
    skipped: 1,
  });
});

test('a line that is none opens nothing', async () => {
  const shop = await world();
  const { customerId } = await joined(shop, 'strict@example.com');
  await shop.seller.call('PUT', '/v1/store/point-policy', { expiryDays: 100 });
  for (const wrong of ['{', { email: 'strict@example.com' }, { email: 'strict@example.com', balance: -1 }, { email: 5, balance: 1 }]) {
    const { code, err } = await open(shop.store.storeCode, [{ email: 'strict@example.com', balance: 9 }, wrong]);
    expect([code, err]).toEqual([1, expect.stringContaining('Line 2')]);
  }
  expect(await entriesOf(shop, customerId)).toEqual([]);
  expect(await open('no-such-store', [])).toMatchObject({ code: 1, err: expect.stringContaining('no store') });
});

test('support shows a ledger without the seller’s words, and says whether it agrees', async () => {
  const shop = await world();
  const { customerId } = await joined(shop);
  await adjust(shop, customerId, { amount: 500, reason: '비밀 사유', expiresAt: korean((await nowOf(shop)) + 9 * DAY) });
  await adjust(shop, customerId, { amount: -200, reason: '회수' });
  const shown = String(await support('points', customerId));
  expect(shown).toContain(`${customerId} (${shop.store.storeCode}): 300 won in the ledger`);
  expect(shown).toMatch(/ADJUST {2}500 {2}→ 500\n.*ADJUST {2}-200 {2}→ 300/);
  expect(shown).toContain('Everything agrees.');
  expect(shown).not.toContain('비밀');
  expect(await support('points', customerId, '--json')).toMatchObject({
    customerId,
    balanceWon: 300,
    differences: [],
    lots: [{ remainingWon: 300 }],
  });
  await query('UPDATE point_lot SET remaining_won = 299 WHERE customer_id = $1', [customerId]);
  expect(String(await support('points', customerId))).toContain('It does NOT agree:');
  await query('UPDATE point_lot SET remaining_won = 300 WHERE customer_id = $1', [customerId]);
  await expect(support('points', 'cus_none')).rejects.toThrow('is no customer');
});
