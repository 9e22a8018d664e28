/** An order item as the rules of filing take it. */
import { isShipped } from '../../../domain/checkout/rules.ts';
import type { ClaimableItem } from '../../../domain/claims/filing.ts';
import { flowFacts, refundableWon } from '../../flows/facts.ts';
import { flowOf } from '../../flows/loaded.ts';
import type { OrderItem } from '../entities.ts';
import { flowStateOf } from './states.ts';

/** No permission depends on the settings. */
const NO_SETTINGS = { autoDeliverDays: 0, autoConfirmDays: 0 };

/** `flowState`: where it stands, what has fallen due included. `loadStates` was called for it. */
export function claimable(item: OrderItem, flowState = flowStateOf(item)): ClaimableItem {
  const { orderItemId, quantity, canceledQuantity } = item;
  return {
    orderItemId,
    flow: flowOf(item),
    flowState,
    facts: flowFacts(item, [item], NO_SETTINGS),
    quantity,
    canceledQuantity,
    isShipped: isShippedItem(item),
    refundableWon: (units) => refundableWon(item, units),
  };
}

export const isShippedItem = ({ fulfillmentSnapshot: { method } }: OrderItem): boolean => isShipped({ fulfillmentMethod: method });
