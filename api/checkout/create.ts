import { openCheckout } from '../../db/checkout/store.ts';
import { CHECKOUT_LINES } from '../../workflows/checkout/rules.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, Id, Type } from '../kernel/schema.ts';
import { Checkout, viewCheckout } from './schemas.ts';

const Line = closed(
  { productId: Id, optionId: Type.Optional(Id), quantity: Type.Integer({ minimum: 1, maximum: 999 }) },
  { title: 'CheckoutLine' },
);

export const create = endpoint({
  id: 'checkout.create',
  route: 'POST /storefront/v1/checkout',
  summary: 'Open a checkout for a direct purchase; it lasts 30 minutes',
  access: 'buyer',
  change: 'here',
  idempotent: true,
  body: closed({ items: Type.Array(Line, { minItems: 1, maxItems: CHECKOUT_LINES }) }, { title: 'CheckoutRequest' }),
  status: 201,
  data: Checkout,
  errors: ['PRODUCT_NOT_FOUND', 'VARIANT_NOT_FOUND', 'OUT_OF_STOCK'],
}).handle(async ({ em, storeId, sessionId, body, at, setHeader }) => {
  const checkout = await openCheckout(em, storeId, sessionId!, body.items, at);
  setHeader('Location', `/storefront/v1/checkout/${checkout.checkoutId}`);
  return viewCheckout(checkout);
});
