/**
 * What a flow does with the money and the stock of an item that moves with it (F40): a refund on the way, stock given back and taken again,
 * the cancel at a CANCELED end. The order is locked, and stock before points. `id` identifies the effect among those of the item:
 * `seq.index`.
 */
import { recordUnsellable, returnStock, takeAtMost } from '../../products/stock.ts';
import { type Canceled, type Canceling, cancelUnits } from '../cancel.ts';
import type { OrderItem } from '../entities.ts';
import { type RequestedAmounts, settleItem } from '../departures.ts';

const remaining = ({ quantity, canceledQuantity }: OrderItem): number => quantity - canceledQuantity;

/**
 * Pays what is refundable less `deductWon`, once; the item stays active, and nothing pays for it again: neither an end nor a cancel nor a
 * claim.
 */
export const refundOnTheWay = ({ tx, order, item }: Canceling, deductWon: number, id: string): Promise<RequestedAmounts> =>
  settleItem(tx, order, item, deductWon, `flow/${id}`);

/**
 * Cancels all that remains, as a seller's cancel does: at the seller's fault, with stock, points and the amounts of ORDER.CANCELED. What
 * the flow has refunded or given back to stock on the way is not again. Null where nothing remains.
 */
export async function cancelRest(canceling: Canceling): Promise<Canceled | null> {
  const quantity = remaining(canceling.item);
  return quantity === 0 ? null : cancelUnits(canceling, quantity, false);
}

/** Gives the remaining units back to stock, or their nights; they are not given back again as they leave. */
export async function restoreStock({ tx, item }: Omit<Canceling, 'order'>, id: string): Promise<void> {
  const { variantId, stay = null, orderItemId, isRestocked } = item;
  if (isRestocked) return;
  item.isRestocked = true;
  await returnStock(tx, [{ variantId, quantity: remaining(item), stay }], {
    reason: 'FLOW_RESTORED',
    reference: `${orderItemId}/${id}`,
    at: tx.at,
  });
}

/**
 * Takes what was given back, as far as it has not been sold meanwhile; the flow goes on without the rest, which is a shortfall movement of
 * its own, as at the rejection of a claim. Returns how many units are missing.
 */
export async function captureStock({ tx, item }: Omit<Canceling, 'order'>, id: string): Promise<number> {
  const { variantId, stay = null, orderItemId, isRestocked } = item;
  if (!isRestocked) return 0;
  item.isRestocked = false;
  const reference = `${orderItemId}/${id}`;
  const missing = await takeAtMost(tx, { variantId, quantity: remaining(item), stay }, { reason: 'FLOW_CAPTURED', reference });
  await recordUnsellable(tx, { variantId, quantity: missing, reason: 'FLOW_SHORTFALL', reference });
  return missing;
}
