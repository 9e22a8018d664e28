/** The order of a step's items: its statuses, and the events, each with its own time and the order's status at that time. */
import { progressStatus } from '../../../domain/orders/status.ts';
import { emit } from '../../webhooks/events.ts';
import type { Tx } from '../../kernel/tx.ts';
import { type EffectResults, touch } from './context.ts';
import type { Order, OrderItem } from '../entities.ts';
import { eventsOf } from './events.ts';
import type { RecordedItem } from './records.ts';

export type Changed = RecordedItem & { readonly canceled: EffectResults['canceled'] };

export async function publish(tx: Tx, order: Order, event: { readonly type: string }, changed: readonly Changed[]): Promise<void> {
  const { storeId, orderId, testPayment } = order;
  const rows = await tx.sql<{ order_item_id: string; status: OrderItem['status'] }>`
    SELECT order_item_id, status FROM order_item WHERE store_id = ${storeId} AND order_id = ${orderId} ORDER BY position`;
  const now = new Map(changed.map(({ item }) => [item.orderItemId, item.status]));
  const items = rows.map(({ order_item_id: id, status }) => ({ id, status: now.get(id) ?? status }));
  const statuses = items.map(({ status }) => status);
  order.representativeStatus = statuses[0] ?? order.representativeStatus;
  order.progressStatus = progressStatus(statuses);
  const events = changed.flatMap(({ item, effects, canceled }) => {
    const own = eventsOf(order, item, items, { event, effects });
    if (!canceled) return own;
    const { refundAmount, pointRefundAmount, quantity: canceledQuantity } = canceled;
    const { orderItemId } = item;
    const data = { orderId, orderItemId, canceledQuantity, refundAmount, pointRefundAmount, status: order.progressStatus, testPayment };
    return [...own, { type: 'ORDER.CANCELED' as const, at: tx.at, data }];
  });
  for (const { item } of changed) touch({ tx, item }, order);
  await emit(tx, events);
}
