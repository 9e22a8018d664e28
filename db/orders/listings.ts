/** How the fields of items and orders are listed in previews and in the audit log. */
import type { Listing } from '../../domain/audit/changes.ts';

export const ITEM_LISTING: Listing = {
  given: [
    'orderItemId',
    'orderItemNo',
    'dispatch.dispatchedAt',
    'dispatch.deliveredAt',
    'fulfillment.fulfilledAt',
    'hold.heldAt',
    'claims[].requestedAt',
    'lastChangedAt',
    // Told by the facts of its step (stepFacts.ts).
    'flowState',
    'actions',
  ],
  hidden: ['sellerMemo', 'note', 'shippingAddress', 'buyer'],
  levels: ['autoDecisionDate'],
};
const ofItems = (paths: readonly string[] = []) => paths.map((path) => `items[].${path}`);
/** The same of an order with its items. */
export const ORDER_LISTING: Listing = {
  given: [
    ...ofItems(ITEM_LISTING.given),
    'orderedAt',
    'addressChange.requestedAt',
    'addressChange.decidedAt',
    'payment.approvedAt',
    'lastChangedAt',
  ],
  hidden: ITEM_LISTING.hidden ?? [],
  levels: ofItems(ITEM_LISTING.levels),
};
