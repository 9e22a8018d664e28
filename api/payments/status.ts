import { readPayment } from '../../db/payments/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { PaymentStatus, viewStatus } from './schemas.ts';

export const status = endpoint({
  id: 'payments.status',
  route: 'GET /storefront/v1/payments/{paymentId}',
  summary: 'How a payment stands; needs no token, names nobody',
  access: 'payment',
  change: 'none',
  data: PaymentStatus,
  errors: ['PAYMENT_NOT_FOUND'],
}).handle(async ({ tx, params }) => viewStatus(await readPayment(tx, params.paymentId)));
