import { readUsable } from '../../db/checkout/points.ts';
import { findCheckout } from '../../db/checkout/queries.ts';
import { readSettings } from '../../db/paymentSettings/queries.ts';
import { readStore } from '../../db/stores/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Checkout, viewCheckout } from './schemas.ts';

export const get = endpoint({
  id: 'checkout.get',
  route: 'GET /storefront/v1/checkout/{checkoutId}',
  summary: 'Read a checkout',
  access: 'buyer',
  change: 'none',
  data: Checkout,
  errors: ['CHECKOUT_NOT_FOUND'],
}).handle(async ({ tx, sessionId, customer, params }) => {
  const checkout = await findCheckout(tx, params.checkoutId, sessionId!);
  const [store, settings] = [await readStore(tx), await readSettings(tx)];
  return viewCheckout(checkout, { store, settings, usable: await readUsable(tx, checkout, customer?.customerId ?? null) });
});
