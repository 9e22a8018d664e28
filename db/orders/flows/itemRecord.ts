/** What a step changes of an item's own record: status, dispatch, tracking, end of a hold, provision, delivery, date of the decision. */
import { decisionAt } from '../../../domain/flows/run/decision.ts';
import type { Effect } from '../../../domain/flows/run/state.ts';
import { isFinal } from '../../../domain/flows/graph/status.ts';
import { dateOf } from '../../../domain/kernel/time.ts';
import type { DeliveryMethod } from '../../../domain/orders/rules.ts';
import { beginTracking, isTracked } from '../../../domain/orders/tracking.ts';
import { flowOf } from '../../flows/loaded.ts';
import type { Tx } from '../../kernel/tx.ts';
import type { OrderItem } from '../entities.ts';
import { flowStateOf } from './states.ts';

/**
 * What the seller hands over with an action: a shipment, or a provision with its note. Such an action does so whatever its edge says (F21).
 */
export type Handover =
  | {
      readonly type: 'dispatch';
      readonly deliveryMethod: DeliveryMethod;
      readonly carrierCode: string | null;
      readonly trackingNumber: string | null;
    }
  | { readonly type: 'fulfill'; readonly note: string | null };

/** `handover`: of the action with which the item moves. */
export function applyToItem({ at }: Tx, item: OrderItem, effects: readonly Effect[], handover?: Handover): void {
  const status = effects.findLast((effect) => effect.type === 'status');
  if (status) item.status = status.to;
  if (handover?.type === 'dispatch') {
    const { type: _type, ...dispatch } = handover;
    item.dispatch = { ...dispatch, dispatchedAt: at, deliveredAt: null };
  }
  track(item, effects, handover, at);
  if (item.status !== 'PAID' && item.status !== 'CONFIRMED') item.hold = null;
  provide(item, effects, handover);
  const delivered = effects.find((effect) => effect.type === 'status' && effect.to === 'DELIVERED');
  if (delivered && item.dispatch) item.dispatch = { ...item.dispatch, deliveredAt: delivered.at };
  recordDecisionDate(item, effects);
}

/** A shipment is tracked from its dispatch on, until its flow stops that. */
function track(item: OrderItem, effects: readonly Effect[], handover: Handover | undefined, at: number): void {
  const isBegun = handover?.type === 'dispatch' || effects.some((effect) => effect.type === 'tracking.start');
  if (isBegun && isTracked(item.dispatch ?? null, item.status)) item.tracking = beginTracking(at, item.tracking ?? null);
  if (item.tracking && effects.some((effect) => effect.type === 'tracking.stop')) item.tracking = { ...item.tracking, nextAt: null };
}

function provide(item: OrderItem, effects: readonly Effect[], handover: Handover | undefined): void {
  const provided = effects.find((effect) => effect.type === 'fulfillment.record');
  if (!provided) return;
  const note = handover?.type === 'fulfill' ? handover.note : null;
  item.fulfillment = { status: 'PROVIDED', note, fulfilledAt: provided.at };
}

/** The date of the automatic decision: set at delivery, moved by an extension, null while nothing is due. */
function recordDecisionDate(item: OrderItem, effects: readonly Effect[]): void {
  const decided = effects.find((effect) => effect.type === 'status' && effect.to === 'PURCHASE_DECIDED');
  const isDelivered = item.status === 'DELIVERED' || effects.some((effect) => effect.type === 'status' && effect.to === 'DELIVERED');
  if (!isDelivered) {
    // A move or another version of the flow has set it back.
    if (!isFinal(item.status)) item.autoDecisionAt = null;
    return;
  }
  const at = decisionAt(flowOf(item), flowStateOf(item)) ?? decided?.at;
  item.autoDecisionAt = dateOf(at);
}
