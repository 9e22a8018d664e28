import { releaseRefund } from '../../db/payments/refunds.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Refund, viewRefund } from './schemas.ts';
import { REFUND } from './subject.ts';

export const process = endpoint({
  id: 'refunds.process',
  route: 'POST /v1/payments/refunds/{refundId}/process',
  summary: 'Pay back a refund that was held, once',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'approval',
  target: REFUND,
  facts: ['amount', 'orderId', 'orderItemId'],
  change: 'here',
  idempotent: true,
  data: Refund,
  errors: ['REFUND_NOT_FOUND', 'REFUND_NOT_HELD'],
}).handle(async ({ tx, params }) => viewRefund(await releaseRefund(tx, params.refundId)));
