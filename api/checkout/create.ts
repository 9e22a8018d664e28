import { linesOf } from '../../db/cart/queries.ts';
import { openCheckout } from '../../db/checkout/commands.ts';
import { readUsable } from '../../db/checkout/points.ts';
import { readSettings } from '../../db/paymentSettings/queries.ts';
import { readStore } from '../../db/stores/queries.ts';
import { CHECKOUT_LINES } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { stayProblems } from '../../domain/products/calendar.ts';
import { FULFILLMENT_METHODS } from '../../domain/products/rules.ts';
import { closed, Id, oneOf, Stay, Type } from '../declare/schema.ts';
import { Checkout, viewCheckout } from './schemas.ts';

const Line = closed(
  { productId: Id, optionId: Type.Optional(Id), quantity: Type.Integer({ minimum: 1, maximum: 999 }), stay: Type.Optional(Stay) },
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
      fulfillmentMethod: Type.Optional(oneOf(FULFILLMENT_METHODS, 'For all lines; each product’s own first when left out')),
      pickupLocationId: Type.Optional(Id),
    },
    { title: 'CheckoutRequest', 'x-document': { oneOf: [{ required: ['items'] }, { required: ['cartItemIds'] }] } },
  ),
  check: (body) => [
    ...('items' in body === 'cartItemIds' in body
      ? [{ field: 'items', code: 'REQUIRED', message: 'Send either items or cartItemIds.' }]
      : []),
    ...(body.items ?? []).flatMap((item, i) => stayProblems(item?.stay, `items[${i}].stay`)),
  ],
  status: 201,
  data: Checkout,
  errors: [
    'PRODUCT_NOT_FOUND',
    'VARIANT_NOT_FOUND',
    'OUT_OF_STOCK',
    'CART_ITEM_NOT_FOUND',
    'GUEST_CHECKOUT_DISABLED',
    'STAY_REQUIRED',
    'STAY_NOT_APPLICABLE',
    'DATES_UNAVAILABLE',
    'FULFILLMENT_METHOD_NOT_ALLOWED',
    'PICKUP_LOCATION_REQUIRED',
    'PICKUP_LOCATION_NOT_FOUND',
    'PICKUP_LOCATION_NOT_APPLICABLE',
  ],
  // 400 instead of 404: the location is named in the body, not in the path (docs/contract.md#checkout).
  statuses: { PICKUP_LOCATION_NOT_FOUND: 400 },
}).handle(async ({ tx, sessionId, customer, body, setHeader }) => {
  const store = await readStore(tx);
  if (!customer && !store.guestCheckoutEnabled) throw new Fault('GUEST_CHECKOUT_DISABLED');
  const { items, cartItemIds = [], ...handover } = body;
  const lines = items ?? (await linesOf(tx, sessionId!, cartItemIds));
  const checkout = await openCheckout(tx, sessionId!, { lines, cartItemIds, ...handover });
  setHeader('Location', `/storefront/v1/checkout/${checkout.checkoutId}`);
  const usable = await readUsable(tx, checkout, customer?.customerId ?? null);
  return viewCheckout(checkout, { store, settings: await readSettings(tx), usable });
});
