/** Any sequence of what may happen to a member's points, carried out by the ledger and by a second model that knows single points. */
import fc from 'fast-check';
import { type RecordedEntry } from '../../../domain/points/check.ts';
import { type Account, type Entry, expireDue, grant, type Movement, release, revoke, spend } from '../../../domain/points/ledger.ts';

/** Makes a lot that lives `days`. */
export interface Granting {
  readonly do: 'earn' | 'reward' | 'restore';
  readonly won: number;
  readonly days: number;
}
interface Spending {
  readonly do: 'reserve' | 'deduct';
  readonly won: number;
}
/** `which` chooses among the reservations, or the rewards, that there are. */
export interface Ending {
  readonly do: 'release' | 'use' | 'revoke';
  readonly which: number;
}
/** Times are days. */
export type Step = Granting | Spending | Ending | { readonly do: 'expire'; readonly days: number };

export const TYPES = { earn: 'EARN_PURCHASE', reward: 'EARN_REVIEW', restore: 'REFUND_RESTORE' } as const;

const won = fc.integer({ min: 0, max: 9 });
const which = fc.nat(5);
export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom('earn' as const, 'reward' as const, 'restore' as const), won, days: fc.integer({ min: 0, max: 12 }) }),
    fc.record({ do: fc.constantFrom('reserve' as const, 'deduct' as const), won }),
    fc.record({ do: fc.constantFrom('release' as const, 'use' as const, 'revoke' as const), which }),
    fc.record({ do: fc.constant('expire' as const), days: fc.integer({ min: 0, max: 7 }) }),
  ),
  { maxLength: 40 },
);

interface Reserved {
  readonly reference: string;
  readonly movements: readonly Movement[];
}
interface Reward {
  readonly lotId: string;
  readonly amountWon: number;
  readonly reference: string;
}

/** The ledger as the database stores it. */
export class Ledger {
  account: Account = { at: 0, balanceWon: 0, seq: 0, lots: [], written: [] };
  readonly entries: Entry[] = [];
  readonly reserved: Reserved[] = [];
  readonly rewards: Reward[] = [];
  #made = 0;

  get recorded(): readonly RecordedEntry[] {
    return this.entries;
  }
  get expiredOf(): (lotId: string) => number {
    const expired = this.entries.filter(({ type }) => type === 'EXPIRE').flatMap(({ movements }) => movements);
    return (lotId) => -expired.filter((one) => one.lotId === lotId).reduce((sum, { amountWon }) => sum + amountWon, 0);
  }

  /** One operation: what is due expires first. Returns whether it was carried out. */
  run(step: Step): boolean {
    if (step.do === 'expire') this.account = { ...this.account, at: this.account.at + step.days };
    const account = expireDue(this.account);
    const done = this.#done(account, step);
    this.account = { ...(done ?? account), written: [] };
    this.entries.push(...(done ?? account).written);
    return done !== null;
  }

  #done(account: Account, step: Step): Account | null {
    if ('which' in step) return this.#end(account, step);
    if (step.do === 'expire') return account;
    const reference = `${step.do}/${this.#made++}`;
    return 'days' in step ? this.#grant(account, step, reference) : this.#spend(account, step, reference);
  }
  #grant(account: Account, step: Granting, reference: string): Account {
    const lotId = `lot-${this.#made}`;
    if (step.do === 'reward' && step.won > 0) this.rewards.push({ lotId, amountWon: step.won, reference });
    return grant(account, { lotId, type: TYPES[step.do], amountWon: step.won, expiresAt: account.at + step.days, reference });
  }
  #spend(account: Account, step: Spending, reference: string): Account | null {
    if (step.do === 'deduct') return spend(account, { type: 'ADJUST', amountWon: step.won, reference: null });
    const after = spend(account, { type: 'USE_RESERVE', amountWon: step.won, reference });
    if (after && step.won > 0) this.reserved.push({ reference, movements: after.written.at(-1)!.movements });
    return after;
  }
  #end(account: Account, step: Ending): Account {
    if (step.do === 'revoke') {
      const reward = taken(this.rewards, step.which);
      return reward ? revoke(account, { ...reward, expiredWon: this.expiredOf(reward.lotId) }, reward.reference) : account;
    }
    const held = taken(this.reserved, step.which);
    return held && step.do === 'release' ? release(account, held.movements, held.reference) : account;
  }
}
/** Removes one, as `which` chooses. */
function taken<T>(list: T[], chosen: number): T | undefined {
  return list.length === 0 ? undefined : list.splice(chosen % list.length, 1)[0];
}

interface Point {
  readonly lot: number;
  readonly madeAt: number;
  readonly diesAt: number;
  is: 'FREE' | 'HELD' | 'GONE' | 'EXPIRED';
}
/** The second model: each point is one of its own. */
export class Points {
  readonly points: Point[] = [];
  at = 0;
  readonly #reserved: Point[][] = [];
  readonly #rewards: Point[][] = [];
  #lots = 0;

  get spendable(): number {
    return this.#free().length;
  }
  /** What has expired of all lots. */
  get expired(): number {
    return this.points.filter(({ is }) => is === 'EXPIRED').length;
  }

  run(step: Step): boolean {
    if (step.do === 'expire') this.at += step.days;
    for (const point of this.points) if (point.is === 'FREE' && point.diesAt <= this.at) point.is = 'EXPIRED';
    if ('which' in step) this.#end(step);
    else if (step.do !== 'expire') return 'days' in step ? this.#grant(step) : this.#spend(step);
    return true;
  }

  #grant(step: Granting): boolean {
    const lot = this.#lots++;
    const made = Array.from({ length: step.won }, (): Point => ({ lot, madeAt: this.at, diesAt: this.at + step.days, is: 'FREE' }));
    this.points.push(...made);
    if (step.do === 'reward' && step.won > 0) this.#rewards.push(made);
    return true;
  }
  #spend(step: Spending): boolean {
    const free = this.#free();
    if (free.length < step.won) return false;
    const spent = free.slice(0, step.won);
    for (const point of spent) point.is = step.do === 'reserve' ? 'HELD' : 'GONE';
    if (step.do === 'reserve' && step.won > 0) this.#reserved.push(spent);
    return true;
  }
  #end(step: Ending): void {
    if (step.do === 'revoke') this.#revoke(taken(this.#rewards, step.which) ?? []);
    else for (const point of taken(this.#reserved, step.which) ?? []) point.is = step.do === 'use' ? 'GONE' : 'FREE';
  }
  #revoke(reward: readonly Point[]): void {
    const wanted = reward.filter(({ is }) => is !== 'EXPIRED').length;
    const own = this.#free().filter((point) => reward.includes(point));
    const others = this.#free().filter((point) => !reward.includes(point));
    for (const point of [...own, ...others].slice(0, wanted)) point.is = 'GONE';
  }

  /** What may be spent, in its order. */
  #free(): Point[] {
    return this.points
      .filter(({ is, diesAt }) => is === 'FREE' && diesAt > this.at)
      .toSorted((a, b) => a.diesAt - b.diesAt || a.madeAt - b.madeAt || a.lot - b.lot);
  }
}
