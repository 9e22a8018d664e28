import { addToCart } from '../../db/cart/commands.ts';
import { readCart } from '../../db/cart/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { VISIT, visitOf } from '../visits/visit.ts';
import { stayProblems } from '../../domain/products/calendar.ts';
import { closed, Id, Stay, Type } from '../declare/schema.ts';
import { Cart, Quantity, viewCart } from './schemas.ts';

export const add = endpoint({
  id: 'cart.add',
  route: 'POST /storefront/v1/cart/items',
  summary: 'Put an option into the cart; the same option again adds up',
  access: 'buyer',
  headers: VISIT,
  renewsSession: true,
  change: 'here',
  idempotent: true,
  body: closed({ productId: Id, optionId: Type.Optional(Id), quantity: Quantity, stay: Type.Optional(Stay) }, { title: 'CartItemRequest' }),
  check: ({ stay }) => stayProblems(stay, 'stay'),
  status: 201,
  data: Cart,
  errors: ['PRODUCT_NOT_FOUND', 'VARIANT_NOT_FOUND', 'OUT_OF_STOCK', 'STAY_REQUIRED', 'STAY_NOT_APPLICABLE', 'DATES_UNAVAILABLE'],
}).handle(async ({ tx, sessionId, renewedToken, body, header }) => {
  await addToCart(tx, sessionId!, body, visitOf(header));
  return viewCart(await readCart(tx, sessionId!), renewedToken);
});
