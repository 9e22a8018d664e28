/**
 * Places for transitions: how many a process makes at a time, and whose turn it is. Payments go before what nobody waits for, stores take
 * turns, and a store whose runs use more than a tenth of the places for a minute has its turn after the others (F44). Nobody starves: now
 * and then the one that waits longest is next, whoever it is.
 */
import type { MonotonicClock } from '../../db/kernel/clock.ts';
import { Counts } from '../../db/kernel/counts.ts';
import { type Load, measuredLoad } from '../../db/kernel/load.ts';
import { RecentStores } from '../../db/kernel/recentStores.ts';

/** Fewer than the connections of the process (worker/main.ts), so that calls find one while all places are taken. */
export const PLACES = 16;
/** Of a store that is alone, so that a place is left for others while it waits for its own locks. */
const ALONE = 12;
/** Of a store while others have transitions too. */
const AMONG_OTHERS = 3;
/** Its longest pause after one of them that somebody waits for, and after any other, which pauses twice as long. */
const MAX_PAUSE_MS = { awaited: 100, timed: 250 } as const;
/** Others have transitions when they had one within so many milliseconds. */
const RECENT_MS = 1000;
/** Of a store that uses much: each that waits holds a slot of the worker. What is more is put off at once. */
const MANY_WAITING = 24;
/** Of the two seconds of a local activity: what is put off then goes on as an ordinary activity, which holds no slot between its tries. */
const WAIT_MS = 1000;
/** Every so many turns are the longest waiting one's. */
const OLDEST_EVERY = 8;

const SHARE = 0.1;
const WINDOW_MS = 60_000;
const SLICES = 12;

/** Others go first: the work was not begun, and is tried again later. */
export class DelayedTurn extends Error {}

export interface Turn {
  readonly storeId: string;
  /** As of tasks in Temporal: lower numbers first. */
  readonly priority: number;
  /** Whether somebody waits for what comes of it. */
  readonly isAwaited: boolean;
}
interface Waiter extends Turn {
  readonly begin: () => void;
}

export class Places {
  readonly #usage: Usage;
  readonly #clock: MonotonicClock;
  readonly #stores: RecentStores;
  readonly #waitMs: number;
  /** In the order of their arrival. */
  readonly #waiting: Waiter[] = [];
  readonly #taken = new Counts();
  #free = PLACES;
  #turns = 0;

  constructor(clock: MonotonicClock = performance, waitMs = WAIT_MS, load: Load = measuredLoad) {
    this.#clock = clock;
    this.#stores = new RecentStores(RECENT_MS, clock, load);
    this.#waitMs = waitMs;
    this.#usage = new Usage(clock.now());
  }

  /** Does the work when its turn comes. Throws a DelayedTurn, with nothing begun, when that is not soon. */
  async take<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    const { storeId } = turn;
    this.#stores.note(storeId);
    if (this.#waiting.length > 0 || !this.#mayStart(storeId)) await this.#wait(turn);
    else this.#occupy(storeId);
    const began = this.#clock.now();
    try {
      return await this.metered(storeId, work);
    } finally {
      this.#free++;
      const pauseMs = this.#pauseMs(turn, this.#clock.now() - began);
      if (pauseMs === 0) this.#taken.add(storeId, -1);
      else setTimeout(() => this.#resume(storeId), pauseMs).unref();
      this.#fill();
    }
  }
  #pauseMs({ storeId, isAwaited }: Turn, workedMs: number): number {
    const atOnce = this.#taken.of(storeId);
    return isAwaited
      ? this.#stores.pauseMs(workedMs, atOnce, MAX_PAUSE_MS.awaited)
      : this.#stores.pauseMs(workedMs, 2 * atOnce, MAX_PAUSE_MS.timed);
  }
  /** After its pause. */
  #resume(storeId: string): void {
    this.#taken.add(storeId, -1);
    this.#fill();
  }

  /** Does work of a store that needs no place, and counts its time as the store's. */
  async metered<T>(storeId: string, work: () => Promise<T>): Promise<T> {
    const began = this.#clock.now();
    try {
      return await work();
    } finally {
      const now = this.#clock.now();
      this.#usage.add(storeId, now - began, now);
    }
  }

  /** Whether it used more than a tenth of the places in the last minute. */
  usesMuch(storeId: string): boolean {
    return this.#usage.of(storeId, this.#clock.now()) > SHARE * PLACES * WINDOW_MS;
  }

  #mayStart(storeId: string): boolean {
    return this.#free > 0 && this.#taken.of(storeId) < (this.#stores.areMany ? AMONG_OTHERS : ALONE);
  }
  #occupy(storeId: string): void {
    this.#free--;
    this.#taken.add(storeId, 1);
  }

  #wait(turn: Turn): Promise<void> {
    const { storeId } = turn;
    const own = this.#waiting.filter((waiter) => waiter.storeId === storeId).length;
    if (own >= MANY_WAITING && this.usesMuch(storeId)) throw new DelayedTurn();
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(new DelayedTurn());
      }, this.#waitMs).unref();
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const waiter = { ...turn, begin };
      this.#waiting.push(waiter);
      this.#fill();
    });
  }

  /** Gives free places to those whose turn it is. */
  #fill(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#occupy(next.storeId);
      next.begin();
    }
  }
  #next(): Waiter | undefined {
    const ready = this.#waiting.filter(({ storeId }) => this.#mayStart(storeId));
    if (ready.length === 0) return undefined;
    this.#turns++;
    if (this.#turns % OLDEST_EVERY === 0) return ready[0];
    const rank = ({ storeId, priority }: Waiter) => [this.usesMuch(storeId) ? 1 : 0, priority, this.#taken.of(storeId)];
    return ready.map((waiter) => ({ waiter, rank: rank(waiter) })).reduce((best, one) => (isBefore(one.rank, best.rank) ? one : best))
      .waiter;
  }
}

/** By the first number that differs. */
function isBefore(a: readonly number[], b: readonly number[]): boolean {
  const i = a.findIndex((value, n) => value !== b[n]);
  return i >= 0 && a[i]! < b[i]!;
}

/** The milliseconds of each store in the last minute, to a slice of five seconds. */
class Usage {
  readonly #slices: Map<string, number>[] = Array.from({ length: SLICES }, () => new Map());
  readonly #sums = new Map<string, number>();
  #current: number;

  constructor(now: number) {
    this.#current = sliceOf(now);
  }
  add(storeId: string, ms: number, now: number): void {
    this.#advance(now);
    const slice = this.#slices[this.#current % SLICES]!;
    slice.set(storeId, (slice.get(storeId) ?? 0) + ms);
    this.#sums.set(storeId, (this.#sums.get(storeId) ?? 0) + ms);
  }
  of(storeId: string, now: number): number {
    this.#advance(now);
    return this.#sums.get(storeId) ?? 0;
  }
  /** Forgets what is older than the window. */
  #advance(now: number): void {
    const target = sliceOf(now);
    if (target === this.#current) return;
    this.#current = Math.max(this.#current, target - SLICES);
    while (this.#current < target) {
      this.#current++;
      this.#slices[this.#current % SLICES]!.clear();
    }
    this.#sums.clear();
    for (const slice of this.#slices) for (const [storeId, ms] of slice) this.#sums.set(storeId, (this.#sums.get(storeId) ?? 0) + ms);
  }
}
const sliceOf = (now: number): number => Math.floor(now / (WINDOW_MS / SLICES));
