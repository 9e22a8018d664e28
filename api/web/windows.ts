/** Counts of the last minute by key, in bounded memory. */
import { MINUTE } from '../../domain/kernel/time.ts';

/** Keys per generation; two generations are in memory, about 10 MB. */
const GENERATION = 25_000;

interface Window {
  count: number;
  readonly began: number;
}
/**
 * Fixed windows of a minute per key, each starting with its first count. Keys are dropped by generation: after a minute, or `GENERATION`
 * keys. So memory is bounded and dropping takes constant time, even with millions of addresses.
 */
export class Windows {
  private young = new Map<string, Window>();
  private old = new Map<string, Window>();
  private youngSince = 0;
  get size(): number {
    return this.young.size + this.old.size;
  }
  /** Counts `n`; returns the count of the key's window, and the milliseconds until it ends. */
  add(key: string, now: number, n = 1): { readonly count: number; readonly endsInMs: number } {
    const known = this.find(key, now);
    if (known) {
      known.count += n;
      return { count: known.count, endsInMs: known.began + MINUTE - now };
    }
    if (this.young.size >= GENERATION || !isOpen(this.youngSince, now)) {
      this.old = this.young;
      this.young = new Map();
      this.youngSince = now;
    }
    this.young.set(key, { count: n, began: now });
    return { count: n, endsInMs: MINUTE };
  }
  has(key: string, now: number): boolean {
    return this.find(key, now) !== null;
  }
  /** The same without counting; of a key without a window, what it would begin with. */
  read(key: string, now: number): { readonly count: number; readonly endsInMs: number } {
    const known = this.find(key, now);
    return known ? { count: known.count, endsInMs: known.began + MINUTE - now } : { count: 0, endsInMs: MINUTE };
  }
  release(key: string, now: number): void {
    const known = this.find(key, now);
    if (known) known.count--;
  }
  private find(key: string, now: number): Window | null {
    const known = this.young.get(key) ?? this.old.get(key);
    return known && isOpen(known.began, now) ? known : null;
  }
}
/** A clock that was set back starts a new window instead of prolonging one. */
const isOpen = (began: number, now: number) => now >= began && now < began + MINUTE;
