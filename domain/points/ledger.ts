/**
 * The ledger of a member's points, in pure arithmetic: a balance is what remains in lots, every entry moves some of it, and lots are spent
 * by their expiry, then by their age. Won; business times in milliseconds.
 */
import type { EntryType, GrantType } from './entries.ts';

export interface Lot {
  readonly lotId: string;
  readonly type: GrantType;
  readonly amountWon: number;
  /** Neither spent nor reserved nor expired. */
  readonly remainingWon: number;
  readonly earnedAt: number;
  readonly expiresAt: number;
  /** The number of the entry that made it. */
  readonly seq: number;
  /** How often points came back into it: what came back into a dead lot expires by itself (N27). */
  readonly refills: number;
}
/** What an entry adds to a lot, or takes from it. */
export interface Movement {
  readonly lotId: string;
  readonly amountWon: number;
}
export interface Entry {
  readonly seq: number;
  readonly type: EntryType;
  readonly amountWon: number;
  /** After it. */
  readonly balanceWon: number;
  readonly at: number;
  readonly movements: readonly Movement[];
  /** Of the lot that it makes or ends. */
  readonly expiresAt: number | null;
  /** What of its type happens once; null: any number. */
  readonly reference: string | null;
  readonly made: Lot | null;
}
/** A member's account at a time, and the entries that were written since it was read. */
export interface Account {
  readonly at: number;
  readonly balanceWon: number;
  /** The number of the last entry. */
  readonly seq: number;
  readonly lots: readonly Lot[];
  readonly written: readonly Entry[];
}

/** The order in which lots are spent, and in which they expire. */
const bySpending = (a: Lot, b: Lot): number => a.expiresAt - b.expiresAt || a.earnedAt - b.earnedAt || a.seq - b.seq;

/** A lot is dead from its expiry on. */
const isLive = ({ expiresAt }: Lot, at: number): boolean => expiresAt > at;
const sum = (movements: readonly Movement[]): number => movements.reduce((total, { amountWon }) => total + amountWon, 0);

/** What may be spent. */
export const spendableWon = ({ lots, at }: Account): number =>
  lots.reduce((total, lot) => total + (isLive(lot, at) ? lot.remainingWon : 0), 0);

interface Draft extends Pick<Entry, 'type' | 'movements'> {
  readonly expiresAt?: number;
  readonly reference: string | null;
  readonly made?: Lot;
}
function write(account: Account, draft: Draft): Account {
  const { type, movements, reference } = draft;
  const [expiresAt, made] = [draft.expiresAt ?? null, draft.made ?? null];
  const amountWon = sum(movements);
  const [seq, balanceWon] = [account.seq + 1, account.balanceWon + amountWon];
  const entry: Entry = { seq, type, amountWon, balanceWon, at: account.at, movements, expiresAt, reference, made };
  const moved = new Map(movements.map((movement) => [movement.lotId, movement.amountWon]));
  const lots = account.lots.map((lot) => {
    const won = moved.get(lot.lotId) ?? 0;
    return won === 0 ? lot : { ...lot, remainingWon: lot.remainingWon + won, refills: lot.refills + (won > 0 ? 1 : 0) };
  });
  return { ...account, seq, balanceWon, lots: made ? [...lots, made] : lots, written: [...account.written, entry] };
}

/** What came into a lot expires once, whatever runs at the same time. */
const expiryReference = ({ lotId, refills }: Lot): string => `${lotId}/${refills}`;

/** Writes an EXPIRE for each dead lot in which something is left (N12). */
export function expireDue(account: Account): Account {
  const due = account.lots.filter((lot) => lot.remainingWon > 0 && !isLive(lot, account.at)).toSorted(bySpending);
  return due.reduce((rest, lot) => {
    const movements = [{ lotId: lot.lotId, amountWon: -lot.remainingWon }];
    return write(rest, { type: 'EXPIRE', movements, expiresAt: lot.expiresAt, reference: expiryReference(lot) });
  }, account);
}

export interface Grant {
  readonly lotId: string;
  readonly type: GrantType;
  readonly amountWon: number;
  readonly expiresAt: number;
  readonly reference: string | null;
}
/** Makes a lot. An amount of 0 makes none. */
export function grant(account: Account, { lotId, type, amountWon, expiresAt, reference }: Grant): Account {
  if (amountWon === 0) return account;
  const made = { lotId, type, amountWon, remainingWon: amountWon, earnedAt: account.at, expiresAt, seq: account.seq + 1, refills: 0 };
  return write(account, { type, movements: [{ lotId, amountWon }], expiresAt, reference, made });
}

export interface Spending {
  readonly type: 'ADJUST' | 'REVOKE_REVIEW' | 'USE_RESERVE';
  readonly amountWon: number;
  readonly reference: string | null;
  /** Spent before all others. */
  readonly firstLotId?: string;
}
/** Takes the amount from lots in their order, all or nothing: null where less can be spent. An amount of 0 writes nothing. */
export function spend(account: Account, { type, amountWon, reference, firstLotId }: Spending): Account | null {
  if (amountWon === 0) return account;
  if (amountWon > spendableWon(account)) return null;
  const ordered = account.lots.filter((lot) => lot.remainingWon > 0 && isLive(lot, account.at)).toSorted(bySpending);
  const first = ordered.filter(({ lotId }) => lotId === firstLotId);
  const movements: Movement[] = [];
  let left = amountWon;
  for (const { lotId, remainingWon } of [...first, ...ordered.filter((lot) => !first.includes(lot))]) {
    const won = Math.min(left, remainingWon);
    if (won > 0) movements.push({ lotId, amountWon: -won });
    left -= won;
  }
  return write(account, { type, movements, reference });
}

/** Puts back what a reservation took, into the same lots with their own expiry. */
export function release(account: Account, reserved: readonly Movement[], reference: string): Account {
  if (reserved.length === 0) return account;
  const movements = reserved.map(({ lotId, amountWon }) => ({ lotId, amountWon: -amountWon }));
  return write(account, { type: 'USE_RELEASE', movements, reference });
}

export interface Reward {
  readonly lotId: string;
  readonly amountWon: number;
  /** What of its lot has expired. */
  readonly expiredWon: number;
}
/** Claws a reward back: less what of it has expired, at most what can be spent, from its own lot first (N21). */
export function revoke(account: Account, { lotId, amountWon, expiredWon }: Reward, reference: string): Account {
  const expiring = account.written.filter(({ type }) => type === 'EXPIRE').flatMap(({ movements }) => movements);
  const expiredNow = -sum(expiring.filter((movement) => movement.lotId === lotId));
  const wanted = Math.max(0, Math.min(amountWon - expiredWon - expiredNow, spendableWon(account)));
  return spend(account, { type: 'REVOKE_REVIEW', amountWon: wanted, reference, firstLotId: lotId })!;
}
