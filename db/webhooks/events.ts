/** Events, written with their deliveries in the transaction of their cause. */
import { universal } from '../../domain/kernel/time.ts';
import type { EventData } from '../../domain/webhooks/payloads.ts';
import type { EventType } from '../../domain/webhooks/rules.ts';
import { runOf } from '../../workflows/kernel/messages.ts';
import { newId } from '../kernel/clock.ts';
import { fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { openRuns } from '../runs/commands.ts';

/** `at` is the business time of the change. */
export type NewEvent = { readonly [T in EventType]: { readonly type: T; readonly data: EventData<T>; readonly at: number } }[EventType];

/**
 * Records events and, for each active subscription of their type, a delivery with its run. An event has one id for all subscriptions.
 * Their numbers grow in the order of commits: the last statement of the transaction writes them (db/kernel/feed.ts).
 */
export async function emit(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  const { sql, storeId, realNow } = tx;
  if (events.length === 0) return;
  const receivers = await sql<{ webhook_id: string; url: string; event_types: EventType[]; yields: boolean; epoch: number }>`
    SELECT webhook_id, url, event_types, first_failure_at IS NOT NULL AS yields, epoch FROM webhook WHERE store_id = ${storeId}
     AND status = 'ACTIVE' AND event_types && ${events.map((event) => event.type)}::text[] ORDER BY webhook_id
     FOR KEY SHARE`;
  const deliveries = events.flatMap(({ type, data, at }) => {
    const eventId = newId('evt', realNow);
    const body = JSON.stringify({ id: eventId, type, createdAt: universal(at), storeId, data });
    tx.feed.emitted({ eventId, type, body, createdAt: new Date(at) });
    return receivers
      .filter((receiver) => receiver.event_types.includes(type))
      .map(({ webhook_id: webhookId, url, yields, epoch }) => ({ webhookId, eventId, eventType: type, url, yields, epoch, at }));
  });
  await addDeliveries(tx, deliveries);
}

export interface NewDelivery {
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly url: string;
  readonly redeliveryOf?: string;
  /** The subscription's epoch. */
  readonly epoch: number;
  /** Its receiver fails and has not recovered: others go first. */
  readonly yields: boolean;
  /** Business time. */
  readonly at: number;
}

/** Creates deliveries with their runs; the first attempts are due immediately. Returns their ids, in the same order. */
export async function addDeliveries(tx: Tx, wanted: readonly NewDelivery[]): Promise<string[]> {
  const { sql, storeId, realNow } = tx;
  if (wanted.length === 0) return [];
  const deliveries = wanted.map((delivery) => ({ ...delivery, deliveryId: newId('dlv', realNow), createdAt: new Date(delivery.at) }));
  await sql`INSERT INTO webhook_delivery (store_id, delivery_id, webhook_id, event_id, event_type, url, status, redelivery_of, epoch,
    created_at)
    SELECT ${storeId}, "deliveryId", "webhookId", "eventId", "eventType", url, 'PENDING', "redeliveryOf", epoch, "createdAt"
    FROM jsonb_to_recordset(${JSON.stringify(deliveries)}::jsonb) AS d ("deliveryId" text, "webhookId" text, "eventId" text,
      "eventType" text, url text, "redeliveryOf" text, epoch integer, "createdAt" timestamptz)`;
  const runs = deliveries.map(({ deliveryId, at, yields }) => ({
    ...runOf('webhookDelivery', storeId, deliveryId),
    wakeAt: at,
    status: 'PENDING',
    createdAt: realNow,
    yields,
  }));
  await openRuns(tx, runs);
  return deliveries.map(({ deliveryId }) => deliveryId);
}

/** An event of the feed: its number and the raw body that receivers get. */
export interface FeedEvent {
  readonly no: number;
  readonly eventId: string;
  readonly body: string;
}
/** Events of a store after number `after`, in the order of commits, created at `since` (business time) or later. */
export async function listEvents(
  { sql, storeId }: Tx,
  filter: { readonly after: number; readonly since: number; readonly types: readonly EventType[]; readonly size: number },
): Promise<FeedEvent[]> {
  const { after, since, types, size } = filter;
  const behind = fragment`e.event_no > ${after} AND e.created_at >= ${new Date(since)}`;
  type Row = { readonly event_no: string; readonly event_id: string; readonly body: string };
  // One index scan per type, each in the order of the index.
  const rows =
    types.length === 0
      ? await sql<Row>`SELECT event_no, event_id, body FROM event e WHERE store_id = ${storeId} AND ${behind} ORDER BY event_no
        LIMIT ${size}`
      : await sql<Row>`
          SELECT e.event_no, e.event_id, e.body FROM unnest(${[...new Set(types)]}::text[]) AS wanted (type) CROSS JOIN LATERAL (
             SELECT event_no, event_id, body FROM event e WHERE e.store_id = ${storeId} AND e.type = wanted.type AND ${behind}
               ORDER BY event_no LIMIT ${size}) e
           ORDER BY e.event_no LIMIT ${size}`;
  return rows.map((row) => ({ no: Number(row.event_no), eventId: row.event_id, body: row.body }));
}
