/** Recorded events, as they are counted. */
import { msOf } from '../../domain/kernel/time.ts';
import type { Positioned } from '../../domain/visits/counts.ts';
import type { VisitEventType } from '../../domain/visits/rules.ts';
import type { Tx } from '../kernel/tx.ts';

export interface Batch {
  readonly batch_id: string;
}
interface Row {
  readonly batch_id: string;
  readonly position: number;
  readonly type: VisitEventType;
  readonly created_at: string;
  readonly visitor_id: string | null;
  readonly session_id: string | null;
  readonly product_id: string | null;
  readonly source: string | null;
  readonly medium: string | null;
  readonly quantity: number;
  readonly amount_won: string;
  readonly is_test: boolean;
}

export async function readBatches({ sql, storeId }: Tx, batches: readonly Batch[]): Promise<Positioned[]> {
  const rows = await sql<Row>`SELECT * FROM visit_event
    WHERE store_id = ${storeId} AND batch_id = ANY(${batches.map(({ batch_id: id }) => id)}::text[])`;
  return rows.map(eventOf);
}

/** Events of these sessions that were counted before: their batches are neither those that are counted now nor wait for it. */
export async function readEarlier({ sql, storeId }: Tx, sessionIds: readonly string[], now: readonly Batch[]): Promise<Positioned[]> {
  if (sessionIds.length === 0) return [];
  const rows = await sql<Row>`SELECT e.* FROM visit_event e
    WHERE e.store_id = ${storeId} AND e.session_id = ANY(${sessionIds}::text[])
      AND e.batch_id <> ALL(${now.map(({ batch_id: id }) => id)}::text[])
      AND NOT EXISTS (SELECT 1 FROM visit_batch b WHERE b.store_id = e.store_id AND b.created_at = e.created_at
        AND b.batch_id = e.batch_id)`;
  return rows.map(eventOf);
}

const eventOf = (row: Row): Positioned => ({
  batchId: row.batch_id,
  position: row.position,
  type: row.type,
  at: msOf(row.created_at),
  visitorId: row.visitor_id,
  sessionId: row.session_id,
  productId: row.product_id,
  source: row.source === null ? null : { source: row.source, medium: row.medium! },
  quantity: row.quantity,
  amountWon: Number(row.amount_won),
  isTest: row.is_test,
});
