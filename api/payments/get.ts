import { readAttempts, readPayment } from '../../db/payments/queries.ts';
import { refundsOf } from '../../db/payments/refunds.ts';
import { endpoint } from '../declare/endpoint.ts';
import { PaymentDetail, viewDetail } from './records.ts';

export const get = endpoint({
  id: 'payments.get',
  route: 'GET /v1/payments/{paymentId}',
  summary: 'Read a payment with its attempts and refunds',
  access: 'store',
  scopes: ['settlement:r'],
  change: 'none',
  data: PaymentDetail,
  errors: ['PAYMENT_NOT_FOUND'],
}).handle(async ({ tx, params: { paymentId } }) => {
  const read = [readPayment(tx, paymentId), readAttempts(tx, paymentId), refundsOf(tx, paymentId)] as const;
  return viewDetail(...(await Promise.all(read)));
});
