import { findCheckout } from '../../db/checkout/queries.ts';
import { readStore, shippingPolicyOf } from '../../db/stores/queries.ts';
import { price } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Won, ZipCode } from '../declare/schema.ts';
import { Delivery } from './schemas.ts';

export const quote = endpoint({
  id: 'checkout.quote',
  route: 'POST /storefront/v1/checkout/{checkoutId}/delivery-quote',
  summary: 'What delivery to a zip code costs; the checkout stays as it is',
  access: 'buyer',
  change: 'none',
  body: closed({ zipCode: ZipCode }, { title: 'DeliveryQuoteRequest' }),
  data: closed(
    { amounts: closed({ productAmount: Won, deliveryFee: Won, totalAmount: Won }), delivery: Delivery },
    { title: 'DeliveryQuote' },
  ),
  errors: ['CHECKOUT_NOT_FOUND', 'CHECKOUT_EXPIRED'],
}).handle(async ({ tx, sessionId, params, body, at }) => {
  const checkout = await findCheckout(tx, params.checkoutId, sessionId!);
  if (at >= checkout.expiresAt.getTime()) throw new Fault('CHECKOUT_EXPIRED');
  const { amounts, delivery } = price(checkout.lines, body.zipCode, shippingPolicyOf(await readStore(tx)));
  const { productAmount, deliveryFee, totalAmount } = amounts;
  return { amounts: { productAmount, deliveryFee, totalAmount }, delivery };
});
