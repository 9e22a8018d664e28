/**
 * Requests of which one alone may cost a process many megabytes, or much of its time, take turns (D90): their memory is bounded, whoever
 * sends how many, and no store has all turns. Who waits for a turn holds nothing.
 */
import { RecentStores } from '../../db/kernel/recentStores.ts';
import { currentRequester } from '../../db/kernel/requester.ts';
import { type Turn, Turns } from '../../db/kernel/turns.ts';
import type { Endpoint } from '../declare/endpoint.ts';

/** Other stores have requests too when they had one in so many milliseconds. */
const RECENT_MS = 2000;
/** What turned out small pauses nobody: the list of a store that has no more than a few orders. */
const SMALL_MS = 25;
/** A pause is no longer than this. */
const MAX_PAUSE_MS = 2000;

const stores = new RecentStores(RECENT_MS);
/**
 * Four times as long as after others, so that a side works a fifth of the time: what is large also keeps the process's thread for tens of
 * milliseconds, and collects its garbage.
 */
const pauseMs = (_: Turn, tookMs: number, atOnce: number) => stores.pauseMs(4 * Math.max(0, tookMs - SMALL_MS), atOnce, MAX_PAUSE_MS);
const shared = { line: 100, waiting: 1000, waitMs: 20_000, pauseMs };
/** One of a side of a store at a time while other stores have requests. */
const reads = new Turns({ ...shared, name: 'large_reads', slots: 4, ofStore: () => (stores.areMany ? 1 : 2) });
/** Two, so that one which waits for a lock does not keep the store from changing anything else. */
const changes = new Turns({ ...shared, name: 'large_changes', slots: 6, ofStore: 2 });

/** TOO_MANY_REQUESTS when the store's turn does not come soon. */
export async function inTurn<T>(endpoint: Endpoint, storeId: string, gone: () => AbortSignal, work: () => Promise<T>): Promise<T> {
  stores.note(storeId);
  if (!endpoint.isLarge) return work();
  const end = await (endpoint.change === 'none' ? reads : changes).take({ ...currentRequester(), storeId, gone: gone() });
  try {
    return await work();
  } finally {
    end();
  }
}
