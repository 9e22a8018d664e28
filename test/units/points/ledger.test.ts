/** The ledger of points by numbers that were added up by hand. */
import { expect, test } from '@jest/globals';
import { type Account, expireDue, grant, release, revoke, spend, spendableWon } from '../../../domain/points/ledger.ts';

const EMPTY: Account = { at: 0, balanceWon: 0, seq: 0, lots: [], written: [] };
const earned = (account: Account, lotId: string, amountWon: number, expiresAt: number, reference: string | null = null): Account =>
  grant(account, { lotId, type: 'EARN_PURCHASE', amountWon, expiresAt, reference });
const later = (account: Account, at: number): Account => expireDue({ ...account, at, written: [] });
const reserve = (account: Account, amountWon: number) => spend(account, { type: 'USE_RESERVE', amountWon, reference: 'pay/1' });
const left = ({ lots }: Account) => Object.fromEntries(lots.map(({ lotId, remainingWon }) => [lotId, remainingWon]));
const lines = ({ written }: Account) => written.map(({ type, amountWon, balanceWon }) => [type, amountWon, balanceWon]);
/** 500 until 50, 1,000 until 100, 300 until 70. */
const THREE = earned(earned(earned(EMPTY, 'b', 1000, 100), 'a', 500, 50), 'c', 300, 70);

test('the earliest expiry is spent first, then the older lot', () => {
  const spent = reserve(THREE, 700)!;
  expect(left(spent)).toEqual({ a: 0, b: 1000, c: 100 });
  expect(spent.written.at(-1)!.movements).toEqual([
    { lotId: 'a', amountWon: -500 },
    { lotId: 'c', amountWon: -200 },
  ]);
  const sameDay = earned({ ...earned(EMPTY, 'old', 10, 100), at: 5 }, 'new', 10, 100);
  expect(left(reserve(sameDay, 15)!)).toEqual({ old: 0, new: 5 });
});

test('an entry for each operation, with the running balance; nothing where nothing moves', () => {
  expect(lines(reserve(THREE, 700)!)).toEqual([
    ['EARN_PURCHASE', 1000, 1000],
    ['EARN_PURCHASE', 500, 1500],
    ['EARN_PURCHASE', 300, 1800],
    ['USE_RESERVE', -700, 1100],
  ]);
  expect(reserve(THREE, 0)).toBe(THREE);
  expect(earned(THREE, 'd', 0, 100)).toBe(THREE);
});

test('all or nothing', () => {
  expect(reserve(THREE, 1801)).toBeNull();
  expect(spendableWon(reserve(THREE, 1800)!)).toBe(0);
});

test('a lot is dead from its expiry on, and expires once, each in the order of spending (N6)', () => {
  expect([spendableWon({ ...THREE, at: 49 }), spendableWon({ ...THREE, at: 50 })]).toEqual([1800, 1300]);
  const expired = later(THREE, 70);
  expect(lines(expired)).toEqual([
    ['EXPIRE', -500, 1300],
    ['EXPIRE', -300, 1000],
  ]);
  expect(expired.written.map(({ expiresAt, reference }) => [expiresAt, reference])).toEqual([
    [50, 'a/0'],
    [70, 'c/0'],
  ]);
  expect(later(expired, 99).written).toEqual([]);
});

test('what is reserved does not expire before it comes back, and then it does', () => {
  const reserved = reserve(THREE, 700)!;
  const { movements } = reserved.written.at(-1)!;
  const dead = later(reserved, 60);
  expect(lines(dead)).toEqual([]);
  const back = release(dead, movements, 'pay/1');
  expect([left(back), lines(back), spendableWon(back)]).toEqual([{ a: 500, b: 1000, c: 300 }, [['USE_RELEASE', 700, 1800]], 1300]);
  const next = later(back, 61);
  expect([lines(next), next.written[0]!.reference]).toEqual([[['EXPIRE', -500, 1300]], 'a/1']);
  // The part that was not reserved expired before, by its own reference.
  const part = reserve(later(THREE, 1), 200)!;
  const halfDead = later(part, 50);
  const rest = later(release(halfDead, part.written.at(-1)!.movements, 'pay/1'), 51);
  expect([halfDead, rest].map(({ written }) => written.map(({ amountWon, reference }) => [amountWon, reference]))).toEqual([
    [[-300, 'a/0']],
    [[-200, 'a/1']],
  ]);
});

test('a reward is clawed back from its own lot first, less what of it has expired, down to 0', () => {
  const rewarded = grant(THREE, { lotId: 'r', type: 'EARN_REVIEW', amountWon: 400, expiresAt: 90, reference: 'rev' });
  const reward = { lotId: 'r', amountWon: 400, expiredWon: 0 };
  expect(left(revoke(rewarded, reward, 'rev'))).toEqual({ a: 500, b: 1000, c: 300, r: 0 });
  // 1,000 of 2,200 are spent: a and c whole, 200 of the reward; the rest of it comes from b.
  const spent = reserve(rewarded, 1000)!;
  expect(left(spent)).toEqual({ a: 0, b: 1000, c: 0, r: 200 });
  expect(left(revoke(spent, reward, 'rev'))).toEqual({ a: 0, b: 800, c: 0, r: 0 });
  // 200 of it expired by the way: 200 are left to take.
  const expired = later(spent, 90);
  expect(lines(expired)).toEqual([['EXPIRE', -200, 1000]]);
  expect(lines(revoke(expired, reward, 'rev')).at(-1)).toEqual(['REVOKE_REVIEW', -200, 800]);
  // The same where it expired before.
  const before = { ...expired, written: [] };
  expect(lines(revoke(before, { ...reward, expiredWon: 200 }, 'rev'))).toEqual([['REVOKE_REVIEW', -200, 800]]);
  const poor = reserve(rewarded, 2100)!;
  expect(spendableWon(revoke(poor, reward, 'rev'))).toBe(0);
  const empty = reserve(rewarded, 2200)!;
  expect(revoke(empty, reward, 'rev')).toBe(empty);
});
