/** A shipment's tracking: the next poll of its courier, and the readings. */
import type { Outcome } from '../../workflows/kernel/messages.ts';
import { afterReading, beginTracking, isTracked, type Tracking, type TrackingReading } from '../../domain/orders/tracking.ts';
import type { Tx } from '../kernel/tx.ts';
import type { OrderItem } from './entities.ts';

/** The tracking of a shipment in transit, or null. */
export function trackingOf(item: OrderItem): Tracking | null {
  if (!isTracked(item.dispatch ?? null, item.status)) return null;
  return item.tracking ?? beginTracking(item.dispatch!.dispatchedAt);
}

export const pollId = (item: OrderItem, tracking: Tracking): string => `poll-${item.orderItemId}-${tracking.polls}`;

/** Applies the stored reading of a poll; false when the outcome is not that of the planned poll. */
export function applyReading(item: OrderItem, callId: string, outcome: Outcome<'orderItem'>, at: number): boolean {
  const tracking = trackingOf(item);
  if (!tracking || callId !== pollId(item, tracking) || outcome.result === 'STALE') return false;
  item.tracking = afterReading(tracking, item.trackingReading ?? null, Math.max(tracking.nextAt ?? at, at));
  item.trackingReading = null;
  return true;
}

/** The shipment that poll `n` is about; null when the poll is obsolete. */
export async function readShipment({ sql, storeId }: Tx, orderItemId: string, n: number) {
  const [row] = await sql<{ carrier: string; number: string; dispatched: string }>`
    SELECT dispatch ->> 'carrierCode' AS carrier, dispatch ->> 'trackingNumber' AS number, dispatch ->> 'dispatchedAt' AS dispatched
     FROM order_item WHERE store_id = ${storeId} AND order_item_id = ${orderItemId} AND status = 'DISPATCHED'
       AND coalesce((tracking ->> 'polls')::int, 0) = ${n}`;
  return row ? { carrierCode: row.carrier, trackingNumber: row.number, dispatchedAt: Number(row.dispatched) } : null;
}

/** Stores the reading of poll `n` until the run's transition applies it. */
export const recordReading = ({ sql, storeId }: Tx, orderItemId: string, n: number, reading: TrackingReading): Promise<object[]> =>
  sql`UPDATE order_item SET tracking_reading = ${JSON.stringify(reading)} WHERE store_id = ${storeId} AND order_item_id = ${orderItemId}
    AND status = 'DISPATCHED'
       AND coalesce((tracking ->> 'polls')::int, 0) = ${n}`;
