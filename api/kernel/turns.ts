/** Whose turn it is (F45): so many at once in this process and one of a store, the store first that was served longest ago. */
import { limitRefusals } from '../../db/kernel/metrics.ts';
import { RetryLater } from './limits.ts';

/** Waiting requests of a store, and of all; beyond, they are refused at once. */
const MAX_OF_STORE = 20;
const MAX_WAITING = 200;

interface Waiting {
  readonly begin: (end: () => void) => void;
}
export interface TurnsLimits {
  readonly slots: number;
  /** Real milliseconds; then TOO_MANY_REQUESTS with `Retry-After`. */
  readonly waitMs: number;
}

export class Turns {
  private readonly limits: TurnsLimits;
  private readonly busy = new Set<string>();
  /** By store, the one that was served longest ago first. */
  private readonly lines = new Map<string, Waiting[]>();

  constructor(limits: TurnsLimits) {
    this.limits = limits;
  }

  /** Resolves when it is this store's turn, with what ends it. TOO_MANY_REQUESTS; the signal's reason when it is aborted before. */
  async take(storeId: string, gone: AbortSignal): Promise<() => void> {
    gone.throwIfAborted();
    const line = this.lines.get(storeId) ?? [];
    const waiting = [...this.lines.values()].reduce((sum, { length }) => sum + length, 0);
    if (line.length >= MAX_OF_STORE || waiting >= MAX_WAITING) throw refused();
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
      const timer = setTimeout(() => giveUp(refused()), this.limits.waitMs);
      gone.addEventListener('abort', leave);
      line.push(one);
      this.lines.set(storeId, line);
      this.next();
    });
  }

  private end(storeId: string): void {
    this.busy.delete(storeId);
    // Behind all others that wait by now.
    const line = this.lines.get(storeId);
    this.lines.delete(storeId);
    if (line) this.lines.set(storeId, line);
    this.next();
  }

  private next(): void {
    for (const [storeId, line] of this.lines) {
      if (this.busy.size >= this.limits.slots) return;
      if (this.busy.has(storeId)) continue;
      this.busy.add(storeId);
      const one = line.shift()!;
      if (line.length === 0) this.lines.delete(storeId);
      one.begin(() => this.end(storeId));
    }
  }
}

function refused(): RetryLater {
  limitRefusals.inc({ limit: 'rehearsals' });
  return new RetryLater(1);
}
