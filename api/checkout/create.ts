import { linesOf } from '../../db/cart/store.ts';
import { openCheckout } from '../../db/checkout/store.ts';
import { readStore } from '../../db/stores/store.ts';
import { CHECKOUT_LINES } from '../../workflows/checkout/rules.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
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
  summary: 'Open a checkout, from the cart or for a direct purchase; it lasts 30 minutes',
  access: 'buyer',
  change: 'here',
  idempotent: true,
  body: closed(
    {
      items: Type.Optional(Type.Array(Line, { minItems: 1, maxItems: CHECKOUT_LINES })),
      cartItemIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: CHECKOUT_LINES, uniqueItems: true })),
    },
    { title: 'CheckoutRequest' },
  ),
  check: ({ items, cartItemIds }) =>
    (items === undefined) === (cartItemIds === undefined)
      ? [{ field: 'items', code: 'REQUIRED', message: 'Send either items or cartItemIds.' }]
      : [],
  status: 201,
  data: Checkout,
  errors: ['PRODUCT_NOT_FOUND', 'VARIANT_NOT_FOUND', 'OUT_OF_STOCK', 'CART_ITEM_NOT_FOUND', 'GUEST_CHECKOUT_DISABLED'],
}).handle(async ({ em, storeId, sessionId, customer, body, at, setHeader }) => {
  const store = await readStore(em, storeId);
  if (!customer && !store.guestCheckoutEnabled) throw new Fault('GUEST_CHECKOUT_DISABLED');
  const { cartItemIds = [] } = body;
  const lines = body.items ?? (await linesOf(em, storeId, sessionId!, cartItemIds));
  const checkout = await openCheckout(em, storeId, sessionId!, { lines, cartItemIds }, at);
  setHeader('Location', `/storefront/v1/checkout/${checkout.checkoutId}`);
  return viewCheckout(checkout, store);
});
