import type { Refund as Row } from '../../db/payments/entities.ts';
import { REFUND_STATUSES } from '../../domain/payments/rules.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { closed, Id, nullable, oneOf, Timestamp, Type, Won } from '../declare/schema.ts';

export const Refund = closed(
  {
    refundId: Id,
    orderId: Id,
    orderItemId: Id,
    amount: Won,
    status: oneOf(REFUND_STATUSES),
    cause: Type.String(),
    createdAt: Timestamp,
    settledAt: nullable(Timestamp),
  },
  { title: 'Refund' },
);

export const viewRefund = (refund: Row) => ({
  refundId: refund.refundId,
  orderId: refund.orderId,
  orderItemId: refund.orderItemId,
  amount: refund.amountWon,
  status: refund.status,
  cause: refund.cause,
  createdAt: koreanOf(refund.createdAt),
  settledAt: koreanOf(refund.settledAt),
});
