import type { Canceled } from '../../db/orders/cancel.ts';
import { CANCEL_REASONS } from '../../domain/orders/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Count, Id, nullable, oneOf, Type, Won } from '../declare/schema.ts';
import { sendItemCommand, COMMAND_ERRORS } from './sendCommand.ts';
import { ORDER_ITEM } from './subject.ts';

export const cancel = endpoint({
  id: 'orders.cancel',
  route: 'POST /v1/order-items/{orderItemId}/cancel',
  summary: 'Cancel an item, whole or in part, and pay it back',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'approval',
  target: ORDER_ITEM,
  facts: ['refundAmount', 'pointRefundAmount', 'quantity', 'canceledQuantity', 'deliveryFeeRefundAmount', 'deliveryFeeChargeAmount'],
  unshown: ['detail'],
  change: 'workflow',
  idempotent: true,
  body: closed(
    {
      reason: oneOf(CANCEL_REASONS),
      detail: Type.Optional(Type.String({ maxLength: 500, description: 'Appended to the seller memo' })),
      quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 999, description: 'All that remain when omitted' })),
      holdRefund: Type.Optional(Type.Boolean({ description: 'Settle now; pay back at POST /v1/payments/refunds/{refundId}/process' })),
    },
    { title: 'CancelRequest' },
  ),
  data: closed(
    {
      refundAmount: Won,
      pointRefundAmount: Won,
      quantity: Count,
      canceledQuantity: Type.Integer({ minimum: 0, description: 'Of this item so far' }),
      deliveryFeeRefundAmount: Won,
      deliveryFeeChargeAmount: Won,
      refundId: nullable(Id),
    },
    { title: 'Cancellation' },
  ),
  errors: [...COMMAND_ERRORS, 'ALREADY_CANCELED', 'PERIOD_EXPIRED', 'INVALID_QUANTITY'],
}).handle(async (call) => {
  const { detail, ...input } = call.body;
  const texts = detail === undefined ? {} : { texts: { detailId: detail } };
  return (await sendItemCommand(call, call.params.orderItemId, { name: 'cancel', input, ...texts })) as Canceled;
});
