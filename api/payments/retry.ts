import { retryPayment } from '../../db/payments/attempts.ts';
import { checkReturnUrl, returnUrlProblems } from '../../domain/payments/returnUrl.ts';
import { choosing } from '../paymentSettings/circuits.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { Option, optionOf, PaymentStarted, ReturnUrl, viewStarted } from './schemas.ts';

export const retry = endpoint({
  id: 'payments.retry',
  route: 'POST /storefront/v1/payments/{paymentId}/attempts',
  summary: 'Try again to pay, with any provider, within the same 10 minutes',
  access: 'payment',
  change: 'here',
  idempotent: true,
  body: closed({ option: Option, returnUrl: Type.Optional(ReturnUrl) }, { title: 'AttemptRequest' }),
  check: returnUrlProblems,
  data: PaymentStarted,
  errors: [
    'PAYMENT_NOT_FOUND',
    'RETURN_URL_NOT_ALLOWED',
    'PAYMENT_IN_PROGRESS',
    'PAYMENT_EXPIRED',
    'ALREADY_PAID',
    'PAYMENT_NOT_CONFIGURED',
    'PAYMENT_PROVIDER_UNAVAILABLE',
  ],
}).handle(async ({ tx, params, body, deps }) => {
  if (body.returnUrl !== undefined) checkReturnUrl(body.returnUrl);
  const { option, returnUrl = null } = body;
  const wanted = { paymentId: params.paymentId, option: optionOf(option), returnUrl };
  const started = await choosing(deps, tx, () => retryPayment(tx, wanted));
  return viewStarted(started, deps.config.publicUrl);
});
