/**
 * Reads of which one alone may cost a process many megabytes take turns (D90): their memory is bounded, whoever reads how much, and no store
 * has all turns: one of a store at a time while others have requests, two while none has. Who waits for a turn holds nothing.
 */
import type { Endpoint } from './endpoint.ts';
import { RecentStores } from '../../db/kernel/recentStores.ts';
import { Turns } from '../../db/kernel/turns.ts';

/** Other stores have requests too when they had one in so many milliseconds. */
const RECENT_MS = 2000;
/** A pause is no longer than this. */
const MAX_PAUSE_MS = 1000;

const stores = new RecentStores(RECENT_MS);
const turns = new Turns({ name: 'large_reads', slots: 4, ofStore: () => (stores.areMany ? 1 : 2), waitMs: 20_000 });

/** TOO_MANY_REQUESTS when the store's turn does not come soon. */
export async function inTurn<T>({ isLarge }: Endpoint, storeId: string, gone: () => AbortSignal, work: () => Promise<T>): Promise<T> {
  stores.note(storeId);
  if (!isLarge) return work();
  const end = await turns.take(storeId, gone());
  const began = performance.now();
  try {
    return await work();
  } finally {
    // Among others it pauses for as long as it worked: what is large takes half of the process's time at most.
    if (stores.areMany) setTimeout(end, Math.min(performance.now() - began, MAX_PAUSE_MS)).unref();
    else end();
  }
}
