/**
 * Whose turn it is (F45, D90): so many at once in this process and of a store, the store first that was served longest ago. Within a store
 * its sides have turns of their own, and the senders of a side come in turn.
 */
import { RetryLater } from '../../domain/kernel/errors.ts';
import { Counts } from './counts.ts';
import { FairLine, type Waiting } from './fairLine.ts';
import { limitRefusals } from './metrics.ts';
import type { Requester } from './requester.ts';

/** Who asks for a turn, and of which store. */
export interface Turn extends Requester {
  readonly storeId: string;
  /** Aborted when it is not wanted any more. */
  readonly gone?: AbortSignal | undefined;
}
export interface TurnsLimits {
  /** The label of refusals in metrics. */
  readonly name: string;
  readonly slots: number;
  /** At once of a side of a store: a number, or what it is for this one now. */
  readonly ofStore: number | ((turn: Turn) => number);
  /** Waiting requests of a side of a store; 20 when left out. Beyond, the sender who has most of them is refused one. */
  readonly line?: number;
  /** Senders who leave a full line for others where none has more than one in it. Nobody when left out. */
  readonly yields?: (sender: string) => boolean;
  /** Waiting requests of all stores; 200 when left out. Beyond, the longest line has to do with one less. */
  readonly waiting?: number;
  /** Real milliseconds; then TOO_MANY_REQUESTS with `Retry-After`. */
  readonly waitMs: number;
  /** How long a side of a store pauses after a turn of so many milliseconds, while it has so many at once. Not at all when left out. */
  readonly pauseMs?: (turn: Turn, tookMs: number, atOnce: number) => number;
}
interface Waiter extends Waiting {
  readonly turn: Turn;
  readonly begin: (end: () => void) => void;
}
const keyOf = ({ storeId, side }: Turn): string => `${side}/${storeId}`;

export class Turns {
  private readonly limits: TurnsLimits;
  /** How many a side of a store has. */
  private readonly busy = new Counts();
  /** By side and store, the one that was served longest ago first. */
  private readonly lines = new Map<string, FairLine<Waiter>>();
  private running = 0;
  private waiting = 0;

  constructor(limits: TurnsLimits) {
    this.limits = limits;
  }

  /** Resolves when it is this one's turn, with what ends it. TOO_MANY_REQUESTS; the signal's reason when it is aborted before. */
  async take(turn: Turn): Promise<() => void> {
    const { gone, sender } = turn;
    gone?.throwIfAborted();
    const key = keyOf(turn);
    if (!this.lines.has(key) && this.mayBegin(turn)) return this.begin(turn);
    const line = this.lines.get(key) ?? new FairLine<Waiter>();
    if (!this.makeRoom(line, sender)) throw this.refused();
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        gone?.removeEventListener('abort', giveUp);
        line.remove(one);
        this.waiting--;
        if (line.size === 0) this.lines.delete(key);
      };
      const refuse = () => {
        leave();
        reject(this.refused());
      };
      const giveUp = () => {
        leave();
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a signal's reason, whatever it is
        reject(gone!.reason);
      };
      const begin = (end: () => void) => {
        leave();
        resolve(end);
      };
      const one: Waiter = { turn, sender, refuse, begin };
      const timer = setTimeout(refuse, this.limits.waitMs);
      gone?.addEventListener('abort', giveUp);
      line.add(one);
      this.waiting++;
      this.lines.set(key, line);
    });
  }

  /** Whether this sender may wait in this line; who has more than others makes room for them. */
  private makeRoom(line: FairLine<Waiter>, sender: string): boolean {
    const { line: max = 20, waiting = 200, yields } = this.limits;
    if (line.size >= max) {
      if (line.sizeOf(sender) + 1 < line.longest) line.dropLast();
      else return yields !== undefined && !yields(sender) && line.dropLastOf(yields);
    } else if (this.waiting >= waiting) {
      const longest = [...this.lines.values()].reduce((a, b) => (b.size > a.size ? b : a));
      if (line.size + 1 >= longest.size) return false;
      longest.dropLast();
    }
    return true;
  }

  private mayBegin(turn: Turn): boolean {
    const { slots, ofStore } = this.limits;
    const max = typeof ofStore === 'number' ? ofStore : ofStore(turn);
    return this.running < slots && this.busy.of(keyOf(turn)) < max;
  }
  private begin(turn: Turn): () => void {
    this.running++;
    this.busy.add(keyOf(turn), 1);
    const began = performance.now();
    return () => this.end(turn, performance.now() - began);
  }

  private end(turn: Turn, tookMs: number): void {
    this.running--;
    const pauseMs = this.limits.pauseMs?.(turn, tookMs, this.busy.of(keyOf(turn))) ?? 0;
    if (pauseMs === 0) this.leave(turn);
    else setTimeout(() => this.leave(turn), pauseMs).unref();
    this.next();
  }
  /** When its pause is over. */
  private leave(turn: Turn): void {
    const key = keyOf(turn);
    this.busy.add(key, -1);
    // Behind all others that wait by now.
    const line = this.lines.get(key);
    this.lines.delete(key);
    if (line) this.lines.set(key, line);
    this.next();
  }

  private next(): void {
    for (const line of this.lines.values())
      for (let one = line.next; one && this.mayBegin(one.turn); one = line.next) one.begin(this.begin(one.turn));
  }

  private refused(): RetryLater {
    limitRefusals.inc({ limit: this.limits.name });
    return new RetryLater(1);
  }
}
