import { hash } from '@node-rs/argon2';
import { findCheckout } from '../../db/checkout/store.ts';
import { startPayment } from '../../db/payments/store.ts';
import { readStore } from '../../db/stores/store.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { checkReturnUrl, returnUrlProblems } from './returnUrl.ts';
import { PaymentRequest, PaymentStarted, viewStarted } from './schemas.ts';

/** argon2id, 19 MiB, two passes: the recommendation of design/identity-security.md § 2. */
const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const start = endpoint({
  id: 'payments.start',
  route: 'POST /storefront/v1/checkout/{checkoutId}/payment',
  summary: 'Start to pay a checkout, or start anew; the payment lasts 10 minutes',
  access: 'buyer',
  change: 'here',
  idempotent: true,
  body: PaymentRequest,
  check: returnUrlProblems,
  data: PaymentStarted,
  errors: [
    'RETURN_URL_NOT_ALLOWED',
    'SHIPPING_ADDRESS_REQUIRED',
    'CHECKOUT_NOT_FOUND',
    'CHECKOUT_EXPIRED',
    'CHECKOUT_STALE',
    'AMOUNT_CHANGED',
    'ALREADY_PAID',
    'PAYMENT_IN_PROGRESS',
    'PAYMENT_NOT_CONFIGURED',
    'POINTS_UNAVAILABLE',
    'GUEST_CHECKOUT_DISABLED',
  ],
})
  .before(async ({ body }) => {
    checkReturnUrl(body.returnUrl);
    if (body.pointAmount) throw new Fault('POINTS_UNAVAILABLE');
    return hash(body.guest.orderPassword, ARGON2);
  })
  .handle(async ({ em, storeId, sessionId, params, body, prepared: orderPasswordHash, at, realNow, deps }) => {
    const checkout = await findCheckout(em, storeId, params.checkoutId, sessionId!, true);
    const store = await readStore(em, storeId);
    if (!store.guestCheckoutEnabled) throw new Fault('GUEST_CHECKOUT_DISABLED');
    const { option, returnUrl, shippingAddress = null, expectedTotalAmount } = body;
    const { name, phone, email } = body.guest;
    const testPayment = deps.config.toss.secretKey.startsWith('test_');
    const expected = expectedTotalAmount === undefined ? {} : { expectedTotalAmount };
    const wanted = { option, returnUrl, shippingAddress, buyer: { name, phone, email }, orderPasswordHash, testPayment, ...expected };
    return viewStarted(await startPayment(em, checkout, wanted, { at, realNow }), deps.config.publicUrl);
  });
