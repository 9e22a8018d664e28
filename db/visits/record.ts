/** Events of visits, as they are recorded: counted later (counting.ts). */
import { lineTotalWon, type PaymentLine, type Visit } from '../../domain/checkout/rules.ts';
import type { Source, VisitEventType } from '../../domain/visits/rules.ts';
import { fragment } from '../kernel/sql.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Reporter, takenEvents } from './uses.ts';

export interface NewEvent {
  readonly type: VisitEventType;
  readonly productId?: string | undefined;
  readonly path?: string;
  readonly referrer?: string | undefined;
  readonly utmSource?: string | undefined;
  readonly utmMedium?: string | undefined;
  readonly utmCampaign?: string | undefined;
  /** Where a view says that its session came from. */
  readonly from?: Source;
  readonly quantity?: number;
  readonly amountWon?: number;
}

/**
 * Records what happened in a visit, one batch, in one statement; nothing without a visit. A view of a product that the store does not have
 * is a view of a page (R7). `isTest`: of a payment in sandbox mode; `reporter`: of what a page reports, whose day may have no room for all
 * of it. Returns how many were taken, the first ones.
 */
export async function recordVisit(
  tx: Tx,
  visit: Visit | null | undefined,
  events: readonly NewEvent[],
  { isTest = false, reporter = null }: { readonly isTest?: boolean; readonly reporter?: Reporter | null } = {},
): Promise<number> {
  if (!visit) return 0;
  const { sql, storeId, at, realNow } = tx;
  const taken = reporter ? takenEvents(tx, reporter, events.length) : fragment`${events.length}::int`;
  const [row] = await sql<{ taken: number }>`WITH room AS MATERIALIZED (SELECT ${taken} AS taken),
    e AS MATERIALIZED (
      SELECT e.*, p.product_id IS NOT NULL OR e.type <> 'PRODUCT_VIEW' AS "isKnown"
      FROM jsonb_to_recordset(${JSON.stringify(events.map((event, position) => ({ ...event, ...event.from, position })))}::jsonb)
        AS e (position smallint, type text, "productId" text, path text, referrer text, "utmSource" text, "utmMedium" text,
          "utmCampaign" text, source text, medium text, quantity integer, "amountWon" bigint)
      LEFT JOIN product p ON p.store_id = ${storeId} AND p.product_id = e."productId" AND p.deleted_at IS NULL
      WHERE position < (SELECT taken FROM room)),
    batch AS (INSERT INTO visit_batch (store_id, created_at, batch_id, event_count)
      SELECT ${storeId}, ${new Date(at)}::timestamptz, ${newId('vis', realNow)}, taken FROM room WHERE taken > 0
      RETURNING batch_id, created_at),
    written AS (INSERT INTO visit_event (store_id, batch_id, position, type, created_at, visitor_id, session_id, path, product_id,
      referrer, utm_source, utm_medium, utm_campaign, source, medium, quantity, amount_won, is_test)
    SELECT ${storeId}, batch_id, position, CASE WHEN "isKnown" THEN type ELSE 'PAGE_VIEW' END, created_at, ${visit.visitorId}::text,
      ${visit.sessionId}::text, path, CASE WHEN "isKnown" THEN "productId" END, referrer, "utmSource", "utmMedium", "utmCampaign", source,
      medium, coalesce(quantity, 0), coalesce("amountWon", 0), ${isTest} FROM e, batch)
    SELECT taken FROM room`;
  return row!.taken;
}

interface Paid {
  readonly visit?: Visit | null | undefined;
  readonly totalWon: number;
  readonly lines: readonly PaymentLine[];
  readonly testPayment: boolean;
}
/** A payment that is completed: its cash, and of each line its price. */
export const recordPurchase = async (tx: Tx, { visit, totalWon, lines, testPayment }: Paid): Promise<void> => {
  await recordVisit(
    tx,
    visit,
    [
      { type: 'PURCHASE', amountWon: totalWon },
      ...lines.map((line) => ({
        type: 'PURCHASE_LINE' as const,
        productId: line.productId,
        quantity: line.quantity,
        amountWon: lineTotalWon(line),
      })),
    ],
    { isTest: testPayment },
  );
};
