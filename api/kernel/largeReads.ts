/**
 * Reads of which one alone may cost a process many megabytes take turns (D90): their memory is bounded, whoever reads how much, and no store
 * has all turns. Who waits for a turn holds nothing.
 */
import type { Endpoint } from './endpoint.ts';
import { Turns } from '../../db/kernel/turns.ts';

const turns = new Turns({ name: 'large_reads', slots: 4, ofStore: 2, waitMs: 20_000 });

/** TOO_MANY_REQUESTS when the store's turn does not come soon. */
export async function inTurn<T>({ isLarge }: Endpoint, storeId: string, gone: () => AbortSignal, work: () => Promise<T>): Promise<T> {
  if (!isLarge) return work();
  const end = await turns.take(storeId, gone());
  try {
    return await work();
  } finally {
    end();
  }
}
