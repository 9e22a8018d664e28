/** Which outbox rows a lane of the relay takes next: stores take turns, each with an equal portion, however many rows one of them has. */
import type { PoolClient } from 'pg';
import { type Fragment, fragment, literal, statement } from '../db/kernel/sql.ts';
import type { WorkflowType } from '../workflows/kernel/messages.ts';
import type { IdleRow } from './idle.ts';

export type Lane = 'runs' | 'deliveries' | 'yielding';

export interface OutboxRow extends IdleRow {
  readonly status: string | null;
  readonly yields: boolean;
  readonly traceparent: string | null;
}

const DELIVERY = literal('webhookDelivery' satisfies WorkflowType);
/** Each is the condition of an index by store. */
const FILTERS: Readonly<Record<Lane, Fragment>> = {
  runs: fragment`o.workflow_type <> ${DELIVERY}`,
  deliveries: fragment`o.workflow_type = ${DELIVERY} AND NOT o.yields`,
  yielding: fragment`o.workflow_type = ${DELIVERY} AND o.yields`,
};
export const isLane = (text: string | undefined): text is Lane => text !== undefined && text in FILTERS;

/** How many rows a lane may take. */
export interface Room {
  readonly all: number;
  /** Of one store, less what it has `used`. */
  readonly perStore: number;
  readonly used: ReadonlyMap<string, number>;
}

/** One row for each store whose turn it is, also when others hold all its rows. */
interface Turn extends OutboxRow {
  readonly turn_of: string;
  readonly portion: number;
}

/** The turns of one lane. */
export class Portions {
  readonly #lane: Lane;
  /** The last store that had its turn, where more stores waited than had one; otherwise empty. */
  #lastStore = '';

  constructor(lane: Lane) {
    this.#lane = lane;
  }

  /** Locks the rows whose turn it is. `hasMore`: other rows may wait, so that the next turn follows at once. */
  async take(tx: PoolClient, room: Room, now: Date): Promise<{ rows: OutboxRow[]; hasMore: boolean }> {
    const began = this.#lastStore;
    const { rows: turns } = await tx.query<Turn>(statement`${turnsOf(FILTERS[this.#lane], began, room, now)}`);
    const stores = new Set(turns.map(({ turn_of: storeId }) => storeId));
    const rows = turns.filter(({ outbox_id: id }) => id !== null);
    const hasMoreOf = ([first, ...others]: readonly Turn[]) => first !== undefined && others.length + 1 >= first.portion;
    this.#lastStore = stores.size >= room.all ? turns.at(-1)!.turn_of : '';
    const hasMore = began !== this.#lastStore || [...Map.groupBy(rows, ({ turn_of: storeId }) => storeId).values()].some(hasMoreOf);
    return { rows, hasMore };
  }
}

/**
 * One index probe for each store (a loose index scan), then one index scan for each portion: the cost depends on how many rows are taken,
 * not on how many wait. A store without room is passed over, by a probe too. BETWEEN and not `=`, with which the planner may read the rows
 * of all stores in the order of their ids and leave out those of others.
 */
function turnsOf(lane: Fragment, after: string, { all, perStore, used }: Room, now: Date): Fragment {
  const isDue = fragment`${lane} AND (o.not_before IS NULL OR o.not_before <= ${now})`;
  const full = [...used].flatMap(([storeId, n]) => (n >= perStore ? [storeId] : []));
  return fragment`WITH RECURSIVE waiting AS (
      (SELECT o.store_id, 1 AS n FROM outbox o WHERE ${isDue} AND o.store_id > ${after} ORDER BY o.store_id LIMIT 1)
      UNION ALL
      SELECT following.store_id, w.n + 1 FROM waiting w CROSS JOIN LATERAL (
        SELECT o.store_id FROM outbox o WHERE ${isDue} AND o.store_id > w.store_id ORDER BY o.store_id LIMIT 1) following
      WHERE w.n < ${all + full.length}::int),
    turns AS (SELECT store_id FROM waiting WHERE store_id <> ALL (${full}::text[]) ORDER BY n LIMIT ${all}),
    portions AS (
      SELECT store_id, least(greatest(1, ${all}::int / (SELECT count(*)::int FROM turns)), ${perStore}::int - coalesce(used, 0)) AS portion
      FROM turns LEFT JOIN unnest(${[...used.keys()]}::text[], ${[...used.values()]}::int[]) AS held (store_id, used) USING (store_id))
    SELECT p.store_id AS turn_of, p.portion, taken.*,
      taken.message = 'start' AND (r.loaded_at IS NOT NULL OR r.done_at IS NOT NULL) AS is_redundant, r.done_at IS NOT NULL AS is_done
    FROM portions p LEFT JOIN LATERAL (
      SELECT o.* FROM outbox o WHERE ${isDue} AND o.store_id BETWEEN p.store_id AND p.store_id
      ORDER BY o.store_id, o.outbox_id LIMIT p.portion FOR UPDATE SKIP LOCKED
    ) taken ON true LEFT JOIN run r ON r.store_id = taken.store_id AND r.workflow_id = taken.workflow_id
    ORDER BY p.store_id, taken.outbox_id`;
}
