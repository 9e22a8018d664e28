import { readCart } from '../../db/cart/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Cart, viewCart } from './schemas.ts';

export const get = endpoint({
  id: 'cart.get',
  route: 'GET /storefront/v1/cart/items',
  summary: 'Read the cart, with prices and availability as they are now',
  access: 'buyer',
  renewsSession: true,
  change: 'none',
  data: Cart,
}).handle(async ({ tx, sessionId, renewedToken }) => viewCart(await readCart(tx, sessionId!), renewedToken));
