/** Events of an order item's steps (docs/contract.md#events). */
import { noticesOf } from '../../../domain/flows/run/notices.ts';
import type { Effect } from '../../../domain/flows/run/state.ts';
import type { PublicStatus } from '../../../domain/flows/graph/status.ts';
import { progressStatus } from '../../../domain/orders/status.ts';
import type { NewEvent } from '../../webhooks/events.ts';
import type { Order, OrderItem } from '../entities.ts';

interface Sibling {
  readonly id: string;
  readonly status: PublicStatus;
}
interface Happened {
  readonly event: { readonly type: string };
  readonly effects: readonly Effect[];
}

/** The events of a step, each with the order's status at its time; but ORDER.CANCELED, which tells what was given back. */
export function eventsOf(order: Order, item: OrderItem, siblings: readonly Sibling[], { event, effects }: Happened): NewEvent[] {
  const { orderId, testPayment } = order;
  const { orderItemId, fulfillmentSnapshot } = item;
  const notices = noticesOf(event, effects).filter(({ members }) => members === undefined || members.includes(orderItemId));
  const isProvision = notices.some(({ type }) => type === 'ORDER.FULFILLED');
  return notices.flatMap((notice): NewEvent[] => {
    const { type, at } = notice;
    if (type === 'ORDER.CANCELED') return [];
    const own = notice.status ?? item.status;
    if (type === 'ORDER.FLOW_STATE_CHANGED') {
      const { from, to, label } = notice;
      return [{ type, at, data: { orderId, orderItemId, from, to, label, coreStatus: own } }];
    }
    const status = progressStatus(siblings.map((sibling) => (sibling.id === orderItemId ? own : sibling.status)));
    const data = { orderId, status, testPayment };
    if (type === 'ORDER.FULFILLED') return [{ type, at, data: { ...data, orderItemId } }];
    if (type === 'ORDER.FLOW_NOTIFICATION') return [{ type, at, data: { ...data, orderItemId, name: notice.name } }];
    if (type === 'ORDER.DELIVERED' && isProvision) return [{ type, at, data: { ...data, orderItemId, fulfillmentSnapshot } }];
    return [{ type, at, data }];
  });
}
