/** A seller's cancel of an order item, full or partial: stock, delivery fee and refund in one transaction. */
import { LockMode } from '@mikro-orm/core';
import type { OrderItemMessages } from '../../domain/orders/messages.ts';
import type { Command } from '../../workflows/kernel/messages.ts';
import { refundShare, computeSellerCancel, type CancelAmounts } from '../../domain/orders/refunds.ts';
import { DEFAULT_REFUND_POLICY } from '../../domain/products/refundPolicy.ts';
import { returnStock } from '../products/stock.ts';
import type { Tx } from '../kernel/tx.ts';
import { requestRefund } from '../payments/refunds.ts';
import { consumeText } from '../runs/text.ts';
import { type Order, OrderBundleEntity, type OrderItem } from './entities.ts';

type CancelInput = OrderItemMessages['commands']['cancel'];

export interface Canceling {
  readonly tx: Tx;
  readonly item: OrderItem;
  /** Locked, which serializes cancels within one order. */
  readonly order: Order;
}
/** The reply to a seller's cancel (docs/contract.md#cancel, D71). Won. */
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
export const auditedCancel = (command: Command<'orderItem'> | null, { refundAmount, pointRefundAmount, refundId }: Canceled) => ({
  reason: command?.name === 'cancel' ? command.input.reason : null,
  refundAmount,
  pointRefundAmount,
  refundId,
});

/** Cancels `quantity` units. 3 units of 10,000 in all, one by one: 3,333, 3,333, 3,334, the last plus the bundle's fee. */
export async function cancelItem(canceling: Canceling, input: CancelInput, quantity: number): Promise<Canceled> {
  const { tx, item, order } = canceling;
  const { storeId, orderItemId, orderId, variantId, stay = null } = item;
  const before = item.canceledQuantity;
  const shareWon = refundShare(item.totalPriceWon, item.quantity, before, quantity);
  item.canceledQuantity = before + quantity;
  const amounts = await computeCancel(canceling, shareWon);
  await returnStock(tx, [{ variantId, quantity, stay }], {
    reason: 'CANCEL',
    reference: `${orderItemId}/${item.canceledQuantity}`,
    at: tx.at,
  });
  await appendMemo(canceling, input, quantity);
  if (item.canceledQuantity === item.quantity) {
    item.autoDecisionAt = null;
    if (item.fulfillment) item.fulfillment = { ...item.fulfillment, status: 'REVOKED' };
  }
  const refundOf = {
    storeId,
    orderId,
    orderItemId,
    paymentId: order.paymentId,
    amountWon: amounts.refundWon,
    cause: 'SELLER_CANCEL',
  } as const;
  const refund = amounts.refundWon > 0 ? await requestRefund(tx, { ...refundOf, isHeld: input.holdRefund === true }) : null;
  return {
    quantity,
    refundAmount: amounts.refundWon,
    pointRefundAmount: 0,
    canceledQuantity: item.canceledQuantity,
    deliveryFeeRefundAmount: amounts.deliveryFeeRefundWon,
    deliveryFeeChargeAmount: amounts.deliveryFeeChargeWon,
    refundId: refund?.refundId ?? null,
  };
}

async function computeCancel({ tx, item }: Canceling, shareWon: number): Promise<CancelAmounts> {
  const { storeId, orderId, orderItemId, bundleNo } = item;
  const bundle =
    bundleNo > 0 ? await tx.em.findOne(OrderBundleEntity, { storeId, orderId, bundleNo }, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null;
  if (!bundle) return { refundWon: shareWon, deliveryFeeRefundWon: 0, deliveryFeeChargeWon: 0, feeRefundedWon: 0, shortfallChargedWon: 0 };
  const [rest] = await tx.sql<{ won: string | null }>`
    SELECT sum(unit_price_won::bigint * (quantity - canceled_quantity)) AS won FROM order_item
     WHERE store_id = ${storeId} AND order_id = ${orderId} AND bundle_no = ${bundleNo} AND order_item_id <> ${orderItemId}`;
  const remainingWon = Number(rest?.won ?? 0) + item.unitPriceWon * (item.quantity - item.canceledQuantity);
  const policy = item.refundPolicy ?? DEFAULT_REFUND_POLICY;
  const amounts = computeSellerCancel({
    policy,
    shareWon,
    remainingWon,
    bundle: { ...bundle, conditionalFreeWon: bundle.conditionalFreeWon ?? null },
  });
  bundle.feeRefundedWon = amounts.feeRefundedWon;
  bundle.shortfallChargedWon = amounts.shortfallChargedWon;
  return amounts;
}

/** Appends the reason to the seller's memo, with its free text, which was passed by its id (X24). */
async function appendMemo({ tx, item }: Canceling, input: CancelInput, quantity: number): Promise<void> {
  const detail = await consumeText(tx, input.detailId);
  const line = `[취소 ${quantity}개: ${input.reason}]${detail === null ? '' : ` ${detail}`}`;
  item.sellerMemo = item.sellerMemo ? `${item.sellerMemo}\n${line}` : line;
}
