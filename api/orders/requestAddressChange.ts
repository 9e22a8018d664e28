import { answered, requestAddressChange as request } from '../../db/orders/addressChanges.ts';
import { checkOrderOf } from '../../db/orders/lookups.ts';
import { readOrder } from '../../db/orders/queries.ts';
import { viewBuyerOrder } from '../../db/orders/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Address, closed } from '../declare/schema.ts';
import { ADDRESS_CHANGE_ERRORS } from './addressChange.ts';
import { BuyerOrder } from './schemas.ts';

export const requestAddressChange = endpoint({
  id: 'orders.requestAddressChange',
  route: 'POST /storefront/v1/me/orders/{orderId}/address-change',
  summary: 'Ask for another shipping address before anything is dispatched; a later request replaces the one that waits',
  access: 'customer',
  change: 'here',
  idempotent: true,
  body: closed({ shippingAddress: Address }, { title: 'AddressChangeRequest' }),
  data: BuyerOrder,
  errors: ADDRESS_CHANGE_ERRORS,
}).handle(async ({ tx, params: { orderId }, body, customer, at }) => {
  await checkOrderOf(tx, orderId, customer!.customerId);
  await request(tx, orderId, body.shippingAddress);
  return answered(tx, await viewBuyerOrder(tx, await readOrder(tx, orderId), at));
});
