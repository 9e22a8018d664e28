/**
 * Whatever happens to a member's points, in whatever order: balance = sum of lots = running balance ≥ 0, nothing expires twice, and a
 * second model of single points agrees. POINT_SEQUENCES=20000 for the full count; a failure is shrunk and prints its seed.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { differencesIn } from '../../../domain/points/check.ts';
import { type Account, type Entry, expireDue, spendableWon } from '../../../domain/points/ledger.ts';
import { Ledger, Points, steps } from './sequences.ts';

const numRuns = Number(process.env['POINT_SEQUENCES'] ?? 300);

test('the books agree after every operation', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      const [ledger, points] = [new Ledger(), new Points()];
      for (const step of sequence) {
        expect([step, ledger.run(step)]).toEqual([step, points.run(step)]);
        const { account, entries } = ledger;
        expect(differencesIn(account.balanceWon, entries, account.lots)).toEqual([]);
        expect(account.lots.every(({ remainingWon, amountWon }) => remainingWon >= 0 && remainingWon <= amountWon)).toBe(true);
        expect(spendableWon(account)).toBe(points.spendable);
      }
      const expired = ledger.entries.filter(({ type }) => type === 'EXPIRE');
      expect(expired.reduce((sum, { amountWon }) => sum - amountWon, 0)).toBe(points.expired);
      const references = ledger.entries.flatMap(({ type, reference }) => (reference === null ? [] : [`${type} ${reference}`]));
      expect(new Set(references).size).toBe(references.length);
    }),
    { numRuns },
  );
});

test('time that passes in one step or in many ends with the same ledger', () => {
  const passed = (account: Account, days: readonly number[]): readonly Entry[] =>
    days.reduce((now, day) => expireDue({ ...now, at: now.at + day }), account).written;
  const shown = (entries: readonly Entry[]) => entries.map((entry) => ({ ...entry, at: null }));
  fc.assert(
    fc.property(steps, (sequence) => {
      const ledger = new Ledger();
      for (const step of sequence) ledger.run(step);
      const days = Array.from({ length: 30 }, () => 1);
      expect(shown(passed(ledger.account, days))).toEqual(shown(passed(ledger.account, [30])));
    }),
    { numRuns },
  );
});

test('a ledger in which anything is wrong is reported', () => {
  const ledger = new Ledger();
  for (const step of [
    { do: 'earn', won: 9, days: 3 },
    { do: 'reserve', won: 4 },
    { do: 'deduct', won: 2 },
  ] as const)
    ledger.run(step);
  const { account, entries } = ledger;
  const [lot] = account.lots;
  const tampered = (i: number, changes: Partial<Entry>) => entries.map((entry, n) => (n === i ? { ...entry, ...changes } : entry));
  const wrong: readonly (readonly [number, readonly Entry[], Account['lots']])[] = [
    [account.balanceWon + 1, entries, account.lots],
    [account.balanceWon, entries.slice(1), account.lots],
    [account.balanceWon, tampered(1, { amountWon: -3 }), account.lots],
    [account.balanceWon, tampered(1, { balanceWon: 6 }), account.lots],
    [account.balanceWon, tampered(1, { movements: [] }), account.lots],
    [account.balanceWon, entries, [{ ...lot!, remainingWon: 4 }]],
    [account.balanceWon, entries, []],
  ];
  for (const [balanceWon, of, lots] of wrong) expect(differencesIn(balanceWon, of, lots)).not.toEqual([]);
  expect(differencesIn(account.balanceWon, entries, account.lots)).toEqual([]);
});
