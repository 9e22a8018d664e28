/** Deliveries that a lane of the relay has started and that still count for their store: it has only so many at a time. */
import type { Pool } from 'pg';
import { Counts } from '../db/kernel/counts.ts';
import type { RecentStores } from '../db/kernel/recentStores.ts';

/** Times are milliseconds of the relay's clock. */
interface Started {
  readonly storeId: string;
  readonly at: number;
  /** When it no longer counts: its row is loaded, and the pause after it over. Null: its row is not loaded yet. */
  readonly endsAt: number | null;
}
/** A delivery that has not loaded its row for so long no longer counts: the reconciler starts it again. */
const LOST_MS = 30_000;
/** The longest pause of a store after a delivery, among others. It pauses twice as long as it worked: nobody waits for a delivery. */
const MAX_PAUSE_MS = 1000;

export class StartedDeliveries {
  readonly #stores: RecentStores;
  readonly #started = new Map<string, Started>();

  constructor(stores: RecentStores) {
    this.#stores = stores;
  }
  /** How many have not loaded their row yet. */
  get unloaded(): number {
    return [...this.#started.values()].filter(({ endsAt }) => endsAt === null).length;
  }
  add(workflowId: string, storeId: string, at: number): void {
    this.#started.set(workflowId, { storeId, at, endsAt: null });
  }
  /** How many each store has. */
  async counts(pool: Pool, now: number): Promise<Counts> {
    const waiting = [...this.#started].filter(([, { endsAt }]) => endsAt === null);
    const unloaded = await unloadedOf(pool, waiting);
    const counts = new Counts();
    for (const { storeId } of this.#started.values()) counts.add(storeId, 1);
    for (const [id, { storeId, at }] of waiting) {
      if (!unloaded.has(id))
        this.#started.set(id, { storeId, at, endsAt: now + this.#stores.pauseMs(now - at, 2 * counts.of(storeId), MAX_PAUSE_MS) });
      else if (at < now - LOST_MS) this.#started.set(id, { storeId, at, endsAt: now });
    }
    for (const [id, { storeId, endsAt }] of this.#started) {
      if (endsAt === null || endsAt > now) continue;
      this.#started.delete(id);
      counts.add(storeId, -1);
    }
    return counts;
  }
}

/** Which of them have not loaded their row yet. */
async function unloadedOf(pool: Pool, started: readonly (readonly [string, Started])[]): Promise<ReadonlySet<string>> {
  if (started.length === 0) return new Set();
  const { rows } = await pool.query<{ workflow_id: string }>(
    `SELECT workflow_id FROM run JOIN unnest($1::text[], $2::text[]) AS started (store_id, workflow_id) USING (store_id, workflow_id)
     WHERE loaded_at IS NULL AND done_at IS NULL`,
    [started.map(([, { storeId }]) => storeId), started.map(([id]) => id)],
  );
  return new Set(rows.map((row) => row.workflow_id));
}
