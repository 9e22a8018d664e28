/** Whether a member's points agree with their own history: everything is added up anew. */
import type { Movement } from './ledger.ts';

export interface RecordedEntry {
  readonly seq: number;
  readonly amountWon: number;
  readonly balanceWon: number;
  readonly movements: readonly Movement[];
}
export interface RecordedLot {
  readonly lotId: string;
  readonly remainingWon: number;
}

/** What is wrong, in words; empty: nothing. `entries`: all of them, the oldest first. */
export function differencesIn(balanceWon: number, entries: readonly RecordedEntry[], lots: readonly RecordedLot[]): readonly string[] {
  const found: string[] = [];
  const inLots = new Map<string, number>();
  let running = 0;
  for (const [i, { seq, amountWon, balanceWon: written, movements }] of entries.entries()) {
    running += amountWon;
    const moved = movements.reduce((total, movement) => total + movement.amountWon, 0);
    for (const { lotId, amountWon: won } of movements) inLots.set(lotId, (inLots.get(lotId) ?? 0) + won);
    if (seq !== i + 1) found.push(`entry ${i + 1} is missing: ${seq} follows`);
    if (written !== running) found.push(`entry ${seq} has a balance of ${written}; added up it is ${running}`);
    if (moved !== amountWon) found.push(`entry ${seq} has an amount of ${amountWon}; its lots were moved by ${moved}`);
    if (running < 0) found.push(`the balance after entry ${seq} is below 0`);
  }
  for (const { lotId, remainingWon } of lots) {
    const won = inLots.get(lotId) ?? 0;
    if (won !== remainingWon) found.push(`${lotId} has ${remainingWon} left; what was moved in it leaves ${won}`);
  }
  const total = lots.reduce((sum, lot) => sum + lot.remainingWon, 0);
  if (balanceWon !== running) found.push(`the account has ${balanceWon}; its entries add up to ${running}`);
  if (balanceWon !== total) found.push(`the account has ${balanceWon}; ${total} are left in its lots`);
  return found;
}
