/** What the courier reports of a shipment, as an event of the item's flow. */
import { leaves, isHeld } from '../../../domain/flows/run/positions.ts';
import { edgesOn } from '../../../domain/flows/run/enter.ts';
import { deliveredAt } from '../../../domain/orders/tracking.ts';
import { flowOf } from '../../flows/loaded.ts';
import { advance } from './advance.ts';
import { stateOf, type TransitionContext } from './context.ts';
import type { OrderItem } from '../entities.ts';
import { trackingOf } from '../tracking.ts';

/** The courier reports its delivery, which its flow has not taken yet. */
export function isDelivered(item: OrderItem): boolean {
  const tracking = trackingOf(item);
  return tracking !== null && deliveredAt(tracking) !== null;
}

const DELIVERED = { type: 'event', name: 'courier.delivered' } as const;
/**
 * Moves the item on when the courier reports its delivery, at the reported time; while a claim is open, this waits, and a flow that has no
 * use for it stays where it is. A delivery that only a corrected number revealed counts from the correction, so that the buyer has all days
 * to decide.
 */
export async function deliver(context: TransitionContext): Promise<void> {
  const { item, tx } = context;
  const tracking = trackingOf(item);
  const reported = tracking && deliveredAt(tracking);
  const state = stateOf(context);
  if (!tracking || reported === null || isHeld(flowOf(item), state, item.orderItemId)) return;
  if (!leaves(flowOf(item), state).some((location) => edgesOn(location, DELIVERED).length > 0)) return;
  const since = Math.max(tracking.since, state.positions[0]!.enteredAt);
  const when = Math.min(tx.at, Math.max(reported, since));
  await advance(context, { ...DELIVERED, ...(context.group && { member: item.orderItemId }) }, { when });
}
