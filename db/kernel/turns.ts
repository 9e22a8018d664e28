/** Whose turn it is (F45, D90): so many at once in this process and of a store, the store first that was served longest ago. */
import { RetryLater } from '../../domain/kernel/errors.ts';
import { Counts } from './counts.ts';
import { limitRefusals } from './metrics.ts';

interface Waiting {
  readonly begin: (end: () => void) => void;
}
export interface TurnsLimits {
  /** The label of refusals in metrics. */
  readonly name: string;
  readonly slots: number;
  /** At once of one store: a number, or what it is for this store now. */
  readonly ofStore: number | ((storeId: string) => number);
  /** Waiting requests of a store; 20 when left out. Beyond, they are refused at once. */
  readonly line?: number;
  /** Waiting requests of all stores; 200 when left out. */
  readonly waiting?: number;
  /** Real milliseconds; then TOO_MANY_REQUESTS with `Retry-After`. */
  readonly waitMs: number;
  /** How long a store pauses after a turn of so many milliseconds, while it has so many at once. Not at all when left out. */
  readonly pauseMs?: (storeId: string, tookMs: number, atOnce: number) => number;
}

export class Turns {
  private readonly limits: TurnsLimits;
  /** How many a store has. */
  private readonly busy = new Counts();
  /** By store, the one that was served longest ago first. */
  private readonly lines = new Map<string, Set<Waiting>>();
  private running = 0;
  private waiting = 0;

  constructor(limits: TurnsLimits) {
    this.limits = limits;
  }

  /** Resolves when it is this store's turn, with what ends it. TOO_MANY_REQUESTS; the signal's reason when it is aborted before. */
  async take(storeId: string, gone?: AbortSignal): Promise<() => void> {
    gone?.throwIfAborted();
    if (!this.lines.has(storeId) && this.mayBegin(storeId)) return this.begin(storeId);
    const line = this.lines.get(storeId) ?? new Set();
    if (line.size >= (this.limits.line ?? 20) || this.waiting >= (this.limits.waiting ?? 200)) throw this.refused();
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        gone?.removeEventListener('abort', leave);
        line.delete(one);
        this.waiting--;
        if (line.size === 0) this.lines.delete(storeId);
      };
      const one: Waiting = {
        begin: (end) => {
          settle();
          resolve(end);
        },
      };
      const giveUp = (reason: unknown) => {
        settle();
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a signal's reason, whatever it is
        reject(reason);
      };
      const leave = () => giveUp(gone!.reason);
      const timer = setTimeout(() => giveUp(this.refused()), this.limits.waitMs);
      gone?.addEventListener('abort', leave);
      line.add(one);
      this.waiting++;
      this.lines.set(storeId, line);
    });
  }

  private mayBegin(storeId: string): boolean {
    const { slots, ofStore } = this.limits;
    const most = typeof ofStore === 'number' ? ofStore : ofStore(storeId);
    return this.running < slots && this.busy.of(storeId) < most;
  }
  private begin(storeId: string): () => void {
    this.running++;
    this.busy.add(storeId, 1);
    const began = performance.now();
    return () => this.end(storeId, performance.now() - began);
  }

  private end(storeId: string, tookMs: number): void {
    this.running--;
    const pauseMs = this.limits.pauseMs?.(storeId, tookMs, this.busy.of(storeId)) ?? 0;
    if (pauseMs === 0) this.leave(storeId);
    else setTimeout(() => this.leave(storeId), pauseMs).unref();
    this.next();
  }
  /** When its pause is over. */
  private leave(storeId: string): void {
    this.busy.add(storeId, -1);
    // Behind all others that wait by now.
    const line = this.lines.get(storeId);
    this.lines.delete(storeId);
    if (line) this.lines.set(storeId, line);
    this.next();
  }

  private next(): void {
    for (const [storeId, line] of this.lines)
      for (const { begin } of line) {
        if (!this.mayBegin(storeId)) break;
        begin(this.begin(storeId));
      }
  }

  private refused(): RetryLater {
    limitRefusals.inc({ limit: this.limits.name });
    return new RetryLater(1);
  }
}
