/** Events: written with their deliveries in the transaction of the change that they report (D15). */
import { universal } from '../../workflows/webhooks/signature.ts';
import type { EventType } from '../../workflows/webhooks/rules.ts';
import { webhookWorkflowId } from '../../workflows/webhooks/contract.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql, textArray } from '../orm.ts';
import { bear } from '../runs/store.ts';
import { EventEntity, WebhookDeliveryEntity } from './entities.ts';

export interface NewEvent {
  readonly type: EventType;
  readonly data: Readonly<Record<string, string | number | boolean | object | null>>;
  /** Business time of the change. */
  readonly at: number;
}

/** Records events and, for each active subscription of their type, a delivery with its run. One event id across subscriptions (D86). */
export async function emit(em: Em, storeId: string, events: readonly NewEvent[], realNow: number): Promise<void> {
  if (events.length === 0) return;
  const receivers = await sql<{ webhook_id: string; url: string; event_types: EventType[] }>(
    em,
    `SELECT webhook_id, url, event_types FROM webhook WHERE store_id = ? AND status = 'ACTIVE' AND event_types && ?::text[] ORDER BY webhook_id`,
    [storeId, textArray(events.map((event) => event.type))],
  );
  for (const { type, data, at } of events) {
    const eventId = newId('evt', at);
    const createdAt = new Date(at);
    const body = JSON.stringify({ id: eventId, type, createdAt: universal(at), storeId, data });
    em.persist(em.create(EventEntity, { storeId, eventId, type, body, createdAt }));
    for (const { webhook_id: webhookId, url } of receivers.filter((receiver) => receiver.event_types.includes(type))) {
      const deliveryId = newId('dlv', at);
      em.persist(
        em.create(WebhookDeliveryEntity, {
          storeId,
          deliveryId,
          webhookId,
          eventId,
          eventType: type,
          url,
          status: 'PENDING',
          attemptCount: 0,
          createdAt,
        }),
      );
      const workflowId = webhookWorkflowId(storeId, deliveryId);
      bear(em, {
        storeId,
        kind: 'webhookDelivery',
        workflowId,
        runId: deliveryId,
        orderNo: null,
        wakeAt: at,
        status: 'PENDING',
        bornAt: realNow,
      });
    }
  }
}
