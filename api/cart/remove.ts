import { removeFromCart } from '../../db/cart/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';

export const remove = endpoint({
  id: 'cart.remove',
  route: 'DELETE /storefront/v1/cart/items/{cartItemId}',
  summary: 'Take a line out of the cart',
  access: 'buyer',
  change: 'here',
  data: Type.Null(),
  errors: ['CART_ITEM_NOT_FOUND'],
}).handle(async ({ tx, sessionId, params }) => {
  await removeFromCart(tx, sessionId!, params.cartItemId);
  return null;
});
