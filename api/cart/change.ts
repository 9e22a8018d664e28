import { changeQuantity } from '../../db/cart/commands.ts';
import { readCart } from '../../db/cart/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { Cart, Quantity, viewCart } from './schemas.ts';

export const change = endpoint({
  id: 'cart.change',
  route: 'PATCH /storefront/v1/cart/items/{cartItemId}',
  summary: 'Change the quantity of a cart line',
  access: 'buyer',
  change: 'here',
  body: closed({ quantity: Quantity }, { title: 'CartItemPatch' }),
  data: Cart,
  errors: ['CART_ITEM_NOT_FOUND'],
}).handle(async ({ tx, sessionId, params, body }) => {
  await changeQuantity(tx, sessionId!, params.cartItemId, body.quantity);
  return viewCart(await readCart(tx, sessionId!));
});
