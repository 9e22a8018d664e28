/** A seller's cancel of an order item, full or partial: stock, delivery fee and refund in one transaction. */
import type { OrderItemMessages } from '../../domain/orders/messages.ts';
import { returnStock } from '../products/stock.ts';
import type { Tx } from '../kernel/tx.ts';
import { consumeText } from '../runs/text.ts';
import type { Order, OrderItem } from './entities.ts';
import { closeItem, refundUnits } from './departures.ts';

type CancelInput = OrderItemMessages['commands']['cancel'];

export interface Canceling {
  readonly tx: Tx;
  readonly item: OrderItem;
  /** Locked, which serializes cancels within one order. */
  readonly order: Order;
}
/** The reply to a seller's cancel (docs/contract.md#cancel). Won. */
export interface Canceled {
  readonly refundAmount: number;
  readonly pointRefundAmount: number;
  readonly quantity: number;
  readonly canceledQuantity: number;
  readonly deliveryFeeRefundAmount: number;
  readonly deliveryFeeChargeAmount: number;
  readonly refundId: string | null;
}

/** What the audit log tells of a cancel (G46): its trigger reads it off the flow's step. */
export const auditedCancel = ({ reason }: CancelInput, { refundAmount, pointRefundAmount, refundId }: Canceled) => ({
  reason,
  refundAmount,
  pointRefundAmount,
  refundId,
});

/** A seller's cancel, with its reason in the memo. */
export async function cancelItem(canceling: Canceling, input: CancelInput, quantity: number): Promise<Canceled> {
  const canceled = await cancelUnits(canceling, quantity, input.holdRefund === true);
  await appendMemo(canceling, input, quantity);
  return canceled;
}

/**
 * Cancels `quantity` units at the seller's fault. 3 units of 10,000 in all, one by one: 3,333, 3,333, 3,334, the last plus the bundle's
 * fee. What its flow has refunded or given back to stock on the way is not again (F40).
 */
export async function cancelUnits({ tx, item, order }: Canceling, quantity: number, isHeld: boolean): Promise<Canceled> {
  const { orderItemId, variantId, stay = null } = item;
  const reference = `${orderItemId}/${item.canceledQuantity + quantity}`;
  // Before the points: whoever pays with points alone locks stock and account in this order.
  if (!item.isRestocked) await returnStock(tx, [{ variantId, quantity, stay }], { reason: 'CANCEL', reference, at: tx.at });
  const left = await refundUnits(tx, order, item, {
    quantity,
    cause: 'SELLER_CANCEL',
    isReturn: false,
    isSellerFault: true,
    deductWon: 0,
    isHeld,
  });
  const { canceledQuantity } = item;
  closeItem(item);
  return {
    quantity,
    refundAmount: left.refundWon,
    pointRefundAmount: left.pointRefundWon,
    canceledQuantity,
    deliveryFeeRefundAmount: left.deliveryFeeRefundWon,
    deliveryFeeChargeAmount: left.deliveryFeeChargeWon,
    refundId: left.refundId,
  };
}

/** Appends the reason to the seller's memo, with its free text, which was passed by its id. */
async function appendMemo({ tx, item }: Canceling, input: CancelInput, quantity: number): Promise<void> {
  const detail = await consumeText(tx, input.detailId);
  const text = detail === null ? '' : ` ${detail}`;
  const line = `[취소 ${quantity}개: ${input.reason}]${text}`;
  item.sellerMemo = item.sellerMemo ? `${item.sellerMemo}\n${line}` : line;
}
