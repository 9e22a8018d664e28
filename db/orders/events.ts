/** Events of an order item's steps (docs/contract.md#events, D14, D87). */
import type { Effect } from '../../domain/flows/state.ts';
import { progressStatus } from '../../domain/orders/status.ts';
import { type PublicStatus } from '../../domain/flows/status.ts';
import type { NewEvent } from '../webhooks/events.ts';
import type { Order, OrderItem } from './entities.ts';

type StatusEvent = 'ORDER.CONFIRMED' | 'ORDER.DISPATCHED' | 'ORDER.DELIVERED' | 'ORDER.PURCHASE_DECIDED';
/** The event of each public status, however it was reached. */
const STATUS_EVENT: Readonly<Partial<Record<PublicStatus, StatusEvent>>> = {
  CONFIRMED: 'ORDER.CONFIRMED',
  DISPATCHED: 'ORDER.DISPATCHED',
  DELIVERED: 'ORDER.DELIVERED',
  PURCHASE_DECIDED: 'ORDER.PURCHASE_DECIDED',
};

interface Sibling {
  readonly id: string;
  readonly status: PublicStatus;
}

/** One event per entered flow state and per new public status; for a fulfillment ORDER.FULFILLED and ORDER.DELIVERED (D14). */
export function eventsOf(order: Order, item: OrderItem, siblings: readonly Sibling[], effects: readonly Effect[]): NewEvent[] {
  const { orderId, testPayment } = order;
  const { orderItemId } = item;
  const isProvision = effects.some((effect) => effect.type === 'fulfillment.record');
  let coreStatus = statusBefore(item, effects);
  return effects.flatMap((effect, i): NewEvent[] => {
    if (effect.type === 'state') {
      const follows = effects[i + 1];
      const next = follows?.type === 'status' ? follows.to : coreStatus;
      const { from, to, label, at } = effect;
      return [{ type: 'ORDER.FLOW_STATE_CHANGED', at, data: { orderId, orderItemId, from, to, label, coreStatus: next } }];
    }
    if (effect.type !== 'status') return [];
    coreStatus = effect.to;
    const status = progressStatus(siblings.map((sibling) => (sibling.id === orderItemId ? effect.to : sibling.status)));
    const type = STATUS_EVENT[effect.to];
    if (!type) return [];
    if (!isProvision || effect.to !== 'DELIVERED') return [{ type, at: effect.at, data: { orderId, status, testPayment } }];
    const data = { orderId, orderItemId, status, testPayment };
    return [
      { type: 'ORDER.FULFILLED', at: effect.at, data },
      { type: 'ORDER.DELIVERED', at: effect.at, data: { ...data, fulfillmentSnapshot: item.fulfillmentSnapshot } },
    ];
  });
}

function statusBefore(item: OrderItem, effects: readonly Effect[]): PublicStatus {
  const first = effects.find((effect) => effect.type === 'status');
  return first ? first.from : item.status;
}
