import { findRefund } from '../../db/payments/refunds.ts';
import type { Subject } from '../declare/subject.ts';
import { Refund, viewRefund } from './schemas.ts';

export const REFUND: Subject = {
  type: 'REFUND',
  idField: 'refundId',
  listing: { given: ['refundId', 'orderId', 'orderItemId', 'createdAt', 'settledAt'] },
  data: Refund,
  read: async (tx, refundId) => {
    const refund = await findRefund(tx, refundId);
    return refund && viewRefund(refund);
  },
};
