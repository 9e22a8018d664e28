/** Whose turn it is (F45, D90): so many at once in this process and of a store, the store first that was served longest ago. */
import { limitRefusals } from '../../db/kernel/metrics.ts';
import { RetryLater } from './limits.ts';

interface Waiting {
  readonly begin: (end: () => void) => void;
}
export interface TurnsLimits {
  /** The label of refusals in metrics. */
  readonly name: string;
  readonly slots: number;
  /** At once of one store. */
  readonly ofStore: number;
  /** Waiting requests of a store; 20 when left out. Beyond, they are refused at once. */
  readonly line?: number;
  /** Waiting requests of all stores; 200 when left out. */
  readonly waiting?: number;
  /** Real milliseconds; then TOO_MANY_REQUESTS with `Retry-After`. */
  readonly waitMs: number;
}

export class Turns {
  private readonly limits: TurnsLimits;
  /** How many a store has. */
  private readonly busy = new Map<string, number>();
  /** By store, the one that was served longest ago first. */
  private readonly lines = new Map<string, Waiting[]>();

  constructor(limits: TurnsLimits) {
    this.limits = limits;
  }

  /** Resolves when it is this store's turn, with what ends it. TOO_MANY_REQUESTS; the signal's reason when it is aborted before. */
  async take(storeId: string, gone: AbortSignal): Promise<() => void> {
    gone.throwIfAborted();
    const line = this.lines.get(storeId) ?? [];
    const waiting = sum(this.lines.values().map(({ length }) => length));
    if (line.length >= (this.limits.line ?? 20) || waiting >= (this.limits.waiting ?? 200)) throw this.refused();
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', leave);
      };
      const one: Waiting = {
        begin: (end) => {
          settle();
          resolve(end);
        },
      };
      const giveUp = (reason: unknown) => {
        settle();
        line.splice(line.indexOf(one), 1);
        if (line.length === 0) this.lines.delete(storeId);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a signal's reason, whatever it is
        reject(reason);
      };
      const leave = () => giveUp(gone.reason);
      const timer = setTimeout(() => giveUp(this.refused()), this.limits.waitMs);
      gone.addEventListener('abort', leave);
      line.push(one);
      this.lines.set(storeId, line);
      this.next();
    });
  }

  private end(storeId: string): void {
    const left = this.busy.get(storeId)! - 1;
    if (left === 0) this.busy.delete(storeId);
    else this.busy.set(storeId, left);
    // Behind all others that wait by now.
    const line = this.lines.get(storeId);
    this.lines.delete(storeId);
    if (line) this.lines.set(storeId, line);
    this.next();
  }

  private next(): void {
    for (const [storeId, line] of this.lines) {
      for (let had = this.busy.get(storeId) ?? 0; had < this.limits.ofStore && line.length > 0; had++) {
        if (sum(this.busy.values()) >= this.limits.slots) return;
        this.busy.set(storeId, had + 1);
        line.shift()!.begin(() => this.end(storeId));
      }
      if (line.length === 0) this.lines.delete(storeId);
    }
  }

  private refused(): RetryLater {
    limitRefusals.inc({ limit: this.limits.name });
    return new RetryLater(1);
  }
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((all, one) => all + one, 0);
