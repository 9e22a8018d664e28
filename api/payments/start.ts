import { findCheckout } from '../../db/checkout/queries.ts';
import { startPurchase } from '../../db/purchases.ts';
import { readStore } from '../../db/stores/queries.ts';
import type { Customer } from '../../db/customers/queries.ts';
import type { Buyer } from '../../domain/checkout/rules.ts';
import { Fault, invalid } from '../../domain/kernel/errors.ts';
import { checkReturnUrl, wayProblems } from '../../domain/payments/returnUrl.ts';
import { hashOrderPassword } from '../callers/passwords.ts';
import type { Static } from '../declare/schema.ts';
import { choosing } from '../paymentSettings/circuits.ts';
import { endpoint } from '../declare/endpoint.ts';
import { VISIT, visitOf } from '../visits/visit.ts';
import { optionOf, PaymentRequest, PaymentStarted, viewStarted } from './schemas.ts';

export const start = endpoint({
  id: 'payments.start',
  route: 'POST /storefront/v1/checkout/{checkoutId}/payment',
  summary: 'Start to pay a checkout, or start anew; the payment lasts 10 minutes',
  access: 'buyer',
  headers: VISIT,
  change: 'here',
  idempotent: true,
  body: PaymentRequest,
  // With points it depends on the prices whether anything remains to be paid (D43).
  check: (body) => (('pointAmount' in body ? body.pointAmount : 0) === 0 ? wayProblems(body) : []),
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
    'PAYMENT_PROVIDER_UNAVAILABLE',
    'LIVE_PAYMENTS_DISABLED',
    'POINTS_UNAVAILABLE',
    'POINT_BALANCE_CHANGED',
    'POINT_BALANCE_INSUFFICIENT',
    'GUEST_CHECKOUT_DISABLED',
  ],
})
  .before(async (call) => {
    const { body, customer } = call;
    if (!body.pointAmount) checkReturnUrl(body.returnUrl!);
    if (customer) return { buyer: buyerOf(customer, body), orderPasswordHash: null };
    if (body.pointAmount) throw new Fault('POINTS_UNAVAILABLE');
    if (!body.guest) throw invalid('guest', 'REQUIRED', 'Who orders?');
    const { orderPassword, ...buyer } = body.guest;
    return { buyer, orderPasswordHash: await hashOrderPassword(orderPassword, call) };
  })
  .handle(async ({ tx, sessionId, customer, params, body, prepared, deps, header }) => {
    const checkout = await findCheckout(tx, params.checkoutId, sessionId!, true);
    const store = await readStore(tx);
    if (!customer && !store.guestCheckoutEnabled) throw new Fault('GUEST_CHECKOUT_DISABLED');
    const { option, returnUrl, shippingAddress = null, pointAmount = 0, expectedTotalAmount } = body;
    const expected = expectedTotalAmount === undefined ? {} : { expectedTotalAmount };
    const way = { ...(option && { option: optionOf(option) }), ...(returnUrl !== undefined && { returnUrl }) };
    const wanted = { ...way, shippingAddress, pointAmount, ...prepared, visit: visitOf(header), ...expected };
    return viewStarted(await choosing(deps, tx, () => startPurchase(tx, checkout, wanted)), deps.config.publicUrl);
  });

/** The buyer of an order; a customer without a name gets the receiver's. */
function buyerOf({ customerId, email, name, phone }: Customer, { guest, shippingAddress }: Static<typeof PaymentRequest>): Buyer {
  return {
    customerId,
    email,
    name: name ?? guest?.name ?? shippingAddress?.receiverName ?? email,
    phone: phone ?? guest?.phone ?? shippingAddress?.phone ?? '',
  };
}
